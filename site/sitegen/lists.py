"""The lists: every slug, every variant, every machine, each with what stands behind it."""

from collections import Counter, defaultdict

from sitegen import state as states
from sitegen.address import from_page, rig_page
from sitegen.escape import Html, inside, text
from sitegen.names import model_name, slug_link, variant_link
from sitegen.numbers import ABSENT, number, span, value
from sitegen.page import Page, page, paragraph
from sitegen.record import Record, Row
from sitegen.table import MOST_LISTED, Cell, Column, Line, table, without_empty
from sitegen.variant import variants

SLUGS, VARIANTS, RIGS = "slugs/", "variants/", "rigs/"


def list_pages(record: Record) -> list[Page]:
    """Make the three lists."""
    return [_slugs(record), _variants(record), _rigs(record)]


def _decode(rows: list[Row]) -> Cell:
    """Tell the span of the decode rates that count, whatever their protocol."""
    found = [row["central"] for row in rows if row["quantity"] == "decode" and row["counts"]]
    if not found:
        return Cell(ABSENT)
    return Cell(
        text(number(found[0]) if len(found) == 1 else span(min(found), max(found))), max(found)
    )


def _slugs(record: Record) -> Page:
    rows = defaultdict(list)
    for row in record.measurements:
        rows[row["slug"]].append(row)
    in_ram = [entry for entry in record.slugs.values() if entry["offload"] != "none"]
    resident = [entry for entry in record.slugs.values() if entry["offload"] == "none"]
    told = (
        "A slug is a named way to serve one model variant. Decode is the span over all rigs and "
        "protocols: open the slug to compare like with like."
    )
    blocks = [
        paragraph(text(told)),
        _slug_table(record, "Experts in host RAM", in_ram, rows),
        _slug_table(record, "All on the cards", resident, rows),
    ]
    return page(SLUGS, "Slugs", "Every named way to serve a model.", blocks)


def _slug_table(
    record: Record, caption: str, entries: list[Row], rows: dict[str, list[Row]]
) -> Html:
    columns = (
        Column("Slug"), Column("Decode, tokens/s", numeric=True), Column("Rigs", numeric=True),
        Column("Measurements", numeric=True), Column("Model"), Column("Quant"), Column("Engine"),
        Column("Cards", numeric=True), Column("Host RAM, GiB", numeric=True), Column("Life cycle"),
    )  # fmt: skip
    lines = [
        Line(
            [
                Cell(slug_link(SLUGS, entry["slug"]), entry["slug"]),
                _decode(rows[entry["slug"]]),
                _count(len({row["rig_id"] for row in rows[entry["slug"]]})),
                _count(len(rows[entry["slug"]])),
                text(model_name(record, entry["model"])),
                text(entry["quant"]),
                text(entry["engine"]),
                text(entry["cards"]),
                Cell(value(entry["host_ram_gib"]), entry["host_ram_gib"]),
                text(entry["status"]),
            ]
        )
        for entry in sorted(entries, key=lambda one: (-len(rows[one["slug"]]), one["slug"]))
    ]
    return table(caption, *without_empty(columns, lines, ABSENT), most=MOST_LISTED)


def _count(count: int) -> Cell:
    return Cell(text(number(count)), count)


def _variants(record: Record) -> Page:
    rows = defaultdict(list)
    for row in record.measurements:
        rows[row["model"], row["quant"]].append(row)
    columns = [
        Column("Variant"), Column("Runs", numeric=True), Column("Rigs", numeric=True),
        Column("Measurements", numeric=True), Column("Decode, tokens/s", numeric=True),
    ]  # fmt: skip
    found = sorted(variants(record).items(), key=lambda one: -len(one[1]))
    lines = [
        Line(
            [
                variant_link(record, VARIANTS, *pair),
                _count(len(runs)),
                _count(len({run["rig_id"] for run in runs})),
                _count(len(rows[pair])),
                _decode(rows[pair]),
            ]
        )
        for pair, runs in found
    ]
    told = (
        "A variant is one model at one quant, whoever serves it. Most rows of the record have no "
        "slug and are found here."
    )
    shown = table("Variants with a run", columns, lines, most=MOST_LISTED)
    return page(
        VARIANTS, "Variants", "Every model and quant with a run.", [paragraph(text(told)), shown]
    )


def _rigs(record: Record) -> Page:
    counts = Counter(row["rig_id"] for row in record.measurements)
    last = {state["rig_id"]: state for state in record.states.values()}
    columns = [
        Column("Rig"), Column("Processor"), Column("Memory"),
        Column("Bandwidth, GB/s", numeric=True), Column("Cards"), Column("States", numeric=True),
        Column("Measurements", numeric=True),
    ]  # fmt: skip
    lines = [
        Line(
            [
                Cell(_rig_link(machine), machine["label"].lower()),
                states.processor(last[rig_id]),
                states.memory(last[rig_id]),
                states.bandwidth(record, last[rig_id]["state_id"]),
                states.cards(last[rig_id]),
                _count(machine["states"]),
                _count(counts[rig_id]),
            ]
        )
        for rig_id, machine in sorted(
            record.machines.items(), key=lambda one: one[1]["label"].lower()
        )
    ]
    shown = table("Machines", columns, lines, most=MOST_LISTED)
    return page(RIGS, "Rigs", "Every machine of the record.", [shown])


def _rig_link(machine: Row) -> Html:
    """Link a machine; its key stands below, since nameless ones share a label."""
    rig_id = machine["rig_id"]
    named = inside(from_page(RIGS, rig_page(rig_id)), machine["label"])
    return Html(f"{named} <small>{text(rig_id)}</small>")
