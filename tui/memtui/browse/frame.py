"""The views and what stands around them: tabs, banners, and the panes with the list and the reader."""

from __future__ import annotations

import asyncio
from importlib import import_module

from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from memtui.browse.controllers import handles
from memtui.browse.panes import Panes
from memtui.browse.reader.pane import SessionReader
from memtui.browse.search.results_view import ResultsView
from memtui.browse.search.searches_view import SearchesView
from memtui.services.app_services import AppServices
from memtui.views import registry
from memtui.views.base import View
from memtui.views.registry import ViewEntry
from memtui.widgets.stack import Stack
from memtui.widgets.view_tabs import ViewTabs


class ViewFrame:
    """Shows one list at a time, in its layout: the chosen view, or in its place the hits or the saved searches.

    Views but the first are imported and mounted when they are first chosen: `load`. All of them at the start would take
    as long as the rest of the screen.
    """

    def __init__(self, screen: Screen[None], services: AppServices) -> None:
        self._screen = screen
        self._services = services
        self._entries = {entry.name: entry for entry in registry.VIEWS}
        self._loading = asyncio.Lock()
        self._imports_views = False
        """Whether the import of the other views has begun."""
        self.results = ResultsView(services)
        self.searches = SearchesView(services)
        entry = registry.VIEWS[0]
        first = self._create(entry)
        self.views = {entry.name: first}
        """The views that were chosen so far."""
        self.name = entry.name
        """Name of the chosen view."""
        self.is_searching = False
        """Whether the hits are shown in the place of the view."""
        self._lists_searches = False
        """Whether the saved searches are listed in the place of the view, until there are hits."""
        self.tabs = ViewTabs(registry.VIEWS)
        self.tabs.view = entry.name
        self.lists = ContentSwitcher(first, self.results, self.searches, id="left", initial=first.id)
        self.reader = SessionReader(services.index, self._session_shown)
        self.panes = Panes(self.lists, self.reader, services.state, first, screen.app.size.width, self._show_banner)
        self._banners: list[Widget] = []
        self.body = Stack(self.panes, id="body")

    def _create(self, entry: ViewEntry) -> View:
        return entry.view_class()(self._services, entry.name)

    async def load(self, name: str) -> View:
        """A view; the first time it is imported and mounted."""
        async with self._loading:
            view = self.views.get(name)
            if view is None:
                view = self._create(self._entries[name])
                view.display = False
                view.shown = self.reader.session
                banners = list(view.compose_banner())
                for banner in banners:
                    banner.add_class("banner")
                await self.lists.mount(view)
                await self.body.mount(*banners, before=self.panes)
                await self.reader.add_details(view.compose_detail())
                self._banners += banners
                self.views[name] = view
            return view

    def _session_shown(self) -> None:
        """Make room for the open session, and tell the views which one it is."""
        self.panes.fit()
        self._screen.call_after_refresh(self._tell_views)

    def _tell_views(self) -> None:
        """Tell the views which session is open; with the first one in sight, import the other views in a thread."""
        for view in self.views.values():
            view.shown = self.reader.session
        if not self._imports_views:
            self._imports_views = True
            self._screen.run_worker(_import_the_rest, thread=True, exit_on_error=False)

    @property
    def chosen_view(self) -> View:
        """The chosen view."""
        return self.views[self.name]

    @property
    def text_view(self) -> View:
        """The view whose session is open: the chosen view, or during a search that of the hits."""
        return self.results if self.is_searching else self.chosen_view

    @property
    def list_pane(self) -> View:
        """The view whose list is shown."""
        return self.searches if self._lists_searches and not self.is_searching else self.text_view

    def choose(self, name: str) -> None:
        """Show another view."""
        self.name = self.tabs.view = name
        self.update()

    def show_hits(self, shown: bool) -> None:
        """Show the hits in the place of the view, or the view again."""
        self.is_searching = shown
        self.update()
        if not shown:
            self.results.empty_text = ""

    def list_searches(self, listed: bool) -> None:
        """List the saved searches while there are no hits, or no longer."""
        before = self.list_pane
        self._lists_searches = listed
        if self.list_pane is not before:
            self.update()

    def update(self) -> None:
        """Show the list in the layout of its view, with its detail pane and its banner if it has them."""
        pane = self.list_pane
        if pane is self.searches and self.lists.current != pane.id:
            self.searches.reload()
        self.lists.current = pane.id
        is_chosen = pane is not self.results
        self.reader.reading.show_list(self.name if is_chosen else self.results.view_name, self.name)
        if self.chosen_view.REVEALS and is_chosen:
            self.reader.reading.forget_last_read()
        self.show_detail()

    @handles(View.DetailChanged)
    def show_detail(self) -> None:
        """Show the detail pane of the list in the place of the transcript, or the transcript again."""
        pane = self.list_pane
        self.reader.show_detail(pane.detail)
        # The saved searches leave the widths as they are.
        keeps_widths = pane is self.searches and self.chosen_view.SHARE is not None
        self.panes.show(self.chosen_view if keeps_widths else pane)
        self._show_banner()
        self._screen.refresh_bindings()

    def _show_banner(self) -> None:
        """Show the banner of the view, if its list is visible."""
        for banner in self._banners:
            banner.set_class(banner is self.list_pane.banner and self.panes.shows_list, "-shown")


def _import_the_rest() -> None:
    """Import what is shown on request, so that no key waits for it: the other views, and what opens over the screen."""
    registry.import_views()
    names = "annotation choice confirm help.screen pager palette themes"
    names += " origin.blame.screen origin.commit origin.known_errors"
    names += " outgoing.handoff.screen outgoing.rewind.screen"
    for name in names.split():
        import_module(f"memtui.screens.{name}")
