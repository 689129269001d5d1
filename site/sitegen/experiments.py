"""Experiments nobody had to design: pairs of runs of one machine that differ in one field."""

from collections.abc import Iterable

from ingest.pairs import Pair
from sitegen.address import from_page, rig_page
from sitegen.escape import NOTHING, Html, inside, text
from sitegen.numbers import number
from sitegen.page import paragraph, section
from sitegen.record import Record, Row
from sitegen.table import Cell, Column, Line, table

TOLD = (
    "Two runs of one machine that differ in exactly one field that their reports tell, with the "
    "ratio of their speeds and its 80 % interval. The interval knows how far one machine repeats "
    "itself in a session and over days; fields that neither report tells are taken as equal."
)


def of_weights(record: Record, page: str, entry: Row) -> list[str]:
    """Write the pairs of a slug's weights, whoever served them."""
    found = [
        pair
        for pair in record.pairs
        if pair.model == entry["model"] and entry["quant"] in pair.quant.split(" / ")
    ]
    if not found:
        return []
    shown = experiments(record, page, found)
    return [section("What one change did", "pairs"), paragraph(text(TOLD)), shown]


BUILDS = (
    "Rows of this machine that differ in the build of the engine alone, where the change is larger "
    "than the noise: somewhere between the two builds something was lost or won."
)


def watch(record: Record, page: str, rig_id: str) -> list[str]:
    """Write the engine builds that changed a machine's speed, nothing if none did."""
    found = record.builds_by_rig.get(rig_id, [])
    if not found:
        return []
    told = paragraph(text(BUILDS))
    return [section("Engine builds that changed its speed", "builds"), told,
            experiments(record, page, found)]  # fmt: skip


def clear_ones(record: Record, page: str) -> Html:
    """Write the pairs whose change is larger than the noise, for the method page."""
    found = [pair for pair in record.pairs if pair.clear and pair.quantity == "decode"]
    if not found:
        return NOTHING
    return Html(f"{paragraph(text(TOLD))}\n\n{experiments(record, page, found)}")


def experiments(record: Record, page: str, found: Iterable[Pair]) -> Html:
    """Write pairs as a table."""
    columns = (
        Column("Field"), Column("From → to"), Column("Ratio", numeric=True),
        Column("80 % interval", numeric=True), Column("Speed, tokens/s", numeric=True),
        Column("Quantity"), Column("Variant"), Column("Rig"),
    )  # fmt: skip
    return table("What one change did", columns, [_line(record, page, pair) for pair in found])


def _line(record: Record, page: str, pair: Pair) -> Line:
    label = record.machines[pair.rig_id]["label"]
    first, second = (number(value) for value in pair.values)
    what = " ".join(filter(None, (pair.quantity, pair.workload)))
    cells = [
        Cell(text(pair.field.replace("_", " "))),
        Cell(text(f"{pair.before} → {pair.after}")),
        Cell(text(f"{pair.ratio:.2f}"), pair.ratio),
        Cell(text(f"{pair.low:.2f} to {pair.high:.2f}"), pair.low),
        Cell(text(f"{first} → {second}"), pair.values[1]),
        Cell(text(f"{what}, {pair.protocol}")),
        Cell(text(f"{pair.model} {pair.quant}")),
        Cell(inside(from_page(page, rig_page(pair.rig_id)), label)),
    ]
    return Line(cells, doubtful=not pair.clear)
