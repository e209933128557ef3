"""The classes that decide which panes are in sight."""

from __future__ import annotations

from textual.widget import Widget


def set_pane_class(node: Widget, on: bool, name: str) -> None:
    """Give the screen, or a part of it, a class that only panes are styled by, or take it away.

    Textual would look up the styles of every widget below with each key that leads elsewhere, and two thirds of them
    lie within panes.
    """
    if node.has_class(name) == on:
        return
    node.set_class(on, name, update=False)
    if node.is_mounted:
        panes, left = node.screen.query_one("#panes"), node.screen.query_one("#left")
        node.app.stylesheet.update_nodes([panes, *panes.children, *left.children])
