"""Tables that people make themselves: rates by depth, by run, or metrics by prompt."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.readers.item import Item, Seen, number
from ingest.readers.llama.bench_rows import cells_of
from ingest.readers.text import Line

PROTOCOL = "other"
_RATE_UNIT = re.compile(r"\b(?:tok/s|t/s|tokens/s|tps)\b", re.IGNORECASE)
_VALUE = re.compile(
    r"~?\**([0-9]{1,3}(?:,[0-9]{3}){1,3}(?:\.[0-9]{1,4})?|[0-9]{1,7}(?:\.[0-9]{1,4})?)\**"
    r" ?(?:tok/s|t/s|ms)?(?: ?(?:±|\+/-) ?([0-9]{1,6}(?:\.[0-9]{1,4})?))?(?: ?ms)?"
    r"(?: \(CV ([0-9]{1,3}(?:\.[0-9]{1,2})?)%\))?$",
    re.ASCII,
)
# Words of a heading → quantity, the first that fits.
QUANTITIES = (
    (("prefill", "prompt", "pp "), "prefill"),
    (("wall",), "wall"),
    (("decode", "generation", "gen", "tg"), "decode"),
    (("ttft", "first token"), "ttft"),
)
DEPTHS = ("prompt tokens", "prompt", "context", "depth", "ctx", "tokens", "n_kv")
SHAPES = ("narrative", "code")
_DEEP = re.compile(r"([0-9]{1,4}) ?k\b", re.IGNORECASE)


class Table(NamedTuple):
    """A table: its heading, and its rows with their lines."""

    heading: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    line: int


def tables_of(lines: Sequence[Line]) -> Iterator[Table]:
    """Find Markdown tables: a heading, a ruler, rows with as many cells."""
    index = 0
    while index + 1 < len(lines):
        if "|" in lines[index].text and _is_ruler(lines[index + 1].text):
            heading = tuple(cells_of(lines[index].text))
            rows = []
            at = index + 2
            while at < len(lines) and "|" in lines[at].text:
                cells = tuple(cells_of(lines[at].text))
                if len(cells) == len(heading):
                    rows.append((lines[at].number, cells))
                at += 1
            yield Table(heading, tuple(rows), lines[index].number)
            index = at
        else:
            index += 1


def _is_ruler(text: str) -> bool:
    return "--" in text and "|" in text and not text.strip(" |:-")


def quantity_of(heading: str) -> str | None:
    """Name the quantity that a heading with a unit means."""
    folded = heading.casefold()
    timed = "ttft" in folded or "first token" in folded
    if not timed and not _RATE_UNIT.search(folded):
        return None
    return next((name for words, name in QUANTITIES if any(w in folded for w in words)), None)


def has_rates(lines: Sequence[Line]) -> bool:
    """Tell whether some table names a rate in its heading, or in its first column by prompt."""
    return any(_by_prompt(table) or _columns(table) for table in tables_of(lines))


def table_items(lines: Sequence[Line]) -> Iterator[Item]:
    """Read every table of rates."""
    for table in tables_of(lines):
        read = _metrics if _by_prompt(table) else _rows
        for item in read(table):
            yield Seen(table.line)
            yield item


def _columns(table: Table) -> dict[int, str]:
    """Find the columns that hold a rate; llama-bench and its kin have their own readers."""
    if "test" in table.heading or any(cell.startswith(("S_", "T_")) for cell in table.heading):
        return {}
    found = {index: quantity_of(cell) for index, cell in enumerate(table.heading)}
    return {index: name for index, name in found.items() if name}


def _rows(table: Table) -> Iterator[Item]:
    columns = _columns(table)
    depth = next(
        (
            i
            for i, cell in enumerate(table.heading)
            if cell.casefold() in DEPTHS and i not in columns
        ),
        None,
    )
    average = [row for row in table.rows if row[1][0].casefold() in ("average", "mean", "avg")]
    plain = [row for row in table.rows if row not in average]
    for line, cells in average or plain:
        for index, quantity in columns.items():
            value = _VALUE.match(cells[index])
            if not value or float(value[1].replace(",", "")) <= 0:
                continue
            tokens = _whole(cells[depth]) if depth is not None else None
            key = "prompt_tokens" if quantity in ("prefill", "ttft") else "context_tokens"
            yield number(
                line, quantity, float(value[1].replace(",", "")), PROTOCOL,
                statistic="mean" if average else "single",
                n=len(plain) if average and len(average) == 1 else None, **{key: tokens},
            )  # fmt: skip
    yield from (Seen(line) for line, _ in table.rows if columns)


def _whole(text: str) -> int | None:
    digits = text.replace(",", "").strip()
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def _by_prompt(table: Table) -> dict[int, str]:
    """Find the columns of a table of metrics: one a prompt."""
    named = {i: cell.casefold() for i, cell in enumerate(table.heading)}
    return {i: name for i, name in named.items() if name in SHAPES}


def _metrics(table: Table) -> Iterator[Item]:
    columns = _by_prompt(table)
    for line, cells in table.rows:
        metric = cells[0].casefold()
        deep = _DEEP.search(metric)
        timed = "ttft" in metric
        rate = metric if timed or _RATE_UNIT.search(metric) else f"{metric} tok/s"
        quantity = quantity_of(rate)
        for index, shape in columns.items():
            value = _VALUE.match(cells[index])
            if not quantity or not value:
                continue
            yield Seen(line)
            yield number(
                line, quantity, float(value[1].replace(",", "")), PROTOCOL, statistic="mean",
                sd=float(value[2]) if value[2] else None,
                cv=round(float(value[3]) / 100, 5) if value[3] else None,
                workload=None if deep else shape,
                nominal_tokens=int(deep[1]) * 1000 if deep else None,
            )  # fmt: skip
