"""Classes that decide which panes are visible, set without restyling what lies inside the panes."""

from __future__ import annotations

from textual.widget import Widget


def set_pane_class(node: Widget, on: bool, name: str) -> None:
    """Set or remove a class of the screen, of a pane or of what holds panes, that only panes are styled by.

    Textual would look up the styles of every widget below `node`, and most of them lie within panes: that takes longer
    than all else that happens at a key.
    """
    if node.has_class(name) == on:
        return
    node.set_class(on, name, update=False)
    if node.is_mounted:
        holders = (node.screen.query_one("#panes"), node.screen.query_one("#left"), node.screen.query_one("#reader"))
        nodes = dict.fromkeys((*holders, *(pane for holder in holders for pane in holder.children), *node.children))
        node.app.stylesheet.update_nodes(nodes)
