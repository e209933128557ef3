"""A key means the same in every pane: each binding has a meaning, and no key has two that exclude each other."""

from __future__ import annotations

from collections import defaultdict

from memtui.browse.keymap_check import declared_keys
from memtui.keys.declarations import EVERYWHERE
from memtui.widgets.transcript.widget import TranscriptPane

MEANINGS = {
    "search": "slash",
    "find in the text": "f slash ctrl+f",
    "next match or passage": "n",
    "previous match or passage": "N",
    "down": "j down ctrl+j",
    "up": "k up ctrl+k",
    "half a page down": "ctrl+d",
    "half a page up": "ctrl+u",
    "page down": "pagedown space",
    "page up": "pageup",
    "first": "g home ctrl+home",
    "last": "G end ctrl+end",
    "next turn": "J",
    "previous turn": "K",
    "fold, or back to the left": "h left",
    "unfold, or on to the right": "l right",
    "mark or unfold a row": "space",
    "open": "enter",
    "previous prompt": "left_square_bracket",
    "next prompt": "right_square_bracket",
    "previous edit": "left_curly_bracket",
    "next edit": "right_curly_bracket",
    "previous tool call": "comma",
    "next tool call": "full_stop",
    "previous compaction": "left_parenthesis",
    "next compaction": "right_parenthesis",
    "first change": "0",
    "how much of tools is shown": "t",
    "how much of thinking is shown": "T",
    "tree or list": "grave_accent",
    "one line of each, or more": "D",
    "view in full, and back": "v enter",
    "open outside": "o",
    "export the session": "e",
    "export the turn": "E",
    "copy": "y",
    "copy the id": "Y",
    "inspector": "i",
    "zoom": "z",
    "larger": "plus equals_sign",
    "smaller": "minus underscore",
    "more": "greater_than_sign",
    "less": "less_than_sign",
    "time range": "d",
    "today": "t",
    "project": "p",
    "share": "p",
    "sort": "s",
    "sort the other way round": "I",
    "choose kinds": "F",
    "what mended the errors": "F",
    "group by agent": "A",
    "group by machine": "M",
    "add what is yours": "a",
    "brief the agent": "b",
    "who wrote its lines": "b",
    "change an observation or a title": "c f2",
    "pin": "asterisk",
    "tags": "number_sign",
    "list archived sessions, too": "X",
    "forget or remove": "x delete",
    "restore": "u",
    "the subagent's session, and back": "S",
    "minimap": "m",
    "hand off": "H",
    "share with other people": "P",
    "write to a file": "w",
    "turn range": "number_sign",
    "resume": "r",
    "commits": "C",
    "rewind": "W",
    "what runs or waits": "L",
    "refresh": "R",
    "scope": "ctrl+r",
    "save": "ctrl+s",
    "back in history": "ctrl+o alt+left",
    "forward in history": "alt+right",
    "next pane": "tab",
    "previous pane": "shift+tab",
    "complete": "tab",
    "help": "question_mark f1",
    "palette": "ctrl+p colon",
    "one step back": "escape",
    "leave": "q ctrl+q",
    "shell": "ctrl+z",
    "view 1": "1",
    "view 2": "2",
    "view 3": "3",
    "view 4": "4",
    "view 5": "5",
    "view 6": "6",
}
"""The keys of each meaning. A key with two of them must be in `TOGETHER`."""
TOGETHER = {
    "space": {"page down", "mark or unfold a row"},
    "enter": {"open", "view in full, and back"},
    "tab": {"next pane", "complete"},
    "slash": {"search", "find in the text"},
    "p": {"project", "share"},
    "number_sign": {"turn range", "tags"},
    "b": {"brief the agent", "who wrote its lines"},
    "t": {"how much of tools is shown", "today"},
    "F": {"choose kinds", "what mended the errors"},
}
"""Keys with two meanings that never meet: one in texts and one in lists, one while typing, one on full screens, or one
in the list that has its projects as rows; or one on a file, and one on what a summary lost."""
ENDS = {
    "down": "down", "up": "up", "half-down": "half a page down", "half-up": "half a page up",
    "page-down": "page down", "page-up": "page up", "top": "first", "bottom": "last", "hit-down": "down",
    "hit-up": "up", "turn-down": "next turn", "turn-up": "previous turn", "match-down": "next match or passage",
    "match-up": "previous match or passage", "prompt-down": "next prompt", "prompt-up": "previous prompt",
    "edit-down": "next edit", "edit-up": "previous edit", "tool-down": "next tool call",
    "tool-up": "previous tool call", "compaction": "next compaction", "compaction-up": "previous compaction",
    "tab-left": "fold, or back to the left", "tab-right": "unfold, or on to the right",
    "close": "fold, or back to the left", "open": "open",
    "fold": "fold, or back to the left", "unfold": "unfold, or on to the right", "select": "open", "sort": "sort",
    "reverse": "sort the other way round",
    "edit": "open outside",
    "copy": "copy", "view": "view in full, and back", "project": "project", "range": "time range", "save": "save",
    "find": "find in the text", "handoff": "hand off", "leave": "one step back", "filter": "search",
    "by-agent": "group by agent", "share": "share",
    "by-machine": "group by machine", "archived": "list archived sessions, too",
    "pin": "pin", "tag": "tags", "note": "add what is yours", "rename": "change an observation or a title",
    "archive": "forget or remove", "restore": "restore", "blame": "who wrote its lines",
}  # fmt: skip
"""What the last part of an id means, wherever it stands."""
IDS = {
    "search": "search", "jump-back": "back in history", "jump-on": "forward in history", "inspector": "inspector",
    "back": "one step back", "copy-id": "copy the id", "export": "export the session", "export-turn": "export the turn",
    "handoff": "hand off", "share": "share with other people", "share.switch": "mark or unfold a row",
    "share.keep": "mark or unfold a row", "share.unfold": "open", "share.places": "open",
    "share.fold-places": "fold, or back to the left", "share.write": "write to a file",
    "share.words": "add what is yours", "share.turns": "turn range", "share.other": "next pane",
    "resume": "resume", "commits": "commits", "rewind": "rewind", "next-pane": "next pane",
    "last-pane": "previous pane",
    "refresh": "refresh", "help": "help", "palette": "palette", "quit": "leave", "force-quit": "leave",
    "suspend": "shell", "live": "what runs or waits", "search.hits": "down", "search.older": "up",
    "search.complete": "complete",
    "search.scope": "scope", "search.clear": "one step back", "searches.forget": "forget or remove",
    "tree.open": "unfold, or on to the right", "hits.unfold": "mark or unfold a row",
    "hits.lines": "one line of each, or more", "files.tree": "tree or list",
    "prs.open": "open outside", "prs.in": "unfold, or on to the right",
    "prs.unfold": "mark or unfold a row", "past.filter": "choose kinds",
    "past.today": "today", "past.toggle": "mark or unfold a row",
    "notes.write": "add what is yours", "notes.change": "change an observation or a title",
    "notes.forget": "forget or remove",
    "notes.restore": "restore", "notes.turn": "open", "type.left": "fold, or back to the left",
    "type.right": "unfold, or on to the right", "type.next": "open", "transcript.tools": "how much of tools is shown",
    "transcript.thinking": "how much of thinking is shown", "handoff.switch": "mark or unfold a row",
    "handoff.text": "unfold, or on to the right", "handoff.parts": "fold, or back to the left",
    "rewind.save": "write to a file", "rewind.turns": "turn range",
    "handoff.save": "write to a file", "handoff.start": "open", "handoff.turns": "turn range", "handoff.more": "more",
    "handoff.less": "less", "handoff.other": "next pane", "choice.take": "open", "fixes": "what mended the errors",
    "told.open": "open", "told.text": "view in full, and back", "told.close": "one step back",
    "told.down": "down", "told.up": "up", "fixes.take": "open", "fixes.close": "one step back", "palette.take": "open",
    "palette.close": "one step back", "help.run": "open", "form.save-line": "open", "choice.close": "one step back",
    "confirm.start": "open", "confirm.cancel": "one step back", "tree.forget": "forget or remove",
    "forget.agree": "open", "forget.cancel": "one step back", "help.close": "one step back", "help.tab": "next pane",
    "review.next": "unfold, or on to the right", "review.last": "fold, or back to the left",
    "review.turn": "next match or passage", "review.previous-turn": "previous match or passage",
    "review.fold": "mark or unfold a row", "review.send": "brief the agent",
    "review.known": "forget or remove", "review.undo": "restore",
    "timeline.fold": "mark or unfold a row", "timeline.first": "first change",
    "timeline.turn": "open", "timeline.editor": "open outside", "timeline.text-down": "half a page down",
    "timeline.text-up": "half a page up", "transcript.subagent": "the subagent's session, and back",
    "transcript.minimap": "minimap", "pager.back": "one step back",
    "blame.back": "one step back", "blame.turn": "open", "blame.reason": "inspector", "blame.other": "next pane",
    "blame.copy-id": "copy the id",
    "stats.day-down": "next match or passage", "stats.day-up": "previous match or passage",
    "stats.left": "fold, or back to the left", "stats.right": "unfold, or on to the right",
    "chart.earlier": "fold, or back to the left", "chart.later": "unfold, or on to the right", "chart.first": "first",
    "chart.last": "last", "chart.next": "next match or passage", "chart.previous": "previous match or passage",
    "chart.on": "page down", "chart.back": "page up", "zoom": "zoom", "larger": "larger", "smaller": "smaller",
    **{f"view-{name}": f"view {number}" for number, name in enumerate(
        ("sessions", "files", "compactions", "prs", "stats", "timeline"), 1)},
}  # fmt: skip
"""What an id means whose last part does not say it."""
ALSO = {
    ("escape", "leave"), ("q", "one step back"), ("v", "one step back"), ("b", "one step back"),
    ("ctrl+j", "next match or passage"),
    ("down", "open"), ("space", "unfold, or on to the right"), ("shift+tab", "next pane"), ("l", "open"),
    ("right", "open"),
}  # fmt: skip
"""Keys that do what is nearest to their meaning: `q`, `v` and `b` go back where there is nothing else to leave, `l` and
`right` open where nothing unfolds."""


def meaning(name: str) -> str:
    """What the action with an id means."""
    return IDS.get(name) or ENDS.get(name.rpartition(".")[2], f"nothing: {name}")


def test_no_key_has_two_meanings() -> None:
    wrong = {
        (pressed, key.id)
        for key in declared_keys()
        for pressed in key.key.split(",")
        if pressed not in MEANINGS.get(meaning(key.id), "").split() and (pressed, meaning(key.id)) not in ALSO
    }
    assert wrong == set()


def test_the_table_gives_each_key_one_meaning() -> None:
    by_key: dict[str, set[str]] = defaultdict(set)
    for name, keys in MEANINGS.items():
        for key in keys.split():
            by_key[key].add(name)
    assert {key: names for key, names in by_key.items() if len(names) > 1} == TOGETHER


def test_flags_stand_on_keys_for_which_they_count_and_no_two_have_the_same_place() -> None:
    declared = declared_keys()
    elsewhere = {key.id for key in declared if key.where != EVERYWHERE and (key.stays or key.likely or key.needs_turn)}
    assert elsewhere | {key.id for key in declared if key.beside and key not in TranscriptPane.BINDINGS} == set()
    for places in ([key.spare for key in declared if key.spare], [key.likely for key in declared if key.likely]):
        assert sorted(places) == sorted(set(places)) != []
