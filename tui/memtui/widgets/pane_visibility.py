"""Classes that decide which panes are visible, set without an update of the styles inside the panes."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.widget import Widget


def add_width_class(screen: Screen[Any]) -> None:
    """Add the class of `HORIZONTAL_BREAKPOINTS` for the terminal, to be called before the widgets exist.

    Textual adds it after the first paint, and then styles all widgets again.
    """
    names = [name for least, name in screen.HORIZONTAL_BREAKPOINTS or () if screen.app.size.width >= least]
    screen.add_class(names[-1], update=False)


def set_pane_class(node: Widget, on: bool, name: str) -> None:
    """Set or remove a class of the screen, of a pane or of a container of panes; only the styles of panes may use it.

    Textual would update the styles of all widgets below `node`, most of which are inside panes: this takes longer than
    everything else that a key does.
    """
    if node.has_class(name) == on:
        return
    node.set_class(on, name, update=False)
    if node.is_mounted:
        containers = [node.screen.query_one(selector) for selector in ("#panes", "#left", "#reader")]
        panes = (pane for container in containers for pane in container.children)
        nodes = dict.fromkeys((*containers, *panes, *node.children))
        node.app.stylesheet.update_nodes(nodes)
