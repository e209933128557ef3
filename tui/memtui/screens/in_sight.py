"""The classes that decide which panes are in sight."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget


def set_in_sight(node: Widget, on: bool, *names: str) -> None:
    """Give the screen, or a part of it, classes that only its panes are styled by, or take them away.

    Textual would look up the styles of every widget below: 90 of them, of which the panes are a third, with each key
    that leads elsewhere.
    """
    if all(node.has_class(name) == on for name in names):
        return
    node.set_class(on, *names, update=False)
    if node.is_mounted:
        restyle_panes(node.screen)


def restyle_panes(screen: Screen[object]) -> None:
    """Look up the styles of the panes anew."""
    panes, left = screen.query_one("#panes"), screen.query_one("#left")
    screen.app.stylesheet.update_nodes([panes, *panes.children, *left.children])
