"""Transcripts to measure on: a folder as it is, or several times over as different sessions."""

from __future__ import annotations

import re
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "sample_sessions" / "projects"
"""The sample sessions of Claude Code, on which benches measure if they are given no others."""
_ID = re.compile(rb'("(?:uuid|parentUuid|logicalParentUuid|leafUuid|sessionId|agentId)": ?")[^"]')
_NAME = re.compile(r"^(agent-)?.")


def copies(source: Path, times: int, target: Path) -> Path:
    """The source, or a folder that holds it `times` times with ids of their own, so that nothing counts as a copy."""
    if times == 1:
        return source
    for number in range(times):
        for path in sorted(source.rglob("*.jsonl")):
            data = _ID.sub(rb"\g<1>%d" % number, path.read_bytes())
            folder = target / str(number) / path.relative_to(source).parent
            copy = folder / _NAME.sub(rf"\g<1>{number}", path.name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
    return target


def size(source: Path) -> int:
    """Bytes of all transcripts."""
    return sum(path.stat().st_size for path in source.rglob("*.jsonl"))
