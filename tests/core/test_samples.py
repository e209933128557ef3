"""The sample sessions are what their builder writes, and hold every oddity that real folders hold."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
import pytest

from tools.make_samples import BUILDERS, build, differing, write

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = ROOT / "sample_sessions" / "projects"
Json = dict[str, Any]
KNOWN_HOSTS = r"https?://(?!docs\.example\.com|github\.com/harbor-example|localhost|store/|127\.0\.0\.1)"

SHOP, SITE, INFRA = (f"-home-ana-code-{name}" for name in ("shop-api", "site", "infra"))
UPLOADS = f"{SHOP}/db9cde85-9adb-4762-985f-42e87f989d54"
EXPORT = f"{SHOP}/5782bf0a-1af4-4394-b1c4-75f7efb6fe0c"
LIMIT = f"{SHOP}/aff2b3c9-e8c4-403f-b2d8-b20c4d3cd4a8"
LIMIT_COPY = f"{SHOP}/2e959a4e-be7b-4e25-9522-eaef44a81e9c"
COOKIES = f"{SITE}/5f41b24c-62ce-4ec4-82a2-8f70ef924bce"
THEME = f"{SITE}/43d32c51-fd04-4bfa-b51a-ea11194a5dd4"
SEARCH = f"{SITE}/7138ff26-76e4-4b4b-a419-3ab919f8d60c"
FIRST = f"{SITE}/5dbcdf60-03f5-49a1-b948-524ad12b068b"
STATE = f"{INFRA}/aa2645ec-847e-4eff-ab02-832d01e0b97c"
DISK = f"{INFRA}/ebaee463-56af-42d5-be8e-e9ef9e034614"
ORPHAN = f"{INFRA}/035dd070-f547-47cc-9bda-c198a7107af2/subagents/agent-a71c5e09d2b84f360"


@cache
def lines(name: str) -> tuple[bytes, ...]:
    return tuple((PROJECTS / f"{name}.jsonl").read_bytes().split(b"\n"))


@cache
def entries(name: str) -> tuple[Json, ...]:
    found = []
    for line in lines(name):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def names() -> list[str]:
    return sorted(path.relative_to(PROJECTS).as_posix().removesuffix(".jsonl") for path in PROJECTS.rglob("*.jsonl"))


def all_entries() -> Iterator[Json]:
    for name in names():
        yield from entries(name)


def blocks(role: str) -> Iterator[Json]:
    for entry in all_entries():
        content = entry["message"]["content"] if entry["type"] == role else None
        yield from (block for block in content or () if isinstance(block, dict))


def tally(values: Iterable[str]) -> str:
    return ", ".join(f"{value} {count}" for value, count in sorted(Counter(values).items()))


def kinds(entry_type: str, *keys: str) -> str:
    """How often each value stands under these keys in the entries of a type."""
    found: list[Any] = [entry for entry in all_entries() if entry["type"] == entry_type]
    for key in keys:
        found = [value[key] for value in found]
    return tally(found)


def texts(name: str) -> list[str]:
    """The user texts of a session that are plain strings."""
    found = [entry["message"]["content"] for entry in entries(name) if entry["type"] == "user"]
    return [text for text in found if isinstance(text, str)]


def prompts(name: str) -> list[str]:
    skipped = ("<", "This session is being continued", "Caveat:")
    return [text for text in texts(name) if not text.startswith(skipped)]


def test_builder_would_write_the_same_files() -> None:
    command = [sys.executable, str(ROOT / "tools" / "make_samples.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


FILES = {
    "a/one.txt": "one\n",
    "b/two.db": "CREATE TABLE said (text TEXT); INSERT INTO said VALUES ('one'); INSERT INTO said VALUES ('two');",
}


def test_builder_writes_exactly_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "old.txt").touch()
    (tmp_path / "README.md").touch()
    assert differing(FILES, tmp_path) == ["a/old.txt", "a/one.txt", "b/two.db"]
    write(FILES, tmp_path)
    assert differing(FILES, tmp_path) == []
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["README.md", "one.txt", "two.db"]
    with closing(sqlite3.connect(tmp_path / "b" / "two.db")) as connection:
        assert connection.execute("SELECT text FROM said").fetchall() == [("one",), ("two",)]


@pytest.mark.parametrize("change", ["UPDATE said SET text = 'three' WHERE text = 'two'", "CREATE TABLE more (x)"])
def test_builder_compares_the_rows_of_databases(tmp_path: Path, change: str) -> None:
    write(FILES, tmp_path)
    path = tmp_path / "b" / "two.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA user_version = 3")
        assert differing(FILES, tmp_path) == []
        connection.execute(change)
        connection.commit()
    assert differing(FILES, tmp_path) == ["b/two.db"]
    write(FILES, tmp_path)
    assert differing(FILES, tmp_path) == []
    path.write_bytes(b"half a database" * 100)
    assert differing(FILES, tmp_path) == ["b/two.db"]


@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_makes_the_same_on_every_run(name: str) -> None:
    module = import_module(f"tools.samples.{name}")
    assert module.build() == module.build()
    assert set(module.build()) <= set(build())


def test_files_lie_as_the_agent_lays_them() -> None:
    folders = {name.split("/")[0] for name in names()}
    worktrees = {f"{SHOP}--claude-worktrees-price-rounding", f"{SHOP}-worktrees-retry"}
    assert folders == {SHOP, SITE, INFRA, *worktrees}
    for name in names():
        own, found = name.split("/")[1], {entry["sessionId"] for entry in entries(name) if "sessionId" in entry}
        assert own.startswith("agent-") or found <= {own}
        for entry in entries(name)[:8]:
            if "cwd" in entry:
                assert re.sub(r"[^a-zA-Z0-9]", "-", entry["cwd"]) == name.split("/")[0]


def test_every_kind_of_entry_is_there() -> None:
    assert tally(entry["type"] for entry in all_entries()) == (
        "agent-name 2, ai-title 7, assistant 365, atis-latch 1, attachment 10, custom-title 1, file-history-"
        "snapshot 91, last-prompt 40, mode 27, permission-mode 27, pr-link 12, progress 19, queue-operation 6, "
        "space-report 1, summary 1, system 44, user 349"
    )
    assert kinds("system", "subtype") == (
        "api_error 2, away_summary 1, compact_boundary 4, local_command 1, microcompact_boundary 1, "
        "stop_hook_summary 6, turn_duration 29"
    )
    assert kinds("attachment", "attachment", "type") == "hook_success 6, queued_command 3, total_tokens_reminder 1"
    assert kinds("progress", "data", "type") == "agent_progress 3, bash_progress 12, hook_progress 4"
    assert kinds("queue-operation", "operation") == "dequeue 1, enqueue 3, remove 2"


def test_every_kind_of_block_is_there() -> None:
    said = tally(block["type"] for block in blocks("assistant"))
    assert said == "server_tool_use 1, text 126, thinking 19, tool_use 218, weather_report 1"
    assert tally(block["type"] for block in blocks("user")) == "document 2, image 1, text 6, tool_result 217"
    inner = [block["content"] for block in blocks("user") if isinstance(block.get("content"), list)]
    assert tally(part["type"] for parts in inner for part in parts) == "image 1, text 10, tool_reference 1"
    thoughts = [block["thinking"] for block in blocks("assistant") if block["type"] == "thinking"]
    assert any(thoughts)
    assert not all(thoughts)


def test_every_wrapper_of_a_user_text_is_there() -> None:
    opened = (text.split(">")[0] + ">" for name in names() for text in texts(name) if text.startswith("<"))
    assert tally(opened) == (
        "<bash-input> 3, <bash-stdout> 3, <command-message> 1, <command-name> 3, <local-command-caveat> 2, <local-"
        "command-stdout> 3, <task-notification> 2"
    )
    said = [block["text"] for block in blocks("user") if block["type"] == "text"]
    stops = tally(text for text in said if text.startswith("["))
    assert stops == "[Request interrupted by user for tool use] 1, [Request interrupted by user] 1"
    assert sum(text.startswith("Caveat: ") for name in names() for text in texts(name)) == 1


def test_failures_of_tools_are_there() -> None:
    wrong = [str(block["content"]) for block in blocks("user") if block.get("is_error")]
    starts = ("Exit code 1\n", "<tool_use_error>String to replace not found", "The user doesn't want to proceed")
    assert [sum(text.startswith(start) for text in wrong) for start in starts] == [5, 4, 2]
    shown = [str(block["content"]) for block in blocks("user") if block["type"] == "tool_result"]
    assert sum("<system-reminder>" in text for text in shown) == 1


def test_broken_lines_are_there() -> None:
    broken: dict[str, list[bytes]] = defaultdict(list)
    for name in names():
        for line in lines(name)[:-1] if lines(name)[-1] == b"" else lines(name):
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError:
                broken[name].append(line)
            else:
                broken[name] += [] if isinstance(value, dict) else [line]
    assert {name: len(found) for name, found in broken.items() if found} == {DISK: 4, STATE: 1}
    blank, plain, array, double = broken[DISK]
    assert (blank, plain, array) == (b"", b"write error: No space left on device", b'["not","an","object"]')
    cut = double.index(b'}{"parentUuid"') + 1
    assert [orjson.loads(part)["type"] for part in (double[:cut], double[cut:])] == ["file-history-snapshot", "user"]
    assert lines(STATE)[-1] == broken[STATE][0]
    contents = [entry["message"]["content"] for entry in entries(DISK) if entry["type"] == "user"]
    assert None in contents
    assert ["the old dumps are never deleted", {"type": "text", "text": "I think"}] in contents


def test_files_without_a_conversation_are_there() -> None:
    found = [[entry["type"] for entry in entries(name)] for name in names()]
    assert sorted(each for each in found if "user" not in each) == [[], ["pr-link"]]


def test_subagents_of_three_generations_are_there() -> None:
    inline = [entry["isSidechain"] for entry in entries(FIRST)]
    assert (inline.count(True), {entry["version"] for entry in entries(FIRST)}) == (5, {"1.0.98"})
    calls: dict[str, list[str]] = {}
    for name in names():
        results = [entry.get("toolUseResult") for entry in entries(name)]
        found = [each["agentId"] for each in results if isinstance(each, dict) and "agentId" in each]
        calls |= {name: found} if found else {}
    children = [name for name in names() if "/agent-" in name]
    assert {name: sorted(found) for name, found in calls.items()} == {
        UPLOADS: sorted(name.split("/agent-")[1] for name in children if name.startswith(UPLOADS)),
        COOKIES: [name.split("/agent-")[1] for name in children if name.startswith(f"{SITE}/agent-a2")],
        SEARCH: [name.split("/agent-")[1] for name in children if name.startswith(SEARCH) and "acompact" not in name],
    }
    assert len(calls[UPLOADS]) == 2
    assert ORPHAN in children
    assert not (PROJECTS / ORPHAN).parent.parent.with_suffix(".jsonl").exists()
    for name in children:
        own = name.split("/agent-")[1]
        kept = [(entry["isSidechain"], entry["agentId"]) for entry in entries(name)]
        assert set(kept) == {(True, own)}


def test_compactor_hangs_on_its_parent() -> None:
    (name,) = [name for name in names() if "acompact" in name]
    assert entries(name)[0]["parentUuid"] in {entry.get("uuid") for entry in entries(SEARCH)}


def test_copy_repeats_the_first_entries_of_its_parent() -> None:
    first = {entry["uuid"]: entry for entry in entries(LIMIT) if "uuid" in entry}
    repeated = [entry for entry in entries(LIMIT_COPY) if entry.get("uuid") in first]
    assert [entry["uuid"] for entry in repeated] == list(first)[:20]
    for entry in repeated:
        changed = {key for key in entry if entry[key] != first[entry["uuid"]].get(key)}
        assert changed == {"sessionId", "session_id", "version", "sessionKind", "slug"}
    assert len([entry for entry in entries(LIMIT_COPY) if "uuid" in entry]) > 28


def test_compactions_have_all_their_signs() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for name in names():
        for boundary, summary in zip(entries(name), entries(name)[1:], strict=False):
            if boundary.get("subtype") == "compact_boundary":
                assert (boundary["parentUuid"], summary["parentUuid"]) == (None, boundary["uuid"])
                assert boundary["logicalParentUuid"] in {entry.get("uuid") for entry in entries(name)}
                assert (summary["isCompactSummary"], summary["isVisibleInTranscriptOnly"]) == (True, True)
                assert summary["message"]["content"].startswith("This session is being continued from a previous")
                found[name].append(boundary["compactMetadata"]["trigger"])
    assert found == {UPLOADS: ["manual"], EXPORT: ["auto", "auto"], SEARCH: ["auto"]}


def test_titles_come_from_every_kind_of_line() -> None:
    keys = ("customTitle", "aiTitle", "agentName", "summary")
    titles = [(key, entry[key]) for name in names() for entry in entries(name) for key in keys if key in entry]
    assert tally(key for key, _ in titles) == "agentName 2, aiTitle 7, customTitle 1, summary 1"
    assert ("customTitle", "Fix flaky uploads") in titles
    (summary,) = [entry for entry in entries(THEME) if entry["type"] == "summary"]
    assert summary["leafUuid"] in {entry.get("uuid") for entry in entries(COOKIES)}


def test_pull_requests_repeat_and_are_shared() -> None:
    links = [(name, entry) for name in names() for entry in entries(name) if entry["type"] == "pr-link"]
    whole = [f"{entry['prNumber']} in {name.split('/')[0][15:]}" for name, entry in links if "prUrl" in entry]
    assert tally(whole) == (
        "207 in shop-api 1, 211 in shop-api 1, 214 in shop-api 1, 216 in shop-api--claude-worktrees-price-rounding "
        "1, 218 in shop-api 3, 218 in shop-api-worktrees-retry 1, 219 in shop-api-worktrees-retry 1, 31 in infra "
        "1, 64 in site 1"
    )
    assert [entry["prNumber"] for _, entry in links if "prUrl" not in entry] == [216]


def test_messages_are_split_over_lines_as_the_agent_does() -> None:
    spread: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for name in names():
        for number, entry in enumerate(entries(name)):
            if entry["type"] == "assistant" and entry["message"]["model"] != "<synthetic>":
                assert len(entry["message"]["content"]) == 1
                counts = (number, entry["message"]["usage"]["output_tokens"])
                spread[name + entry["message"]["id"]].append(counts)
    assert sum(len(found) > 1 for found in spread.values()) > 60
    assert any(found[-1][0] - found[0][0] >= len(found) for found in spread.values())
    assert any(found[0][1] < found[-1][1] for found in spread.values())
    assert any(len(found) > 1 and found[0][1] == found[-1][1] for found in spread.values())


def test_some_results_come_in_another_order_and_one_is_missing() -> None:
    calls = [block["id"] for block in blocks("assistant") if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in blocks("user") if block["type"] == "tool_result"]
    assert len(set(calls) - set(results)) == 1
    assert [each for each in calls if each in results] != results


def test_flagship_tells_the_story_of_the_picture() -> None:
    assert "The upload still fails on slow networks. Can we retry without sending twice?" in prompts(UPLOADS)
    printed = [str(block["content"]) for block in blocks("user") if block["type"] == "tool_result"]
    assert sum("3 failed, 41 passed" in text for text in printed) == 1
    results = [entry.get("toolUseResult", ()) for entry in entries(UPLOADS)]
    edits = [result for result in results if "structuredPatch" in result]
    (hunk,) = edits[1]["structuredPatch"]
    signs = Counter(line[0] for line in hunk["lines"])
    assert (edits[1]["filePath"], signs["+"], signs["-"]) == ("/home/ana/code/shop-api/src/upload.py", 12, 3)
    assert hunk["lines"][hunk["lines"].index("-    for _ in range(3):") - 1].startswith("     headers = ")


def test_sessions_have_few_prompts_and_one_has_many() -> None:
    counts = {name: len(prompts(name)) for name in names() if "/agent-" not in name and prompts(name)}
    assert counts[EXPORT] == 40
    assert sorted(counts.values())[-2] <= 13
    assert len(counts) == 16


def test_nothing_points_out_of_the_invented_world() -> None:
    for name in names():
        text = (PROJECTS / f"{name}.jsonl").read_text(encoding="utf-8")
        assert set(re.findall(r"/home/\w+", text)) <= {"/home/ana"}
        assert re.findall(r"(?<![\w.])/(?:Users|root|tmp|work|mnt|opt|private)/", text) == []
        assert re.findall(r"(?i)helper|REDACTED|sk-ant|AKIA[0-9A-Z]{12}", text) == []
        assert re.findall(KNOWN_HOSTS, text) == []
        assert {entry["timestamp"][:7] for entry in entries(name) if "timestamp" in entry} <= {"2026-11"}
        assert max((entry["timestamp"] for entry in entries(name) if "timestamp" in entry), default="") < "2026-11-21"
