"""Leader tables: the fastest rig for each slug or variant, one protocol a table, never across."""

from collections import defaultdict
from statistics import median
from typing import Any

from sitegen.address import HOME, from_page, rig_page
from sitegen.comparison import workloads
from sitegen.escape import NOTHING, Html, inside, joined, text
from sitegen.names import slug_link, variant_link
from sitegen.numbers import ABSENT, measured, number
from sitegen.page import heading, paragraph
from sitegen.record import Record, Row
from sitegen.sections import folded
from sitegen.table import Cell, Column, Line, table

MIN_ROWS = 3
"""A protocol with fewer rates than this has no leaders worth a table."""

IN_RAM = ("experts", "layers", "cpu-only", "fit", "engine-managed")
"""Placements in which routed experts lie in host RAM, or may."""


def leaders(record: Record) -> Html:
    """Write the tables: experts in host RAM first, canonical protocols open, the others folded."""
    runs = record.runs_by_id
    rows = [
        row
        for row in record.measurements
        if row["quantity"] == "decode" and row["counts"] and row["streams"] in (None, 1)
    ]
    in_ram = [row for row in rows if runs[row["run_id"]]["offload"] in IN_RAM]
    rest = [row for row in rows if runs[row["run_id"]]["offload"] not in IN_RAM]
    told = (
        "The fastest rig for each slug or variant, one protocol a table. Models differ in size by "
        "far more than rigs do in speed: read along a line, not down a column. “Only stated”: one "
        "source, no report beside it, and nobody has repeated it."
    )
    return joined(
        [
            Html(heading("Fastest, experts in host RAM", "leaders")),
            paragraph(text(told)),
            *_protocols(record, in_ram, opened=True),
            Html(heading("Fastest, all on the cards or not stated", "leaders-resident")),
            *_protocols(record, rest, opened=False),
        ],
        "\n\n",
    )


def _protocols(record: Record, rows: list[Row], *, opened: bool) -> list[Html]:
    """Write a table a protocol, canonical ones first, then by how many rates there are."""
    by_protocol = defaultdict(list)
    for row in rows:
        by_protocol[row["protocol"]].append(row)

    def canonical(name: str) -> bool:
        return bool(record.protocols[name]["canonical"])

    order = sorted(by_protocol, key=lambda one: (not canonical(one), -len(by_protocol[one]), one))
    return [
        _protocol(record, name, by_protocol[name], opened=opened and canonical(name))
        for name in order
        if len(by_protocol[name]) >= MIN_ROWS
    ]


def _protocol(record: Record, protocol: str, rows: list[Row], *, opened: bool) -> Html:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["slug"] or (row["model"], row["quant"])].append(row)
    named = workloads(rows)
    best = sorted(groups.values(), key=lambda found: -_top(found)["central"])
    caption = f"Decode, tokens/s, {protocol}: {record.protocols[protocol]['meaning']}"
    columns = [Column("Slug or variant"), Column("Rigs", numeric=True)]
    for workload in named:
        columns.append(Column(f"{workload.capitalize()}, best", numeric=True))
        columns.append(Column("Median", numeric=True))
    shown = table(caption, columns, [_line(record, found, named) for found in best])
    return shown if opened else folded(f"{caption} ({len(rows)} rates)", shown)


def _top(found: list[Row]) -> Row:
    return max(found, key=lambda row: row["central"])


def _line(record: Record, found: list[Row], named: list[str]) -> Line:
    one = found[0]
    name = (
        slug_link(HOME, one["slug"])
        if one["slug"]
        else variant_link(record, HOME, one["model"], one["quant"])
    )
    rigs = len({row["rig_id"] for row in found})
    cells = [
        Cell(name, one["slug"] or f"{one['model']} {one['quant']}"),
        Cell(text(rigs), rigs),
    ]
    for workload in named:
        cells += _best(record, [row for row in found if workloads([row]) == [workload]])
    return Line(cells)


def _best(record: Record, found: list[Row]) -> list[Cell]:
    """Show the best rate with its rig, and the median over rows."""
    if not found:
        return [Cell(ABSENT), Cell(ABSENT)]
    top = _top(found)
    label = record.machines[top["rig_id"]]["label"]
    rig = inside(from_page(HOME, rig_page(top["rig_id"])), label)
    middle = median(row["central"] for row in found)
    shown = Html(f"{measured(top)} <small>{rig}{_caveat(top)}</small>")
    return [Cell(shown, top["central"]), Cell(text(number(middle)), middle)]


def _caveat(row: Row) -> Html:
    """Say with a leader that it is one person's word."""
    return Html(", only stated") if row["only_said"] else NOTHING
