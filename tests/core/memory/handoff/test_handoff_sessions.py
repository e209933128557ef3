"""Hand-offs of sessions and files, read from an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtui_core.errors import MemtuiError, SessionUnknown
from memtui_core.memory.handoff.file import file_handoff
from memtui_core.memory.handoff.model import BEGIN, END, Handoff, HandoffOptions
from memtui_core.memory.handoff.session import handoff
from memtui_core.queries.sessions import find_session, list_sessions
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import build, update
from support.transcripts import SESSION, Script

ROOT = "/home/ana/code/shop"
FILE = f"{ROOT}/src/upload.py"
PATCH = [{"oldStart": 2, "oldLines": 1, "newStart": 2, "newLines": 1, "lines": ["-old", "+new"]}]
BARE = HandoffOptions(tool_context=False)
SECOND = "22222222-2222-4222-8222-222222222222"

Made = Callable[..., Snapshot]


@pytest.fixture
def indexed(tmp_path: Path) -> Iterator[Made]:
    """The snapshot of an index of some transcripts."""
    opened: list[Snapshot] = []

    def index(*scripts: Script) -> Snapshot:
        for number, script in enumerate(scripts):
            script.write(tmp_path / "src" / str(number))
        update(tmp_path / "data", tmp_path / "src")
        opened.append(Snapshot(DataDir(tmp_path / "data")))
        return opened[-1]

    yield index
    for snapshot in opened:
        snapshot.close()


def does(script: Script, tool: str, result: str | None, tool_id: str, patch: Any = None, **fields: Any) -> None:
    script.calls(tool, fields, tool_id)
    if result is not None:
        script.result(result, tool_id, toolUseResult={"structuredPatch": patch} if patch else "done")


def upload() -> Script:
    """Three turns: read, edit, test and fail, test again; the second call of the last turn has no result."""
    script = Script()
    script.user("Retry the upload")
    does(script, "Read", "     1→import os\n     2→old\n     3→", "r1", file_path=FILE)
    does(script, "Edit", "ok", "e1", PATCH, file_path=FILE, old_string="old", new_string="new")
    does(script, "TodoWrite", "ok", "d1", todos=[{"content": "Log it", "status": "pending"}])
    script.says("The upload is tried three times.")
    script.user("Does it work?")
    does(script, "Bash", "1 failed", "b1", command="make test")
    script.says("Not yet.")
    script.user("Go on")
    does(script, "Bash", "3 passed", "b2", command="make test")
    does(script, "Bash", None, "b3", command="sleep 100")
    return script


@pytest.fixture(scope="module")
def two_sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """The snapshot of an index of `upload` and `later`."""
    folder = tmp_path_factory.mktemp("two_sessions")
    for number, script in enumerate((upload(), later())):
        script.write(folder / "src" / str(number))
    update(folder / "data", folder / "src")
    with closing(Snapshot(DataDir(folder / "data"))) as snapshot:
        yield snapshot


def of(snapshot: Snapshot, session_id: str = SESSION, **options: Any) -> Handoff:
    return handoff(snapshot, find_session(snapshot, session_id).key, **options)


EXTRACTED = f"""\
Extracted from the session by memtui; no model was asked, and the agent wrote no summary of its own.

Session {SESSION} in shop: 3 turns, 6 tool calls, 2026-11-01 09:00 to 2026-11-01 09:02 UTC.

First request (turn 1):
[USER]
Retry the upload
[/USER]

Last request (turn 3):
[USER]
Go on
[/USER]

Last answer (turn 2):
[ASSISTANT]
Not yet.
[/ASSISTANT]

Open to-dos:
- Log it (pending)

Files changed:
- src/upload.py (turn 1)"""

TOOLS = """\
## Files Read
### /home/ana/code/shop/src/upload.py (before edit)
```python
import os
old
```

## Files Changed
### /home/ana/code/shop/src/upload.py
```diff
@@ -2,1 +2,1 @@
-old
+new
```

## Commands Executed
### make test
```
3 passed
```

## Interrupted Calls
- Bash: sleep 100 — no result"""


@pytest.mark.spec("S1.14")
def test_the_hand_off_of_a_session(two_sessions: Snapshot) -> None:
    made = of(two_sessions)
    assert (made.session_id, made.first, made.last, made.kind_of_summary) == (SESSION, 1, 3, "extract")
    assert made.text() == (
        f"[CONTEXT FROM PREVIOUS SESSION]\n\n## Summary\n{EXTRACTED}\n\n{TOOLS}\n\n[/CONTEXT FROM PREVIOUS SESSION]"
    )


@pytest.mark.spec("S1.12")
def test_only_the_summary(two_sessions: Snapshot) -> None:
    for options in (BARE, HandoffOptions(max_tool_context_chars=0)):
        assert of(two_sessions, options=options).text() == (
            f"[CONTEXT FROM PREVIOUS SESSION]\n\n## Summary\n{EXTRACTED}\n\n[/CONTEXT FROM PREVIOUS SESSION]"
        )


@pytest.mark.spec("S1.10")
def test_interrupted_calls_can_be_left_out(two_sessions: Snapshot) -> None:
    made = of(two_sessions, options=HandoffOptions(include_interrupted=False))
    assert [item.id for item in made.items] == ["r1", "e1", "b2"]


def test_the_results_of_bookkeeping_are_handed_on_when_asked_for(two_sessions: Snapshot) -> None:
    made = of(two_sessions, options=HandoffOptions(bookkeeping=True))
    assert [item.id for item in made.items] == ["r1", "e1", "d1", "b2", "b3"]


def test_some_turns_only(two_sessions: Snapshot) -> None:
    made = of(two_sessions, first=2, last=2)
    assert (made.first, made.last, [item.id for item in made.items]) == (2, 2, ["b1"])
    assert "Request (turn 2):\n[USER]\nDoes it work?\n[/USER]" in made.summary
    assert [item.id for item in of(two_sessions, first=3).items] == ["b2", "b3"]
    assert of(two_sessions, first=9).text() == ""


def test_a_result_that_came_after_the_turns_asked_for_belongs_to_its_call(indexed: Made) -> None:
    script = Script()
    script.user("Build it")
    script.calls("Bash", {"command": "make"}, "b1")
    script.user("Hurry up")
    script.result("built", "b1")
    script.says("Done.")
    snapshot = indexed(script)
    assert [item.text for item in of(snapshot, last=1).items] == ["### make\n```\nbuilt\n```"]


@pytest.mark.spec("S1.19")
def test_the_agents_own_summary_and_what_followed_it(indexed: Made) -> None:
    script = upload()
    script.compacts("First summary.")
    script.compacts("Second summary, with a fence:\n```\nx = 1")
    does(script, "Bash", "pushed", "b4", command="git push")
    script.says("Pushed.")
    script.user("Thanks")
    snapshot = indexed(script)
    made = of(snapshot, options=BARE)
    begins = "This session is being continued from a previous conversation that ran out of context."
    assert (made.kind_of_summary, made.summary) == (
        "compaction",
        "The agent's own summary, written at the compaction in turn 5, 2026-11-01 09:03 UTC.\n\n"
        f"{begins} Second summary, with a fence:\n```\nx = 1\n```\n\n"
        "After that summary (turns 5-6), extracted by memtui:\n\n"
        "Request (turn 6):\n[USER]\nThanks\n[/USER]\n\n"
        "Last answer (turn 5):\n[ASSISTANT]\nPushed.\n[/ASSISTANT]\n\n"
        "Open to-dos:\n- Log it (pending)",
    )
    before = of(snapshot, last=3, options=BARE)
    assert before.kind_of_summary == "extract"


@pytest.mark.spec("S1.19")
def test_only_what_was_said_is_in_the_summary(indexed: Made) -> None:
    script = Script()
    script.user("Look\n```\nat this")
    script.thinks("Hm, a secret thought.")
    does(script, "Bash", "a result of a tool", "b1", command="echo of a call")
    script.says("Seen.")
    summary = of(indexed(script)).summary
    assert summary.partition(".\n\nRequest")[2] == (
        " (turn 1):\n[USER]\nLook\n```\nat this\n```\n[/USER]\n\n"
        "Last answer (turn 1):\n[ASSISTANT]\nSeen.\n[/ASSISTANT]"
    )


@pytest.mark.spec("S1.19")
def test_a_command_that_the_agent_answered_is_a_request(indexed: Made) -> None:
    script = Script()
    script.user("<command-name>/model</command-name><command-args>opus</command-args>")
    script.user("<local-command-stdout>Set model to opus</local-command-stdout>")
    script.user("<command-name>/explore</command-name><command-args>why is it slow?</command-args>")
    script.says("It reads everything.")
    script.user("Mend it")
    script.says("Done.")
    assert of(indexed(script)).summary.partition("UTC.\n\n")[2] == (
        "First request (turn 1):\n[USER]\n/explore why is it slow?\n[/USER]\n\n"
        "Last request (turn 2):\n[USER]\nMend it\n[/USER]\n\n"
        "Last answer (turn 2):\n[ASSISTANT]\nDone.\n[/ASSISTANT]"
    )


@pytest.mark.spec("S1.21")
def test_the_same_index_gives_the_same_bytes(two_sessions: Snapshot) -> None:
    assert of(two_sessions).text().encode() == of(two_sessions).text().encode()


@pytest.mark.spec("S1.22")
def test_entries_that_stand_in_several_files_count_once(indexed: Made, tmp_path: Path) -> None:
    longer = upload()
    longer.user("Push it")
    does(longer, "Grep", "found", "g1", pattern="x")
    made = of(indexed(upload(), longer))
    assert [item.id for item in made.items] == ["r1", "e1", "b2", "b3", "g1"]


@pytest.mark.spec("S1.13")
def test_forms_of_results_in_a_transcript(indexed: Made) -> None:
    script = Script()
    script.user("Look")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}
    forms: list[Any] = ["text", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], [image], "", None, []]
    for number, content in enumerate(forms):
        script.calls("Grep", {"pattern": "x"}, f"g{number}")
        script.result(content, f"g{number}")
    made = of(indexed(script))
    shown = ["text", "a\nb", "[image]", "(empty)", "(empty)", "(empty)"]
    assert [item.text for item in made.items] == [f"### Grep x\n```\n{text}\n```" for text in shown]


def test_secrets_are_not_handed_on(indexed: Made) -> None:
    script = Script()
    script.user("Log in")
    token = "ghp_" + "a1B2c3D4e5" * 4
    does(script, "Bash", f"token {token}", "b1", command=f"login {token}")
    text = of(indexed(script)).text()
    assert token not in text
    assert "### login [redacted:github-token]\n```\ntoken [redacted:github-token]\n```" in text


def test_an_unknown_session(two_sessions: Snapshot) -> None:
    with pytest.raises(SessionUnknown):
        handoff(two_sessions, 99)


def later() -> Script:
    """Another session, which writes the file anew and fails to edit it."""
    script = Script(SECOND, prefix="f")
    script.count = 8640
    script.user("Write it anew")
    does(script, "Write", "ok", "w1", file_path=FILE, content="import sys\n")
    script.calls("Edit", {"file_path": FILE, "old_string": "a", "new_string": "b"}, "e2")
    script.result("no match", "e2", error=True)
    does(script, "Edit", "ok", "e3", file_path=f"{ROOT}/docs/src/upload.py", old_string="c", new_string="d")
    return script


FILE_TEXT = f"""\
[CONTEXT FROM PREVIOUS SESSION]

## File
src/upload.py in shop: changed in 2 turns, read in 1 turn, mentioned in 1 turn of 2 sessions, 2026-11-01 to \
2026-11-02. Put together by memtui from the transcripts.

## Last Known State
As of {SECOND}:1 · 2026-11-02 09:00 UTC:
```python
import sys
```

## Changes
### {SESSION}:1 · 2026-11-01 09:00 UTC (Edit)
```diff
@@ -2,1 +2,1 @@
-old
+new
```

### {SECOND}:1 · 2026-11-02 09:00 UTC (Write)
```python
import sys
```

[/CONTEXT FROM PREVIOUS SESSION]"""


def test_the_history_of_a_file_over_all_sessions(two_sessions: Snapshot) -> None:
    made = file_handoff(two_sessions, "src/upload.py")
    assert made.text() == FILE_TEXT
    assert (made.session_id, made.kind_of_summary) == (SECOND, "file")
    assert [item.id for item in made.items] == [f"{SESSION}:e1", f"{SECOND}:w1"]
    assert file_handoff(two_sessions, FILE).text() == FILE_TEXT
    assert file_handoff(two_sessions, "./src/upload.py", root=ROOT).text() == FILE_TEXT


def test_the_history_of_a_file_holds_patches_and_the_commands_that_wrote_it(indexed: Made) -> None:
    script = Script()
    script.user("Write it")
    patch = "*** Begin Patch\n*** Update File: src/upload.py\n@@\n-a\n+b\n*** End Patch"
    does(script, "apply_patch", "ok", "p1", patchText=patch)
    does(script, "Bash", "", "b1", command="./make.sh > src/upload.py && cat src/upload.py")
    does(script, "Bash", "x", "b2", command="cat src/upload.py")
    made = file_handoff(indexed(script), "src/upload.py")
    heading = f"### {SESSION}:1 · 2026-11-01 09:00 UTC"
    command = "./make.sh > src/upload.py && cat src/upload.py"
    assert [(item.id, item.text) for item in made.items] == [
        (f"{SESSION}:p1", f"{heading} (apply_patch)\n```diff\n{patch}\n```"),
        (f"{SESSION}:b1", f"{heading} (Bash)\n```bash\n{command}\n```"),
    ]


def test_a_file_known_in_part_says_so(indexed: Made) -> None:
    script = Script()
    script.user("Look")
    does(script, "Read", "     3→c\n     4→d", "r1", file_path=FILE, offset=3, limit=2)
    does(script, "Read", "     9→i", "r2", file_path=FILE, offset=9, limit=1)
    does(script, "Bash", "", "b1", command=f"sed -i s/c/x/ {FILE}")
    state = file_handoff(indexed(script), "upload.py").lead[1].text
    assert state == (
        f"## Last Known State\nAs of {SESSION}:1 · 2026-11-01 09:00 UTC, known in part: turn 1: a shell command"
        " may have changed it; lines 1–2, 5–8: never read; what follows line 9 was never read.\n"
        "```python\n⋮\n3? c\n4? d\n⋮\n9? i\n```"
    )


def test_a_file_of_which_nothing_is_known_says_so(indexed: Made) -> None:
    script = Script()
    script.user("Look at @src/upload.py")
    script.says("It is not there.")
    made = file_handoff(indexed(script), "src/upload.py")
    assert made.lead[1].text.partition("UTC: ")[2].startswith("nothing of it was read or written")


def test_the_state_of_a_file_takes_half_of_the_room_and_its_changes_the_rest(indexed: Made) -> None:
    script = Script()
    script.user("Write")
    for number in range(3):
        does(script, "Write", "ok", f"w{number}", file_path=FILE, content=f"{number}" * 1000)
    made = file_handoff(indexed(script), "upload.py", options=HandoffOptions(max_tool_context_chars=3000))
    assert made.limit == 3000 - len(made.lead[1].text)
    assert [section.ids for section in made.sections()] == [(), (), (f"{SESSION}:w2",)]
    bare = file_handoff(indexed(script), "upload.py", options=BARE)
    assert [section.title for section in bare.sections()] == ["File", "Last Known State"]


def test_no_file_and_several(two_sessions: Snapshot) -> None:
    with pytest.raises(MemtuiError, match=r"^No session touched a file 'load\.py'\.$"):
        file_handoff(two_sessions, "load.py")
    with pytest.raises(MemtuiError, match=r"^2 files are called 'upload\.py': "):
        file_handoff(two_sessions, "upload.py")
    with pytest.raises(MemtuiError, match=r"^No session touched"):
        file_handoff(two_sessions, "src/upload.py", root="/elsewhere")


@pytest.mark.parametrize("room", [1_500, HandoffOptions().max_tool_context_chars])
def test_every_sample_session_can_be_handed_on_and_keeps_to_its_room(sample_index: Path, room: int) -> None:
    snapshot = Snapshot(DataDir(sample_index))
    found = list_sessions(snapshot)
    omitted = 0
    for session in found:
        made = handoff(snapshot, session.key, options=HandoffOptions(max_tool_context_chars=room))
        sections, text = made.sections(), made.text()
        if not session.turns:
            assert (sections, text) == ((), "")
            continue
        results = sections[len(made.lead) :]
        shown = sum(len(one.text) - len(f"## {one.title}\n") - 2 * (len(one.ids) - 1) for one in results)
        assert shown <= made.limit == room
        lost = made.omitted()
        note = [f"… {lost} older tool {'result' if lost == 1 else 'results'} omitted"] if lost else []
        parts = [one.text for one in made.lead] + note + [one.text for one in results]
        assert text == "\n\n".join([BEGIN, *parts, END])
        omitted += lost
    assert (len(found) > 5, omitted > 0) == (True, room == 1_500)
    snapshot.close()


@pytest.mark.spec("S1.9")
def test_a_partial_read_is_shown_with_its_range_and_tells_of_the_full_one(tmp_path: Path) -> None:
    script = Script()
    script.user("Look at it")
    for number, (name, asked, lines) in enumerate(
        (
            ("f.rs", {}, range(1, 21)),
            ("f.rs", {"offset": 10, "limit": 2}, range(10, 12)),
            ("g.rs", {"offset": 3, "limit": 1}, range(3, 4)),
            ("g.rs", {}, range(1, 3)),
            ("h.rs", {"offset": 5}, range(5, 7)),
        ),
        1,
    ):
        script.calls("Read", {"file_path": f"/home/ana/code/shop/{name}", **asked}, f"t{number}")
        script.result("\n".join(f"{line:6}→line {line}" for line in lines), f"t{number}")
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    text = index.handoffs.of_session(index.sessions.find(SESSION).key).text()
    assert text.partition("## Files Read\n")[2] == (
        "### /home/ana/code/shop/f.rs (lines 10-11)\nearlier full read omitted (call t1)\n"
        "```rust\nline 10\nline 11\n```\n\n"
        "### /home/ana/code/shop/g.rs\n```rust\nline 1\nline 2\n```\n\n"
        "### /home/ana/code/shop/h.rs (lines 5-6)\n```rust\nline 5\nline 6\n```\n\n"
        "[/CONTEXT FROM PREVIOUS SESSION]"
    )
