"""The results of tool calls: their text, whether they failed, and the patch that was applied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from memtui_core.readers.agents.codex.rollout.script_outputs import readable
from memtui_core.readers.agents.codex.user_text import image_of
from memtui_core.readers.conversion.content import placeholder, result_text
from memtui_core.readers.conversion.json_values import mapping, object_from, string
from memtui_core.readers.conversion.unified_diff import hunks_of

_CODE: Final = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:) (-?\d+)")
_FAILED: Final = ("Script failed", "Script error", "apply_patch verification failed")
_OF_SCRIPT: Final = "custom_tool_call_output"
_HEAD: Final = 400
"""The exit code is searched for in this many characters at the start."""
_SCRIPT_HEAD: Final = re.compile(r"Script \w+[^\n]*\n(?:Wall time [^\n]*\n)?(?:Output:\n)?\s*")


class Output(NamedTuple):
    """The result of a call."""

    text: str
    is_error: bool


def output_of(payload: dict[str, Any]) -> Output:
    """The result in a `function_call_output` or `custom_tool_call_output`."""
    output = payload.get("output")
    failed = payload.get("success") is False or payload.get("status") == "failed"
    if isinstance(output, dict):
        failed = failed or output.get("success") is False
        output = output.get("content", [output])
    code: Any = None
    if isinstance(output, str):
        output, code = _unpacked(output)
    texts = list(_parts(output)) if isinstance(output, list) else [result_text(output)]
    if payload.get("type") == _OF_SCRIPT:
        printed = [_printed(text) for text in texts]
        texts = [text for text, _ in printed]
        failed = failed or any(has_failed for _, has_failed in printed)
    text = "\n".join(texts)
    if not isinstance(code, int):
        match = _CODE.search(text[:_HEAD])
        code = int(match[1]) if match else 0
    return Output(text, failed or code != 0 or text.startswith(_FAILED))


def patch_of(changes: Any) -> list[dict[str, Any]]:
    """The hunks of an applied patch that changes one file; empty for others, whose files could not be told apart."""
    changed = [mapping(change) for change in mapping(changes).values()]
    if len(changed) != 1:
        return []
    diff = string(changed[0].get("unified_diff")) or string(mapping(changed[0].get("update")).get("unified_diff"))
    return hunks_of((diff or "").rstrip("\n"))


def _unpacked(output: str) -> tuple[Any, Any]:
    """The text and the exit code of an output that is JSON: `{"output", "metadata": {"exit_code"}}`."""
    if not output.startswith('{"output"'):
        return output, None
    value = object_from(output)
    if "output" not in value:
        return output, None
    return value["output"], mapping(value.get("metadata")).get("exit_code")


def _parts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if string(mapping(part).get("type")) in {"input_image", "image"}:
            yield placeholder(*image_of(mapping(part)))
        elif text := result_text([part]):
            yield text.rstrip("\n")


def _printed(text: str) -> tuple[str, bool]:
    """What a script printed as text, and whether a tool in it failed."""
    head = _SCRIPT_HEAD.match(text)
    shown, codes = readable(text[head.end() :] if head else text)
    return (head[0] if head else "") + shown, bool(codes)
