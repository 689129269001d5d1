"""The sweeps of a page: each kind that has lines as a chart with its summary and its table."""

from collections.abc import Iterable, Sequence

from sitegen.address import from_page, rig_page
from sitegen.escape import Html, inside, text
from sitegen.figure import Figure, framed
from sitegen.numbers import ABSENT, measured, number, span
from sitegen.page import section
from sitegen.record import Record, Row
from sitegen.run import source
from sitegen.sections import folded
from sitegen.sweep_chart import sweep_spec
from sitegen.sweeps import MOST, SWEEPS, Sweep, Trace, told_apart, traces
from sitegen.table import Cell, Column, Line, table, without_empty


def sweep_figures(
    record: Record, address: str, rows: Iterable[Row], prefix: str = ""
) -> list[Figure]:
    """Draw every kind of sweep that the rows hold; `prefix` tells apart two sets on one page."""
    kept = list(rows)
    found = [(sweep, told_apart(traces(record, sweep, kept))) for sweep in SWEEPS]
    return [
        framed(
            address,
            f"{prefix}{sweep.name}",
            sweep_spec(sweep, lines[:MOST]),
            summary(sweep, lines),
            _table(record, address, sweep, lines),
            kind="chart narrow",
        )
        for sweep, lines in found
        if lines
    ]


def sweeps_section(drawn: Sequence[Figure]) -> list[str]:
    """Write the section of some sweeps; nothing when there are none."""
    if not drawn:
        return []
    return [section("One thing changed", "sweeps"), *(one.shown for one in drawn)]


def summary(sweep: Sweep, lines: Sequence[Trace]) -> str:
    """Say in words what the picture shows: the span of each line, or of all when they are many."""
    rates = [step.tokens_per_s for line in lines for step in line.steps]
    places = [step.x for line in lines for step in line.steps]
    ends = f"{number(min(places))} to {number(max(places))}"
    left = len(lines) - MOST
    rest = f" In the table only: {left} more." if left > 0 else ""
    best = "" if sweep.quantity == "prefill" else f" {_best(lines[0])}"
    return (
        f"{sweep.title}: {len(lines)} {'line' if len(lines) == 1 else 'lines'}, "
        f"{ends} {sweep.counted}, "
        f"{span(min(rates), max(rates))} tokens/s.{best}{rest}"
    )


def _best(line: Trace) -> str:
    best = max(line.steps, key=lambda step: step.tokens_per_s)
    return f"{line.label}: fastest at {number(best.x)}, {number(best.tokens_per_s)} tokens/s."


def _table(record: Record, address: str, sweep: Sweep, lines: Sequence[Trace]) -> Html:
    columns = (
        Column("Rig"), Column(sweep.axis, numeric=True), Column("Tokens/s", numeric=True),
        Column("Workload"), Column("Protocol"), Column("Source"),
    )  # fmt: skip
    rows = [step for line in lines for step in line.steps]
    written = [
        Line(
            [
                _rig(record, address, step.row),
                Cell(text(number(step.x)), step.x),
                Cell(measured(step.row), step.tokens_per_s),
                text(step.row["workload"]) if step.row["workload"] else ABSENT,
                text(step.row["protocol"]),
                source(step.row),
            ]
        )
        for step in rows
    ]
    shown = table(sweep.title, *without_empty(columns, written, ABSENT))
    return folded(f"The points of this chart ({len(rows)})", shown)


def _rig(record: Record, address: str, row: Row) -> Cell:
    label = record.machines[row["rig_id"]]["label"]
    return Cell(inside(from_page(address, rig_page(row["rig_id"])), label), label.lower())
