"""Changes of the entries of a store that a program, another version of the agent or a damaged disk could make."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from hypothesis import strategies as st

from support.protobuf import length_of_head
from support.stores import DEEP, Entry, Series, Slot, Store, slots_in

VALUES: Final = (None, True, 7, 2**70, -1.5, "", "\0", "x", "half \ud83d", [], [[], "y"], {}, {"type": "z"}, DEEP)
"""Values of which at least most are wrong wherever they stand."""
Changed = Callable[[Any], Any]


@st.composite
def changes(draw: st.DrawFn, store: Store, unknown: Callable[[Series, Any], Any]) -> Store:
    """A store with some changes; its entries that are not what the agent wrote count as changed.

    `unknown` makes an entry of an unknown type from another one of a series; None where entries have no types.
    """
    result = store.copy()
    for _ in range(draw(st.integers(1, 3))):
        every = [series for series in result.all_series() if series.entries]
        if not every:
            break
        series = draw(st.sampled_from(every))
        place = draw(st.integers(0, len(series.entries) - 1))
        entry = series.entries[place]
        kinds = (
            ["field", "added"]
            if series.alone
            else ["field", "field", "field", "added", "twice", "swapped", "removed", "unknown"]
        )
        kind = draw(st.sampled_from(kinds))
        if kind == "field":
            _change(draw, result, series, entry)
        elif kind == "added":
            objects = [inner for inner in _values(entry.value) if isinstance(inner, dict)]
            if objects:
                draw(st.sampled_from(objects))["new_in_this_version"] = copy.deepcopy(draw(st.sampled_from(VALUES)))
        elif kind == "twice":
            series.entries.insert(draw(st.integers(0, len(series.entries))), copy.deepcopy(entry))
        elif kind == "swapped":
            other = draw(st.integers(0, len(series.entries) - 1))
            series.entries[place], series.entries[other] = series.entries[other], entry
        elif kind == "removed":
            _touch(result, entry)
            series.entries.remove(entry)
        elif (made := unknown(series, entry.value)) is not None:
            series.entries.insert(place, Entry(made, entry.changed))
    if result.databases() and draw(st.integers(0, 9)) == 0:
        database = draw(st.sampled_from(result.databases()))
        database.missing.add(draw(st.sampled_from(database.columns)))
        for series in database.series:
            _mark(result, series.all_entries())
    return result


def _change(draw: st.DrawFn, store: Store, series: Series, entry: Entry) -> None:
    """Change one byte, or remove, rename or replace a value of any depth."""
    if isinstance(entry.value, bytes):
        place = draw(st.integers(0, len(entry.value) - 1))
        # The fields after it begin elsewhere if its length is another one.
        for one in series.entries if place < length_of_head(entry.value) else [entry]:
            _touch(store, one)
        entry.value = entry.value[:place] + bytes([draw(st.integers(0, 255))]) + entry.value[place + 1 :]
        return
    places = list(_places(entry.value))
    if not places:
        return
    inside, key = draw(st.sampled_from(places))
    _touch(store, entry, inside[key])
    kind = draw(st.sampled_from(["missing", "renamed", "replaced", "replaced", "replaced"]))
    if kind == "replaced" or isinstance(inside, list):
        inside[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))
    else:
        value = inside.pop(key)
        if kind == "renamed":
            inside[f"{key}_x"] = value


def _touch(store: Store, entry: Entry, value: Any = None) -> None:
    """The entry counts as changed; so do the messages in what is lost of it, and what says nothing without it."""
    lost = entry.value if value is None else value
    touched = [entry, *(inner for slot in slots_in(lost) for inner in slot.series.all_entries())]
    if len(touched) > 1:
        # The other files of the session say nothing without it.
        touched += store.beside(entry)
    for database in store.databases():
        rows = [row for series in database.series for row in series.entries]
        if any(row is entry for row in rows):
            keys = set(_keys(entry.value)) if value is None else {lost} if isinstance(lost, str) else set()
            for row in rows:
                if not keys.isdisjoint(_keys(row.value)):
                    touched += [row, *(inner for slot in slots_in(row.value) for inner in slot.series.all_entries())]
    _mark(store, touched)


def _mark(store: Store, entries: Iterable[Entry]) -> None:
    for entry in entries:
        entry.changed = True
        store.lost.update(texts_of(entry.value))


def _keys(row: Any) -> list[str]:
    return [value for value in row.values() if isinstance(value, str)]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)


def _values(value: Any) -> Iterator[Any]:
    yield value
    for inside, key in _places(value):
        yield inside[key]


def texts_of(value: Any) -> Iterator[str]:
    """The lines of at least three words in the texts of a value, as far as they are not in slots."""
    if isinstance(value, str):
        yield from _lines(value)
    elif isinstance(value, bytes):
        for line in _lines("".join(c if c.isprintable() else "\n" for c in value.decode("utf-8", "replace"))):
            # Before a text is its length, which can be the code of a character.
            yield from (line, line[1:], line[2:])
    elif isinstance(value, dict | list) and not isinstance(value, Slot):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts_of(inner)


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        # Without the marks of Markdown around it.
        stripped = line.strip("#>*`: \t")
        # JSON in a text is shown in another form.
        if len(stripped.split()) > 2 and stripped[0] not in "{[":
            yield stripped
