"""Invented sessions of Oh My Pi: a patch, and a subagent with a file of its own."""

from __future__ import annotations

import json

from .clocks import Json, as_lines
from .pi_sessions import PiScript, call

_SITE = "019a94c2-1b30-7d02-a6f5-9e3c7b10c003"
_CHILD = "019a94c2-9f41-7e13-8c07-2d4b6a20c004"
_FOLDER = "omp/agent/sessions/-code-site"
_NAME = f"2026-11-04T14-20-00-000Z_{_SITE}"
_CWD = "/home/ana/code/site"
_SLOT = 256
"""The length of the first line, which is rewritten in place."""


def _slot(title: str, at: str) -> str:
    entry = {"type": "title", "v": 1, "title": title, "source": "auto", "updatedAt": at, "pad": ""}
    length = len(json.dumps(entry, separators=(",", ":"))) + 1
    return as_lines([entry | {"pad": " " * (_SLOT - length)}])


def _parent() -> PiScript:
    script = PiScript(_SITE, "2026-11-04T14:20:00+00:00", _CWD)
    script.add("model_change", model="anthropic/claude-sonnet-4-5")
    script.user("Find out which fonts the pages load, and drop those that nobody sees.")
    item = {"name": "FontFinder", "agent": "scout", "task": "List every font that src/ loads, and where it is used."}
    context = "The site is built from src/ by Eleventy."
    script.answer(call("call_o01", "task", context=context, tasks=[item]), stop="toolUse")
    found = {"id": "FontFinder", "agent": "scout", "task": item["task"], "description": "List the fonts", "exitCode": 0}
    script.result("call_o01", "task", "FontFinder: Lora is loaded and not used.", details={"results": [found]})
    patch = (
        "*** Begin Patch\n*** Update File: src/styles/fonts.css\n@@\n"
        ' @font-face { font-family: "Inter"; src: url(inter.woff2); }\n'
        '-@font-face { font-family: "Lora"; src: url(lora.woff2); }\n*** End Patch'
    )
    script.answer("Lora is not used anywhere.", call("call_o02", "edit", i="Drop Lora", input=patch), stop="toolUse")
    diff = (
        '@@ -1,2 +1,1 @@\n 1|@font-face { font-family: "Inter"; src: url(inter.woff2); }\n'
        '-2|@font-face { font-family: "Lora"; src: url(lora.woff2); }'
    )
    script.result("call_o02", "edit", "Updated src/styles/fonts.css", details={"diff": diff, "op": "update"})
    script.answer("The pages load one font less, 48 kB.")
    script.add("title_change", title="Drop unused fonts", source="auto")
    script.add("custom", customType="session_exit", data={"reason": "dispose", "kind": "normal"})
    return script


def _child() -> PiScript:
    script = PiScript(_CHILD, "2026-11-04T14:21:10+00:00", _CWD, parentSession=_SITE)
    task = "List every font that src/ loads, and where it is used."
    script.add("session_init", systemPrompt="You are a scout.", task=task, tools=["read", "grep"], agent="scout")
    content: list[Json] = [{"type": "text", "text": f"Complete assignment thoroughly:\n\n{task}"}]
    script.message(role="user", content=content, attribution="agent")
    script.answer(call("call_c01", "grep", pattern="font-family", path="src", i="Find fonts"), stop="toolUse")
    script.result("call_c01", "grep", 'src/styles/base.css:3: font-family: "Inter", sans-serif;')
    script.answer("Inter is used in base.css. Lora is loaded in fonts.css and not used.")
    return script


def build() -> dict[str, str]:
    """Return each file with its text."""
    slot = _slot("Drop unused fonts", "2026-11-04T14:23:00.000Z")
    return {
        f"{_FOLDER}/{_NAME}.jsonl": slot + as_lines(_parent().entries),
        f"{_FOLDER}/{_NAME}/FontFinder.jsonl": _slot("", "2026-11-04T14:21:10.000Z") + as_lines(_child().entries),
    }
