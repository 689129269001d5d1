"""Leader tables: the fastest rig for each slug or variant, one protocol a table, never across."""

from collections import defaultdict
from statistics import median

from sitegen import state as states
from sitegen.address import HOME, from_page, rig_page
from sitegen.escape import NOTHING, Html, inside, joined, text
from sitegen.figures import measured, number
from sitegen.record import Record, Row
from sitegen.run import source
from sitegen.sections import folded
from sitegen.slug import slug_link, variant_link
from sitegen.table import Cell, Column, Line, table

MIN_ROWS = 3
"""A protocol with fewer rates than this has no leaders worth a table."""

COLUMNS = (
    Column("Slug or variant"), Column("Workload"), Column("Rigs", numeric=True),
    Column("Median, tokens/s", numeric=True), Column("Best, tokens/s", numeric=True),
    Column("on"), Column("Bandwidth, GB/s", numeric=True), Column("Source"),
)  # fmt: skip


def leaders(record: Record) -> Html:
    """Write the tables: canonical protocols open, the others folded, most rows first."""
    rows = defaultdict(list)
    for row in record.measurements:
        if row["quantity"] == "decode" and row["counts"] and row["streams"] in (None, 1):
            rows[row["protocol"]].append(row)
    order = sorted(rows, key=lambda name: (not _canonical(record, name), -len(rows[name]), name))
    shown = [_protocol(record, name, rows[name]) for name in order if len(rows[name]) >= MIN_ROWS]
    return joined(shown, "\n") if shown else NOTHING


def _canonical(record: Record, protocol: str) -> bool:
    return bool(record.protocols[protocol]["canonical"])


def _protocol(record: Record, protocol: str, rows: list[Row]) -> Html:
    groups = defaultdict(list)
    for row in rows:
        served = row["slug"] or (row["model"], row["quant"])
        groups[served, row["workload"]].append(row)
    best = sorted(groups.values(), key=lambda found: -max(row["central"] for row in found))
    caption = f"Decode, {protocol}"
    shown = table(caption, COLUMNS, [_line(record, found) for found in best])
    if _canonical(record, protocol):
        return shown
    return folded(f"{caption} ({len(rows)} rates)", shown)


def _line(record: Record, found: list[Row]) -> Line:
    top = max(found, key=lambda row: row["central"])
    middle = median(row["central"] for row in found)
    name = (
        slug_link(HOME, top["slug"])
        if top["slug"]
        else variant_link(record, HOME, top["model"], top["quant"])
    )
    label = record.machines[top["rig_id"]]["label"]
    rigs = len({row["rig_id"] for row in found})
    return Line(
        [
            Cell(name, top["slug"] or f"{top['model']} {top['quant']}"),
            text(top["workload"] or "not stated"),
            Cell(text(rigs), rigs),
            Cell(text(number(middle)), middle),
            Cell(measured(top), top["central"]),
            Cell(inside(from_page(HOME, rig_page(top["rig_id"])), label), label.lower()),
            states.bandwidth(record, top["state_id"], top["bundle_id"]),
            source(top),
        ]
    )
