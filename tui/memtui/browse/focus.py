"""The focus among the panes of the main screen."""

from __future__ import annotations

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from memtui.browse.controllers import handles
from memtui.browse.frame import ViewFrame
from memtui.views.base import View
from memtui.widgets.inspector.rail import InspectorRail
from memtui.widgets.search.bar import SearchBar


class PaneFocus:
    """Goes from pane to pane, and back to the one that had the focus before, also in views that are not shown."""

    def __init__(self, screen: Screen[None], frame: ViewFrame, bar: SearchBar) -> None:
        self._screen = screen
        self._frame = frame
        self._bar = bar
        self._last: Widget | None = None
        """The pane of the chosen view that had the focus last."""
        self._by_view: dict[str, Widget] = {}
        """The panes that had the focus in the views that are not shown, by their names."""

    def go_to(self, pane: Widget) -> None:
        """Focus a pane, and show it if only one fits."""
        self._frame.panes.enter(pane)
        pane.focus()

    @handles(events.DescendantFocus)
    def moved(self, event: events.DescendantFocus) -> None:
        """Take the widget that has got the focus, and make it visible."""
        frame, view, widget = self._frame, self._frame.chosen_view, event.widget
        if frame.list_pane.is_empty and frame.list_pane in widget.ancestors:
            # Its rows have gone since it was to be focused.
            self._screen.set_focus(None)
            return
        frame.panes.enter(widget)
        if not frame.is_searching and not {view, view.banner, frame.reader}.isdisjoint(widget.ancestors_with_self):
            self._last = widget

    def return_to_list(self) -> None:
        """Go back from the line, the saved searches or the hits to the pane that had the focus before."""
        self.go_to(self._reachable(self._last) or self._frame.list_pane.focus_target)

    def action_pane(self, step: int) -> None:
        """Focus the next pane (1) or the previous one (-1)."""
        # The saved searches come and go with the focus of the line, so they are no pane of their own.
        reader, view = self._frame.reader, self._frame.text_view
        panes: list[Widget] = [self._bar]
        if not view.is_empty:
            panes += view.panes
        if view.SHARE is not None:
            panes += view.detail_targets or (reader.transcript,)
            if reader.inspector.display:
                panes.append(reader.inspector)
        focused = self._screen.focused
        current = panes.index(focused) if focused in panes else 0
        pane = panes[(current + step) % len(panes)]
        if pane is not self._bar:
            # It is visible before it gets the focus: `lost` leaves a hidden pane without it.
            self._frame.list_searches(False)
        self.go_to(pane)

    def leave_view(self) -> None:
        """Keep the pane that has the focus: another view is about to be shown."""
        frame, focused = self._frame, self._screen.focused
        if focused is not None and not {frame.chosen_view, frame.reader}.isdisjoint(focused.ancestors):
            self._by_view[frame.name] = focused
        if frame.list_pane is not frame.chosen_view:
            self._by_view.pop(frame.name, None)
        self._last = None

    def target_in(self, view: View) -> Widget:
        """The pane that had the focus when a view was left, or else its list."""
        return self._reachable(self._by_view.get(view.view_name)) or view.focus_target

    def _reachable(self, pane: Widget | None) -> Widget | None:
        """A pane that had the focus, made visible; None if something else has taken its place."""
        if pane is None:
            return None
        # It may be hidden only because there is no room for it beside another one.
        self._frame.panes.enter(pane)
        return pane if _is_visible(pane) else None

    @handles(View.FocusRequested)
    def focus_requested(self, message: View.FocusRequested) -> None:
        """Focus a pane that a view asks for, unless another list is shown by now."""
        frame, pane = self._frame, message.pane
        if not {frame.list_pane, frame.list_pane.banner, frame.reader}.isdisjoint(pane.ancestors_with_self):
            self.go_to(pane)

    def lost(self, pane: Widget | None) -> None:
        """Focus a pane again that has lost the focus while it was hidden for a moment; otherwise mark no pane."""
        if pane is not None and _is_visible(pane):
            pane.focus()
        else:
            self._frame.panes.enter(None)

    def list_replaced(self) -> None:
        """Focus the list that is shown, if it has replaced the one that had the focus."""
        focused = self._screen.focused
        if focused is not None and self._frame.lists in focused.ancestors:
            self.go_to(self._frame.list_pane.focus_target)

    @handles(View.EmptyChanged)
    def view_emptied(self, message: View.EmptyChanged) -> None:
        """Leave a view that shows its text for an empty list, or enter it when it has its list again."""
        view = message.view
        if view is not self._frame.list_pane:
            return
        if view.is_empty and view.has_focus_within:
            # Otherwise keys would go to a widget that is not visible.
            self._screen.set_focus(None)
        elif not view.is_empty and self._screen.focused is None and not self._frame.is_searching:
            self.go_to(view.focus_target)

    def action_inspector(self) -> None:
        """Show or hide the inspector, beside the transcript or in a narrower terminal in its place."""
        pane = self._frame.panes.toggle_inspector()
        if pane is not None:
            self.go_to(pane)

    @handles(InspectorRail.TabRequested)
    def tab_requested(self, message: InspectorRail.TabRequested) -> None:
        """Show a tab of the inspector."""
        if message.tab is not None:
            self._frame.reader.inspector.tab = message.tab
        self.action_inspector()


def _is_visible(pane: Widget) -> bool:
    """Whether a pane and all that contains it are displayed."""
    return pane.is_attached and all(node.display for node in pane.ancestors_with_self[:-1])
