"""Updating the children of a tree node without folding them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from textual.widgets.tree import TreeNode

T = TypeVar("T")


def reconcile(
    parent: TreeNode[T],
    items: Sequence[T],
    key: Callable[[T], Hashable],
    can_expand: Callable[[T], bool],
    limit: int,
) -> bool:
    """Make `items` the children of a node, in this order.

    A child with the same key as an item is kept with its own children, also if it moves. Returns False after adding
    `limit` new children if more are missing.
    """
    keys = {key(item) for item in items}
    for child in list(parent.children):
        if child.data is None or key(child.data) not in keys:
            child.remove()
    existing = {key(child.data): child for child in parent.children if child.data is not None}
    for index, item in enumerate(items):
        node = existing.get(key(item))
        if node is None:
            if not limit:
                return False
            limit -= 1
            parent.add("", item, before=index, allow_expand=can_expand(item))
            continue
        if parent.children[index] is not node:
            node = _move(node, parent, index)
        if node.data != item:
            node.data = item
            node.allow_expand = can_expand(item)
            node.refresh()
    return True


def walk(node: TreeNode[T]) -> Iterator[TreeNode[T]]:
    """All descendants of a node, from the top down."""
    for child in node.children:
        yield child
        yield from walk(child)


def _move(node: TreeNode[T], parent: TreeNode[T], index: int) -> TreeNode[T]:
    """Move a node by a copy, since a tree can only add and remove nodes."""
    moved = _copy(node, parent, index)
    node.remove()
    return moved


def _copy(node: TreeNode[T], parent: TreeNode[T], index: int) -> TreeNode[T]:
    new = parent.add("", node.data, before=index, expand=node.is_expanded, allow_expand=node.allow_expand)
    for position, child in enumerate(node.children):
        _copy(child, new, position)
    return new
