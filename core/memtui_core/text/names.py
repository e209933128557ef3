"""Names and titles that tell similar things apart.

Of projects with the same name the folder that differs is shown. Titles of sessions whose prompts begin with the same
text say only what differs: a program that starts sessions gives each the same instructions of some thousand characters,
and something of its own at their end. Nor does it matter what such a program says of the role of the agent.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final, Self

from memtui_core.text.controls import Label, label, one_line, stored
from memtui_core.text.machine_folders import folder_of, machine_of
from memtui_core.text.markdown.plain import plain_line


class TitleRank(IntEnum):
    """The sources of a title, by increasing trust."""

    NONE = 0
    LAST_PROMPT = 1
    FIRST_PROMPT = 2
    SUMMARY = 3
    AGENT_NAME = 4
    AI = 5
    CUSTOM = 6


MIN_SHARED: Final = 40
"""The fewest characters of a common beginning; a shorter one is left in the title."""
SKIPPED: Final = "… "
"""What a title starts with if the beginning of the prompt is skipped."""
_MAX_LEAD: Final = 24
"""The most characters of common words that stay before the first word that differs."""
_LINES: Final = 4
"""Lines of a prompt that a title can be made of."""
TITLE_LENGTH: Final = 100
"""The most characters of a title."""
_ROLE: Final = re.compile(
    r"(?:(?:You are|You're|Your name is)\b(?:[^.!?]|[.!?](?=\S))*[.!?]\s+)+(?:Your task is(?: to)?:?\s+)?(?=\S+\s+\S)"
)
"""Sentences at the beginning of a prompt that say who the agent is, before one that says what it is to do."""
_SEPARATORS: Final = (": ", ". ", "; ", "? ", "! ", " | ", " — ")
_GAP: Final = ""
"""A line that stands for skipped text."""
_Prompt = tuple[str, ...]
"""The lines of a prompt, without blank ones."""


def without_markup(title: str) -> str:
    """A title without the markup of Markdown; what consists of nothing else stays."""
    lead = SKIPPED if title.startswith(SKIPPED) else ""
    rest = title.removeprefix(lead)
    return lead + (plain_line(rest) or rest)


def telling_titles(prompts: Sequence[str], longest: int = TITLE_LENGTH) -> list[str | None]:
    """For each prompt a title of the lines and words that the prompts like it do not have, cut to `longest` characters.

    A prompt that begins as no other one does, and one that has nothing of its own, lose only the role of the agent.
    None for those without a role.
    """
    clean = lru_cache(maxsize=1_000)(one_line)  # most lines are in all prompts
    whole = [tuple(filter(None, map(clean, prompt.splitlines()))) for prompt in prompts]
    parts = {prompt: prompt for prompt in whole}
    while rest := _without_shared(parts):
        parts |= rest
    own = [_title(parts[prompt], longest) if parts[prompt] != prompt else None for prompt in whole]
    return [title or _without_role(prompt, longest) for title, prompt in zip(own, whole, strict=True)]


def has_role(prompt: str) -> bool:
    """Whether a prompt, or the beginning of one, says first who the agent is."""
    return prompt.startswith(("You are ", "You're "))


def without_role(text: str) -> str:
    """A prompt on one line without what it says first of the role of the agent; `…` stands for that."""
    role = _ROLE.match(text)
    return SKIPPED + text[role.end() :] if role else text


def _without_role(lines: _Prompt, longest: int) -> str | None:
    text = " ".join(lines[: 2 * _LINES])
    rest = without_role(text)
    return one_line(rest, longest) if rest != text else None


def _title(lines: _Prompt, longest: int) -> str | None:
    """The lines as one, with `·` where text between them is skipped; None if nothing is left."""
    sections = [""]
    for line in lines[: 2 * _LINES]:
        if line == _GAP:
            sections.append("")
        else:
            sections[-1] += f" {line}"
    text = " · ".join(section.strip() for section in sections if section)
    return one_line(SKIPPED + text, longest) if text else None


def _without_shared(parts: dict[_Prompt, _Prompt]) -> dict[_Prompt, _Prompt]:
    """The prompts that lose something, with what is left of them."""
    left: dict[_Prompt, _Prompt] = {}
    for cluster in _clusters(set(parts.values())):
        left |= zip(cluster, _own_words(cluster), strict=True)
    return {prompt: left[part] for prompt, part in parts.items() if left.get(part, part) != part}


def _clusters(prompts: Collection[_Prompt]) -> Iterator[list[_Prompt]]:
    """The prompts that begin alike, if there are at least two."""
    cluster: list[_Prompt] = []
    before = ""
    for text, prompt in sorted((" ".join(filter(None, prompt)), prompt) for prompt in prompts):
        if cluster and shared_beginning(before, text) < MIN_SHARED:
            if len(cluster) > 1:
                yield cluster
            cluster = []
        cluster.append(prompt)
        before = text
    if len(cluster) > 1:
        yield cluster


def _own_words(prompts: Sequence[_Prompt]) -> list[_Prompt]:
    """The prompts without the lines that more than half of them have, and without words that begin other lines, too."""
    counts = Counter(line for prompt in prompts for line in set(prompt))
    shared = {line for line, count in counts.items() if 2 * count > len(prompts)}
    own = [_own_lines(prompt, shared) for prompt in prompts]
    pool = [(line, -1) for line in shared]
    pool += {(line, number) for number, lines in enumerate(own) for line in lines[: 2 * _LINES] if line != _GAP}
    pool.sort()
    return [tuple(_own_ends(lines, number, pool)) for number, lines in enumerate(own)]


def _own_lines(prompt: _Prompt, shared: Collection[str]) -> list[str]:
    """The lines that are not shared, with one gap for those before and between them."""
    own: list[str] = []
    for line in prompt:
        if line == _GAP or line in shared:
            if not own or own[-1] != _GAP:
                own.append(_GAP)
        else:
            own.append(line)
    return own


def _own_ends(lines: Sequence[str], number: int, pool: Sequence[tuple[str, int]]) -> Iterator[str]:
    """The lines, the first ones from their first word that the nearest lines of other prompts do not have."""
    for index, line in enumerate(lines):
        start, end = _skipped(line, number, pool) if line != _GAP and index < 2 * _LINES else (0, 0)
        if start and (not index or lines[index - 1] != _GAP):
            yield _GAP
        lead = line[start:end]
        yield f"{_few_words(lead)} {SKIPPED}{line[end:]}" if lead else line[start:]


def _skipped(line: str, number: int, pool: Sequence[tuple[str, int]]) -> tuple[int, int]:
    """Where a line that begins as other ones is cut: the start of the sentence or value in which it begins to differ.

    The second number is the end of what is skipped within this sentence, if it begins far from the difference;
    otherwise the same. (0, 0) for a line that is shared as a whole: some of it has to stay.
    """
    place = bisect_left(pool, (line, number))
    before = next((text for text, owner in reversed(pool[max(0, place - _LINES) : place]) if owner != number), "")
    after = next((text for text, owner in pool[place + 1 : place + 1 + _LINES] if owner != number), "")
    shared = max(shared_beginning(line, before), shared_beginning(line, after))
    if shared >= len(line):
        return 0, 0
    start = max(line.rfind(mark, 0, shared) + len(mark) if mark in line[:shared] else 0 for mark in _SEPARATORS)
    return start, start if shared - start <= _MAX_LEAD else line.rfind(" ", 0, shared) + 1


def _few_words(text: str) -> str:
    """The first words of a text, at least one, up to what is skipped already."""
    text = text.partition(f" {SKIPPED}")[0]
    cut = text.rfind(" ", 0, _MAX_LEAD)
    return text[:cut] if cut > 0 else text.split(" ", 1)[0]


def shared_beginning(one: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


class ProjectName(Label):
    """The name of a project that is not the only one of this name: `shop · ana`."""

    name: str
    folder: str
    """The part of its path that tells it from the others."""

    def __new__(cls, name: str, folder: str) -> Self:
        """A name with a folder; `raw` is the name in the index."""
        instance = super().__new__(cls, f"{name} · {folder}", stored(name))
        instance.name, instance.folder = name, folder
        return instance


def shown_names(projects: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The names of all projects, as they are shown, by their roots and names in the index."""
    by_name: dict[str, list[str]] = {}
    for root, name in sorted(set(projects)):
        by_name.setdefault(name, []).append(root)
    return {
        (root, name): ProjectName(label(name), label(folder)) if folder else label(name)
        for name, roots in by_name.items()
        for root, folder in zip(roots, _telling_folders(roots), strict=True)
    }


def _telling_folders(roots: Sequence[str]) -> list[str]:
    """What tells projects of the same name apart: the other machine, and the folder if a machine has several."""
    by_machine: dict[str, list[str]] = {}
    for root in roots:
        by_machine.setdefault(machine_of(root), []).append(root)
    folders: dict[str, str] = {}
    for machine, own in by_machine.items():
        distinct = distinct_folders([folder_of(root) for root in own]) if len(own) > 1 else [""]
        mark = machine if len(roots) > 1 else ""
        folders |= {root: ":".join(filter(None, (mark, one))) for root, one in zip(own, distinct, strict=True)}
    return [folders[root] for root in roots]


def distinct_folders(paths: Sequence[str]) -> list[str]:
    """For paths that end in the same folder, the shortest part of each that tells it from the others.

    A folder that no other path has, the nearest to the end; else as many of the last ones as are needed.
    """
    split = [path.split("/")[:-1] for path in paths]
    return [_distinct(folders, [other for other in split if other is not folders]) for folders in split]


def _distinct(folders: Sequence[str], others: Sequence[Sequence[str]]) -> str:
    foreign = {folder for other in others for folder in other}
    for folder in reversed(folders):
        if folder and folder not in foreign:
            return folder
    for count in range(2, len(folders)):
        if all(list(other[-count:]) != list(folders[-count:]) for other in others):
            return "/".join(folders[-count:])
    return "/".join(folders)
