"""What people and formatters do to a file after the agents: each change keeps who wrote which line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

from bench.blame.replay import TrueLine

_COMMON: Final = ("", "}", "    }", "end", "    pass", "        return None", "  </div>", ");", "---")


def untouched(lines: list[TrueLine], random: Random) -> list[TrueLine]:
    """The file as the agents left it."""
    return lines


def typed(lines: list[TrueLine], random: Random) -> list[TrueLine]:
    """A tenth more lines by hand: new ones, copies of others, and common ones; some others changed or deleted."""
    result: list[TrueLine] = []
    for line in lines:
        chance = random.random()
        if chance < 0.05:
            continue
        result.append(line if chance > 0.1 else TrueLine(f"{line.text}  # {random.randrange(10**6)}"))
        if random.random() < 0.1:
            copied = lines[random.randrange(len(lines))].text
            result.append(
                TrueLine(random.choice((f"by hand {random.randrange(10**6)}", copied, random.choice(_COMMON))))
            )
    return result


def moved(lines: list[TrueLine], random: Random) -> list[TrueLine]:
    """A few blocks of lines are somewhere else."""
    result = list(lines)
    for _ in range(max(1, len(lines) // 100)):
        start, size = random.randrange(len(result)), random.randrange(2, 20)
        block = [replace(line, is_moved=True) for line in result[start : start + size]]
        del result[start : start + size]
        at = random.randrange(len(result) + 1)
        result[at:at] = block
    return result


def formatted(lines: list[TrueLine], random: Random) -> list[TrueLine]:
    """Some blocks are indented further, and a line in ten is broken in two."""
    result: list[TrueLine] = []
    depth = 0
    for line in lines:
        if random.random() < 0.03:
            depth = random.choice((0, 4))
        text = line.text or ""
        if depth and text:
            result.append(TrueLine(" " * depth + text, line.owner, is_moved=True))
        elif len(text) > 40 and random.random() < 0.3:
            result += [TrueLine(text[:30], line.owner, is_moved=True), TrueLine(" " * 8 + text[30:], line.owner, True)]
        else:
            result.append(line)
    return result


def all_at_once(lines: list[TrueLine], random: Random) -> list[TrueLine]:
    """All of it, one after another."""
    return formatted(moved(typed(lines, random), random), random)


CHANGES: Final[dict[str, Callable[[list[TrueLine], Random], list[TrueLine]]]] = {
    "untouched": untouched,
    "typed by hand": typed,
    "moved": moved,
    "formatted": formatted,
    "all of it": all_at_once,
}
