"""Tables: safe cells in, one accessible HTML table out; numbers sort by value, not by text."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sitegen.escape import Html, text

MOST_LINES = 100
"""A longer table would weigh down its page; explore and the data files have every row."""

MOST_LISTED = 300
"""Of a list that is all of its page."""


class Cell(NamedTuple):
    """What stands in a cell, and what the column is sorted by (None sorts last)."""

    shown: Html
    sort: float | str | None = None


class Column(NamedTuple):
    """A column's head; numbers stand on the right, and wide ones hold several words a cell."""

    head: str
    numeric: bool = False
    title: str = ""
    wide: bool = False
    limit: str = ""  # what a visitor may set a most for, to filter rows that need more

    @property
    def attribute(self) -> str:
        """Give the class attribute of the column's cells."""
        if self.numeric:
            return ' class="number"'
        return ' class="wide"' if self.wide else ""


class Line(NamedTuple):
    """A row; a doubtful one is drawn apart."""

    cells: Sequence[Cell | Html]
    doubtful: bool = False


def table(
    caption: str, columns: Sequence[Column], lines: Iterable[Line], *, most: int | None = MOST_LINES
) -> Html:
    """Write a table whose first column heads its rows. Its frame scrolls sideways, by key too.

    It is cut after `most` lines; None leaves it whole, for what stands nowhere else.
    """
    every = list(lines)
    shown = every[:most]
    body = "\n".join(_line(columns, line) for line in shown)
    heads = "".join(_head(column) for column in columns)
    name = text(caption)
    return Html(
        f'<div class="frame" role="group" tabindex="0" aria-label="{name}" data-search-exclude>\n'
        f'<table class="data"><caption>{name}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n</div>"
        f"{_left_out(len(shown), len(every))}"
    )


def _left_out(shown: int, count: int) -> str:
    if shown == count:
        return ""
    words = (
        f"The first {shown} of {count:,} rows; the explore page and the data files have them all."
    )
    return f'\n<p class="note" data-search-exclude>{text(words)}</p>'


def _head(column: Column) -> str:
    kind = column.attribute
    title = f' title="{text(column.title)}"' if column.title else ""
    limit = f' data-limit="{text(column.limit)}"' if column.limit else ""
    return f'<th scope="col"{kind}{title}{limit}>{text(column.head)}</th>'


def _line(columns: Sequence[Column], line: Line) -> str:
    cells = "".join(
        _cell(column, cell, first=index == 0)
        for index, (column, cell) in enumerate(zip(columns, line.cells, strict=True))
    )
    return f'<tr class="doubtful">{cells}</tr>' if line.doubtful else f"<tr>{cells}</tr>"


def _cell(column: Column, cell: Cell | Html, *, first: bool) -> str:
    shown, sort = cell if isinstance(cell, Cell) else (cell, None)
    kind = column.attribute
    key = "" if sort is None else f' data-sort="{text(_key(sort))}"'
    if first:
        return f'<th scope="row"{kind}{key}>{shown}</th>'
    return f"<td{kind}{key}>{shown}</td>"


def _key(sort: float | str) -> str:
    return f"{sort:.12g}" if isinstance(sort, float) else str(sort)


def without_empty(
    columns: Sequence[Column], lines: Sequence[Line], empty: Html
) -> tuple[list[Column], list[Line]]:
    """Leave out the columns in which no row says anything."""
    kept = [
        index
        for index in range(len(columns))
        if index == 0 or any(_shown(line.cells[index]) != empty for line in lines)
    ]
    return (
        [columns[index] for index in kept],
        [Line([line.cells[index] for index in kept], line.doubtful) for line in lines],
    )


def _shown(cell: Cell | Html) -> Html:
    return cell.shown if isinstance(cell, Cell) else cell
