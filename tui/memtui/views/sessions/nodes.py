"""Bringing the rows below a node of a tree up to date, without closing what is open below them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from textual.widgets.tree import TreeNode

T = TypeVar("T")


def reconcile(
    parent: TreeNode[T],
    items: Sequence[T],
    key: Callable[[T], Hashable],
    opens: Callable[[T], bool],
    limit: int,
) -> bool:
    """Make the children of a node these, in this order; False when more than `limit` are new and some still lack.

    A node is known again by the key of what it stands for, and keeps what is open below it also where it moves.
    """
    wanted = {key(item) for item in items}
    for child in list(parent.children):
        if child.data is None or key(child.data) not in wanted:
            child.remove()
    known = {key(child.data): child for child in parent.children if child.data is not None}
    for index, item in enumerate(items):
        node = known.get(key(item))
        if node is None:
            if not limit:
                return False
            limit -= 1
            parent.add("", item, before=index, allow_expand=opens(item))
            continue
        if parent.children[index] is not node:
            node = _move(node, parent, index)
        if node.data != item:
            node.data = item
            node.allow_expand = opens(item)
            node.refresh()
    return True


def walk(node: TreeNode[T]) -> Iterator[TreeNode[T]]:
    """All nodes below one."""
    for child in node.children:
        yield child
        yield from walk(child)


def _move(node: TreeNode[T], parent: TreeNode[T], index: int) -> TreeNode[T]:
    """Put a node elsewhere. A tree can only add and remove: it is a new node that looks the same."""
    moved = _copy(node, parent, index)
    node.remove()
    return moved


def _copy(node: TreeNode[T], parent: TreeNode[T], index: int) -> TreeNode[T]:
    new = parent.add("", node.data, before=index, expand=node.is_expanded, allow_expand=node.allow_expand)
    for place, child in enumerate(node.children):
        _copy(child, new, place)
    return new
