"""Markdown tables as rows: the columns share the width, and cells are wrapped in their columns."""

from __future__ import annotations

from memtui.render.rows import Row, Span, cells_of, wrap

Cell = tuple[Span, ...]
_GAP = "  "
_MIN_WIDTH = 5
"""Cells of a column at least."""


def table_rows(table: list[list[Cell]], aligns: list[str], width: int, seq: int) -> list[Row]:
    """The rows of a table whose first line is its head; `aligns` is left, right or center for each column."""
    columns = len(aligns)
    natural = [max((cells_of(line[i]) for line in table if i < len(line)), default=0) for i in range(columns)]
    widths = share(natural, width - len(_GAP) * (columns - 1))
    rows: list[Row] = []
    for index, line in enumerate(table):
        cells = [*line, *[()] * (columns - len(line))][:columns]
        rows += _line(cells, widths, aligns, "strong" if index == 0 else "", seq)
        if index == 0:
            rule = _GAP.join("─" * column for column in widths)
            rows.append(Row(((rule, "muted"),), seq, wrap="none"))
    return rows


def share(natural: list[int], width: int) -> list[int]:
    """Widths of columns that fit together: the widest are reduced first, to at least `_MIN_WIDTH`."""
    widths = [max(1, column) for column in natural]
    excess = sum(widths) - width
    while excess > 0 and max(widths) > _MIN_WIDTH:
        top = max(widths)
        next_width = max((column for column in widths if column < top), default=_MIN_WIDTH)
        widest = [i for i, column in enumerate(widths) if column == top]
        step = max(1, min(top - max(next_width, _MIN_WIDTH), excess // len(widest)))
        for i in widest:
            if excess > 0:
                widths[i] -= step
                excess -= step
    return widths


def _line(cells: list[Cell], widths: list[int], aligns: list[str], style: str, seq: int) -> list[Row]:
    columns = []
    for cell, width in zip(cells, widths, strict=True):
        styled = tuple((text, f"{own} {style}".strip()) for text, own in cell)
        columns.append([line.spans for line in wrap([Row(styled)], width)] or [()])
    rows = []
    for index in range(max(map(len, columns), default=0)):
        spans: list[Span] = []
        for column, width, align in zip(columns, widths, aligns, strict=True):
            part = column[index] if index < len(column) else ()
            spans += [*_aligned(part, width, align), (_GAP, "")]
        rows.append(Row(tuple(span for span in spans[:-1] if span[0]), seq, wrap="none"))
    return rows


def _aligned(spans: Cell, width: int, align: str) -> list[Span]:
    missing = max(0, width - cells_of(spans))
    left = missing if align == "right" else missing // 2 if align == "center" else 0
    return [(" " * left, ""), *spans, (" " * (missing - left), "")]
