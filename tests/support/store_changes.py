"""Changes of the entries of a store that a program, another version of the agent or a damaged disk could make."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from hypothesis import strategies as st

from support.protobuf import length_of_head
from support.stores import DEEP, Entry, Series, Slot, Store, slots_in

HALF: Final = "half \ud83d"
"""A text with half of a character, which JSON can hold."""
VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    7,
    2**70,
    -1.5,
    "",
    "\0",
    "x",
    HALF,
    [],
    [[], "y"],
    {},
    {"type": "z"},
    DEEP,
)
"""Values of which at least most are wrong wherever they stand."""
NEW: Final = "new_in_this_version"
"""A field that no reader knows."""
Unknown = Callable[[Series, Any], Any]
"""Makes an entry of an unknown type from another one of a series; None where entries have no types."""


@st.composite
def changes(draw: st.DrawFn, store: Store, unknown: Unknown, *, order_counts: bool = False) -> Store:
    """A store with some changes; its entries that are not what the agent wrote count as changed.

    With `order_counts`, so do entries that are doubled or swapped.
    """
    result = store.copy()
    for _ in range(draw(st.integers(1, 3))):
        series = draw(st.sampled_from([series for series in result.all_series() if series.entries]))
        place = draw(st.integers(0, len(series.entries) - 1))
        change = draw(st.sampled_from(_IN_ENTRY if series.alone else (*_IN_ENTRY, *_IN_SERIES)))
        if change == "unknown":
            made = unknown(series, series.entries[place].value)
            if made is not None:
                series.entries.insert(place, Entry(made, series.entries[place].changed))
        elif change in _MOVES:
            moved = _MOVES[change](draw, series, place)
            _mark(result, moved if order_counts else ())
        else:
            _CHANGES[change](draw, result, series, place)
    if result.databases() and draw(st.integers(0, 9)) == 0:
        database = draw(st.sampled_from(result.databases()))
        database.missing.add(draw(st.sampled_from(database.columns)))
        for series in database.series:
            _mark(result, series.all_entries())
    return result


def with_halves(store: Store) -> Store:
    """A store in which every object has a new field with half of a character."""
    result = store.copy()
    for series in result.all_series():
        for entry in series.entries:
            for value in list(_values(entry.value)):
                if isinstance(value, dict):
                    value[NEW] = HALF
    return result


def _change(draw: st.DrawFn, store: Store, series: Series, place: int) -> None:
    """Remove, rename or replace a value of any depth, or change one byte."""
    entry = series.entries[place]
    if isinstance(entry.value, bytes):
        at = draw(st.integers(0, len(entry.value) - 1))
        # The fields after it begin elsewhere if its length is another one.
        for one in series.entries if at < length_of_head(entry.value) else [entry]:
            _lose(store, one, one.value)
        entry.value = entry.value[:at] + bytes([draw(st.integers(0, 255))]) + entry.value[at + 1 :]
        return
    places = list(_places(entry.value))
    if not places:
        return
    inside, key = draw(st.sampled_from(places))
    _lose(store, entry, inside[key])
    change = draw(st.sampled_from(["missing", "renamed", "replaced", "replaced", "replaced"]))
    if change == "replaced" or isinstance(inside, list):
        inside[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))
    else:
        value = inside.pop(key)
        if change == "renamed":
            inside[f"{key}_x"] = value


def _add(draw: st.DrawFn, store: Store, series: Series, place: int) -> None:
    """Add a field that newer versions could have: the entry does not count as changed."""
    objects = [value for value in _values(series.entries[place].value) if isinstance(value, dict)]
    if objects:
        draw(st.sampled_from(objects))[NEW] = copy.deepcopy(draw(st.sampled_from(VALUES)))


def _remove(draw: st.DrawFn, store: Store, series: Series, place: int) -> None:
    # Of a session without entries nothing is shown, not even the title.
    if len(series.entries) > 1:
        _lose(store, series.entries[place], series.entries[place].value)
        del series.entries[place]


def _double(draw: st.DrawFn, series: Series, place: int) -> list[Entry]:
    # A database has one document with a key.
    if not any(slots_in(series.entries[place].value)):
        series.entries.insert(draw(st.integers(0, len(series.entries))), copy.deepcopy(series.entries[place]))
    return [series.entries[place]]


def _swap(draw: st.DrawFn, series: Series, place: int) -> list[Entry]:
    entries, other = series.entries, draw(st.integers(0, len(series.entries) - 1))
    entries[place], entries[other] = entries[other], entries[place]
    return [entries[place], entries[other]]


_CHANGES: Final[Mapping[str, Callable[[st.DrawFn, Store, Series, int], None]]] = {
    "changed": _change,
    "added": _add,
    "removed": _remove,
}
_MOVES: Final[Mapping[str, Callable[[st.DrawFn, Series, int], list[Entry]]]] = {"doubled": _double, "swapped": _swap}
_IN_ENTRY: Final = ("changed", "changed", "changed", "added")
_IN_SERIES: Final = ("doubled", "swapped", "removed", "unknown")


def _lose(store: Store, entry: Entry, lost: Any) -> None:
    """A value of an entry is lost: the entry counts as changed, and so does what says nothing without the value.

    These are the messages in it, then also the other files of the session, and the rows of a database that have the
    same text in a column, because they refer to the row by its id.
    """
    touched = [entry, *(inner for slot in slots_in(lost) for inner in slot.series.all_entries())]
    if len(touched) > 1:
        touched += store.beside(entry)
    for database in store.databases():
        rows = [row for series in database.series for row in series.entries]
        if any(row is entry for row in rows):
            keys = set(_keys(lost)) if lost is entry.value else {lost} if isinstance(lost, str) else set()
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
