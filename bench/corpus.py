"""Transcripts to measure on: a folder as it is, or several times over as different sessions."""

from __future__ import annotations

from pathlib import Path

_KEYS = (b'"uuid":"', b'"parentUuid":"', b'"sessionId":"')


def copies(source: Path, times: int, target: Path) -> Path:
    """The source, or a folder that holds it `times` times with ids of their own, so that nothing counts as a copy."""
    if times == 1:
        return source
    for number in range(times):
        for path in sorted(source.rglob("*.jsonl")):
            data = path.read_bytes()
            for key in _KEYS:
                data = data.replace(key, key + b"%d-" % number)
            copy = target / str(number) / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
    return target


def lines(source: Path) -> list[bytes]:
    """Every line of every transcript."""
    found: list[bytes] = []
    for path in sorted(source.rglob("*.jsonl")):
        found += path.read_bytes().splitlines()
    return found


def size(source: Path) -> int:
    """Bytes of all transcripts."""
    return sum(path.stat().st_size for path in source.rglob("*.jsonl"))
