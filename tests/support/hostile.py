"""A transcript in which everything that a transcript can say tries to act on the terminal."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final

from support.transcripts import SESSION, Script

MARK: Final = "zqx"
"""Stands in every name and in every attack, so that both are found in what a program wrote."""
NUMBER: Final = "31337"
"""A parameter that no program of ours gives to a control sequence."""
BIDI: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ATTACKS: Final = (
    f"\x1b]0;{MARK}title\x07\x1b]52;c;{MARK}clip\x07\x1b]8;;{MARK}link\x1b\\\x1bP{MARK}dcs\x1b\\\x1b_{MARK}apc\x1b\\"
    f"\x1b[2J\x1b[{NUMBER}J\x1b[?{NUMBER}h\x1bc\x1b(0\x9b{NUMBER}J\x9d0;{MARK}osc\x9c\x90{MARK}dcs\x9c"
    f"\x07\x08\x08\x0e\x7f\x85\x84{BIDI}\u2028{MARK}\u2029\ufeff\x1b]0;{MARK}open"
)
"""Complete and incomplete sequences of 7 and 8 bits, single controls, marks that reorder text, line separators."""
SHORT: Final = f"\x1b]0;{MARK}t\x07\x9b{NUMBER}J\x07\x08\u202e\u2028\x1b[{NUMBER}J"
"""The same for the name of a file, which may have 255 bytes and no slash."""
IN_PATH: Final = f"\x9b{NUMBER}J\x9d0;{MARK}osc\x9c\x85\u202e\u2066\u2028\x9b{NUMBER}J"
"""The same for the path of a file that is to be listed: one with C0 controls is taken for no path."""
ENTITIES: Final = "&#x202e;&#x2066;&#x2028;&#x9b;&#27;]0;&#7;&#x85;"
"""The same in Markdown, which stands for characters by their numbers."""
LIE: Final = f"https://a.example/{MARK}"
TARGET: Final = f"https://b.example/{MARK}"
"""The target of a link whose text is another address."""
JOINED: Final = "👩‍👩‍👧"
"""What must come through as it is: joiners are no marks that reorder text."""
OTHER: Final = "22222222-2222-4222-8222-222222222222"
UNSAFE: Final = frozenset(
    chr(code)
    for code in range(0x11000)
    if (unicodedata.category(chr(code)) in {"Cc", "Zl", "Zp", "Cs"} and chr(code) not in "\t\n")
) | frozenset(BIDI)
"""What no output may hold; said by Unicode, not by the code under test."""
_CODES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|(?P<string>\x1b[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\))"
)


def named(name: str, attack: str = ATTACKS) -> str:
    """A hostile text that begins and ends with its own name: `branchzqx … zqxbranch`."""
    return f"{name}{MARK} {attack} {MARK}{name}"


ROOT: Final = f"/home/ana/code/{named('root', IN_PATH)}"
"""The folder of the hostile session's project."""


def write_sessions(projects: Path) -> None:
    """Three sessions of Claude Code in a new folder.

    One is hostile in all that it says, one also in its id and its file's folder, and one can be resumed, in a folder
    that is made beside `projects`.
    """
    path = f"{ROOT}/src/{named('path', IN_PATH)}.py"
    script = Script(SESSION, cwd=ROOT)
    facts = {"gitBranch": named("branch"), "version": named("version")}
    script.user(f"{JOINED} {named('prompt')}\nsecond line {named('line')}", **facts)
    _said(script, {"type": "thinking", "thinking": named("thinking"), "signature": "c2ln"})
    _said(
        script, {"type": "text", "text": f"# {named('heading')}\n\n[{named('link')}](https://e.example/{named('url')})"}
    )
    _said(
        script,
        {
            "type": "text",
            "text": f"entity{MARK} [{LIE}]({TARGET}) {ENTITIES} **{ENTITIES}** `{ENTITIES}` ![{ENTITIES}](a.png)",
        },
    )
    _call(script, "Edit", {"file_path": path, "old_string": named("old"), "new_string": named("new")}, "t1")
    script.result(named("output"), "t1")
    _call(script, "Read", {"file_path": path}, "t2")
    script.result(f"1\t{named('content')}", "t2")
    _call(script, "Read", {"file_path": f"{ROOT}/{named('nearest', IN_PATH)}/near{MARK}.py"}, "t5")
    script.result("1\tpass", "t5")
    _call(script, "Bash", {"command": f"make {named('command')}", "description": named("described")}, "t3")
    script.result(f"error: no such page, {named('failure')}", "t3", error=True)
    _call(script, named("tool"), {named("key"): named("argument"), "path": path}, named("id"))
    script.result(named("answer"), named("id"))
    todo = {"content": named("todo"), "status": named("status"), "activeForm": named("doing")}
    _call(script, "TodoWrite", {"todos": [todo]}, "t4")
    script.result("ok", "t4")
    meta = {"trigger": named("trigger"), "preTokens": 150_000}
    script.entry("system", subtype="compact_boundary", content=named("boundary"), compactMetadata=meta)
    begun = "This session is being continued from a previous conversation that ran out of context."
    script.user(f"{begun} {named('summary')}", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    _said(script, {"type": "text", "text": f"decision: we keep {named('kept')}"})
    # The last line names the branch and the version of a session.
    script.user(f"<local-command-stdout>{named('printed')}</local-command-stdout>", **facts)
    link = {"type": "pr-link", "sessionId": SESSION, "timestamp": "2026-11-01T10:00:00Z", "prNumber": 7}
    script.raw({**link, "prUrl": f"https://e.example/{named('prurl')}", "prRepository": named("repository")})
    script.raw({"type": "summary", "summary": named("sumtitle"), "leafUuid": "e1"})
    script.raw({"type": "ai-title", "aiTitle": named("aititle"), "sessionId": SESSION})
    script.raw({"type": "custom-title", "customTitle": named("title"), "sessionId": SESSION})
    script.write(projects / "-home-ana-code-root")
    other = Script(named("session"), cwd="", prefix="o")
    other.user(ATTACKS.partition("\x07\x08")[0])
    _said(other, {"type": "text", "text": named("said")})
    other.lines.append(b"{" + named("broken").encode())
    other.write(projects / f"-home-ana-{named('folder', SHORT)}", f"{named('file', SHORT)}.jsonl")
    folder = projects.parent / named("other", SHORT)
    folder.mkdir()
    nameless = Script(OTHER, cwd=str(folder), prefix="n")
    nameless.user("\x1b[2J\u202e\x07")
    nameless.user(f"resumed{MARK}")
    nameless.write(projects / "-home-ana-code-other")


def _said(script: Script, block: dict[str, object]) -> None:
    message = {"role": "assistant", "model": named("model"), "content": [block], "id": f"m{script.count}"}
    script.entry("assistant", message={**message, "usage": {"input_tokens": 10, "output_tokens": 5}})


def _call(script: Script, name: str, arguments: dict[str, object], call_id: str) -> None:
    _said(script, {"type": "tool_use", "id": call_id, "name": name, "input": arguments})


def attacks_in(written: bytes) -> list[str]:
    """What a terminal would obey in what a program wrote, beside the control sequences that it writes on purpose.

    Those may be in it whole: none with a text of the transcript, and of strings such as OSC none at all. What is left
    holds nothing unsafe but the carriage returns of line ends and of the cursor.
    """
    text = written.decode("utf-8", "replace").replace("\x1b[?2026$p", "")
    found = [
        repr(match[0][:60])
        for match in _CODES.finditer(text)
        if MARK in match[0] or NUMBER in match[0] or match["string"]
    ]
    rest = _CODES.sub("", text).replace("\r", "")
    for place, character in enumerate(rest):
        if character in UNSAFE:
            found.append(f"{character!r} in {rest[max(0, place - 30) : place + 30]!r}")
    return found


def shown_in(written: bytes) -> str:
    """What a program wrote without control sequences."""
    return _CODES.sub("", written.decode("utf-8", "replace"))
