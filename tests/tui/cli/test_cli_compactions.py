from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.reading.compactions import compactions
from memtui_core.ingest.indexer import Indexer
from memtui_core.search.embed import open_model
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.review_marks import ReviewMarks
from support.indexes import embed, review, update
from support.transcripts import SESSION, Script

ROOT = "/home/ana/code/shop"
OTHER = "22222222-2222-4222-8222-222222222222"
LEAD = "This session is being continued from a previous conversation that ran out of context. "


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one session with a compaction and one without; read only."""
    folder = tmp_path_factory.mktemp("built")
    script, plain = Script(), Script(OTHER, prefix="f")
    script.user("Round the prices to cents")
    for count, name in enumerate(("price.py", "price.py", "tax.py")):
        script.calls("Edit", {"file_path": f"{ROOT}/{name}", "old_string": "a", "new_string": "b"}, f"t{count}")
        script.result("done", f"t{count}")
    script.compacts("Asked to round the prices to cents; price.py does.")
    script.calls("Read", {"file_path": f"{ROOT}/tax.py"}, "t9")
    script.result("1 x", "t9")
    plain.user("hello")
    update(folder / "data", script.write(folder / "src"), plain.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of that index."""
    return Path(shutil.copytree(built, tmp_path / "data"))


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(compactions, [*arguments, "--data-dir", str(data)])


@pytest.mark.spec("S5.6")
def test_compactions_of_all_sessions_a_paragraph_each(data: Path) -> None:
    found = run(data)
    [title, place, numbers, lack] = found.stdout.splitlines()
    assert (found.exit_code, found.stderr, title) == (0, "", "Round the prices to cents")
    assert place.startswith(f"{SESSION}:2 · 2026-11-01 ")
    assert place.endswith(" · auto · 150,000 tokens before")
    length = len(LEAD + "Asked to round the prices to cents; price.py does.")
    assert numbers == f"turn 1 · summary of {length} characters"
    assert lack == "nothing is missing from the summary"


@pytest.mark.spec("S5.6")
def test_compactions_of_one_session_with_what_was_lost_and_kept(data: Path) -> None:
    found = run(data, "1111")
    assert found.stdout.splitlines()[4:] == [
        "",
        "Details that are not in the summary 1",
        "   1  edited file  turn 1     tax.py",
        "",
        "Kept 2",
        "  request      turn 1     Round the prices to cents",
        "  edited file  turn 1     price.py ×2",
        "",
        "Read again afterwards 1",
        "  read file    turn 2     tax.py",
    ]


@pytest.mark.spec("S5.6")
def test_turns_of_the_session_before_a_fork_are_marked(tmp_path: Path) -> None:
    first, fork = Script(), Script(OTHER, prefix="f")
    first.user("Never round the prices")
    first.says("Understood.")
    fork.lines, fork.count = list(first.lines), first.count
    first.user("Never mind what the first session does later")
    fork.count += 10
    fork.user("Never paint the tills")
    fork.says("Understood.")
    fork.compacts("The shop is open.")
    update(tmp_path / "data", first.write(tmp_path / "src"), fork.write(tmp_path / "src"))
    lost = [line for line in run(tmp_path / "data", OTHER).stdout.splitlines() if "turn 1 " in line and "rule" in line]
    assert lost == [
        "   1  your rule    turn 1     Never paint the tills",
        "   2  your rule    turn 1     Never round the prices (before the fork)",
    ]


@pytest.mark.spec("S5.6")
def test_compactions_as_one_json_list(data: Path) -> None:
    found = run(data, "--json")
    [one] = json.loads(found.stdout)
    place = {"dropped_at": None, "session_id": SESSION}
    assert one == {
        "session_id": SESSION,
        "line": 7,
        "at": "2026-11-01T09:01:10Z",
        "trigger": "auto",
        "tokens_before": 150_000,
        "summary": LEAD + "Asked to round the prices to cents; price.py does.",
        "lost": [{"kind": "edited", "text": "tax.py", "turn": 1, "line": 5, **place}],
        "kept": [
            {"kind": "request", "text": "Round the prices to cents", "turn": 1, "line": 0, **place},
            {"kind": "edited", "text": "price.py", "turn": 1, "line": 3, **place},
        ],
        "changed_after": [{"kind": "read", "text": "tax.py", "turn": 2, "line": 9, **place}],
        "main": 0,
        "hurt": [],
        "brief": "",
    }
    assert run(data, SESSION, "--json").stdout == found.stdout
    none = run(data, OTHER, "--json")
    assert (json.loads(none.stdout), none.stderr) == ([], "The session was not compacted.\n")


@pytest.mark.spec("S5.6")
def test_a_session_without_compactions_is_told_on_stderr(data: Path) -> None:
    found = run(data, OTHER)
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "The session was not compacted.\n")


@pytest.mark.spec("S5.6")
def test_an_unknown_session_fails(data: Path) -> None:
    found = run(data, "nope")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr == "memtui: There is no session whose id begins with 'nope'.\n"


@pytest.mark.spec("S5.6")
def test_wrong_usage(data: Path) -> None:
    assert run(data, "a", "b").exit_code == 2


@pytest.mark.spec("S5.6")
def test_rows_that_may_change_with_the_vectors_are_told_on_stderr(data: Path) -> None:
    said = "Not compared by meaning yet: rows may change when the index has its vectors.\n"
    review(data)
    assert (run(data, SESSION).stderr, run(data, SESSION, "--prompt", "1").stderr) == ("", "")
    # The indexer has measured how it runs the model.
    DataDir(data).embedding.write_text("{}")
    assert run(data, SESSION).stderr == said
    DataDir(data).embedding.unlink()
    embed(data)
    assert (run(data, SESSION).stderr, run(data, SESSION, "--prompt", "1").stderr) == (said, said)
    assert run(data, OTHER).stderr == "The session was not compacted.\n"
    with Indexer(data) as indexer:
        list(indexer.review(lambda: False, open_model()))
    assert run(data, SESSION).stderr == ""


@pytest.mark.spec("S5.6")
def test_rows_of_the_last_summary_are_printed_as_a_prompt_or_sent(tmp_path: Path) -> None:
    script = Script()
    script.user("Never round the prices")
    script.says("Understood.")
    script.compacts("The shop is open.")
    script.user("Never paint the tills")
    script.says("Understood.")
    script.compacts("The shop is still open.")
    data = tmp_path / "data"
    update(data, script.write(tmp_path / "src"))
    lead = "The summary of your last compaction lacks this:"
    paint, round_ = (
        f"- the user said: {text} [{SESSION}:{turn}]"
        for text, turn in (("Never paint the tills", 3), ("Never round the prices", 1))
    )
    assert run(data, SESSION, "--prompt").stdout.splitlines() == [lead, paint, round_]
    said = {rows: run(data, SESSION, "--prompt", rows).stdout.splitlines() for rows in ("2", "1-2", "2,1", "1,1")}
    assert said == {
        "2": [lead, round_],
        "1-2": [lead, paint, round_],
        "2,1": [lead, round_, paint],
        "1,1": [lead, paint],
    }
    wrong = {rows: run(data, SESSION, "--prompt", rows).exit_code for rows in ("0", "3", "2-1", "x", "")}
    assert wrong == dict.fromkeys(wrong, 2)
    assert run(data, "--prompt").exit_code == 2
    sent = run(data, SESSION, "--send", "1")
    assert sent.stdout == "   1  your rule    turn 3     Never paint the tills\n"
    assert sent.stderr == (
        "The agent gets 1 row of the last compaction, 2nd of 2, at 11111111:4, with its next hook call, and in a"
        " hand-off.\n"
    )
    assert ReviewMarks(data).waiting(SESSION) == (paint,)
    listed = run(data, SESSION).stdout.splitlines()
    row = "   1  your rule    turn 3     Never paint the tills"
    assert [line for line in listed if "turn 3 " in line and "rule" in line] == [f"{row} (waits for the agent)"]
    ReviewMarks(data).delivered(SESSION, paint)
    listed = run(data, SESSION).stdout.splitlines()
    assert [line for line in listed if "turn 3 " in line and "rule" in line] == [f"{row} (the agent has it)"]
