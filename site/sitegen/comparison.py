"""The comparison table: one line a run, protocol, context and streams; a column a workload."""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from sitegen import state as states
from sitegen.address import from_page, rig_page
from sitegen.escape import Html, joined, text
from sitegen.numbers import ABSENT, measured, number
from sitegen.origin import origin
from sitegen.record import Record, Row
from sitegen.run import PLAIN, rig, served
from sitegen.table import Cell, Column, Line, table, without_empty

FIRST_WORKLOADS = ("narrative", "code")
NO_WORKLOAD = "not stated"


HARDWARE = (Column("Processor", wide=True), Column("Memory", wide=True), Column("Cards"))


class Show(NamedTuple):
    """Which columns a table needs: what was served and the hardware, where rows differ in them."""

    names: bool = False
    hardware: bool = True


OWN, LAUNCHES, ONE_RIG = Show(), Show(names=True), Show(names=True, hardware=False)


class Group(NamedTuple):
    """What stands in one line: a run's figures of one protocol, context and streams."""

    run: Row
    protocol: str
    tokens: int | None  # context already filled
    streams: int | None
    figures: list[Row]


def groups(record: Record, rows: Iterable[Row]) -> list[Group]:
    """Gather measurements into lines, machines in order of their labels."""
    runs = record.runs_by_id

    def key(row: Row) -> tuple[str, str, str, str, int, int]:
        label = record.machines[row["rig_id"]]["label"].lower()
        depth = -1 if _depth(row) is None else _depth(row) or 0
        return label, row["state_id"], row["run_id"], row["protocol"], depth, row["streams"] or 0

    gathered = []
    for _, found in groupby(sorted(rows, key=key), key=key):
        figures = list(found)
        first = figures[0]
        run = runs[first["run_id"]]
        gathered.append(Group(run, first["protocol"], _depth(first), first["streams"], figures))
    return gathered


def _depth(row: Row) -> int | None:
    depth: int | None = row["context_tokens"]
    return row["nominal_tokens"] if depth is None else depth


def comparison(record: Record, page: str, caption: str, rows: Iterable[Row], show: Show) -> Html:
    """Write the table of one quantity."""
    lines = groups(record, rows)
    named = workloads(row for line in lines for row in line.figures)
    columns = [
        Column("Rig"),
        *([Column("Served as", wide=True)] if show.names else []),
        *(Column(workload.capitalize(), numeric=True) for workload in named),
        Column("Context filled", numeric=True),
        Column("Streams", numeric=True),
        Column("Protocol"),
        Column("Bandwidth, GB/s", numeric=True),
        *(HARDWARE if show.hardware else []),
        *(column for column, _ in PLAIN),
        Column("Source"),
    ]
    written = [Line(_cells(record, page, line, named, show), _doubtful(line)) for line in lines]
    return table(caption, *without_empty(columns, written, ABSENT))


def workloads(rows: Iterable[Row]) -> list[str]:
    """Name the workloads of some measurements, narrative and code first."""
    found = {row["workload"] or NO_WORKLOAD for row in rows}
    first = [workload for workload in FIRST_WORKLOADS if workload in found]
    return first + sorted(found - set(first))


def _doubtful(group: Group) -> bool:
    return not any(row["counts"] for row in group.figures)


def _cells(
    record: Record, page: str, group: Group, named: list[str], show: Show
) -> list[Cell | Html]:
    run = group.run
    state = record.states[run["state_id"]]
    label = record.machines[run["rig_id"]]["label"]
    address = from_page(page, rig_page(run["rig_id"]))
    return [
        rig(run, label, address),
        *([served(run)] if show.names else []),
        *(_figures(group.figures, workload) for workload in named),
        _count(group.tokens),
        _count(group.streams),
        text(group.protocol),
        states.bandwidth(record, run["state_id"], run["bundle_id"]),
        *(_hardware(state) if show.hardware else []),
        *(cell(run) for _, cell in PLAIN),
        origin(record, page, run, group.figures),
    ]


def _hardware(state: Row) -> list[Cell]:
    return [states.processor(state), states.memory(state), states.cards(state)]


def _figures(figures: list[Row], workload: str) -> Cell:
    found = [row for row in figures if (row["workload"] or NO_WORKLOAD) == workload]
    if not found:
        return Cell(ABSENT)
    return Cell(joined([measured(row) for row in found], "<br>"), found[0]["central"])


def _count(count: int | None) -> Cell:
    return Cell(text(number(count)) if count is not None else ABSENT, count)
