"""The changes that mutmut makes to a module."""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace


@dataclass(frozen=True, slots=True)
class Change:
    """One small change to one module."""

    path: str
    """Relative to the checkout."""
    line: int
    """The first line that differs, counted from 1."""
    code: str
    """The whole module, changed."""
    diff: str


@dataclass(frozen=True, slots=True)
class ChangeablePlace:
    """A node of a module that can be changed in one or more ways."""

    path: str
    module: libcst.Module
    mutations: Sequence[Mutation]

    def change(self, chance: random.Random) -> Change:
        """One of the ways."""
        mutation = chance.choice(self.mutations)
        changed = deep_replace(self.module, mutation.original_node, mutation.mutated_node)
        assert isinstance(changed, libcst.Module)
        lines = list(difflib.unified_diff(self.module.code.splitlines(), changed.code.splitlines(), lineterm="", n=0))
        first = lines[2].split()[1]  # @@ -12,3 +12 @@
        return Change(self.path, int(first.lstrip("-").partition(",")[0]), changed.code, "\n".join(lines[2:]))


def places(root: Path, path: Path) -> list[ChangeablePlace]:
    """What can be changed in a module."""
    name = path.relative_to(root).as_posix()
    module, mutations, _, _ = create_mutations(name, path.read_text(encoding="utf-8"))
    by_node: dict[int, list[Mutation]] = {}
    for mutation in mutations:
        by_node.setdefault(id(mutation.original_node), []).append(mutation)
    return [ChangeablePlace(name, module, found) for found in by_node.values()]
