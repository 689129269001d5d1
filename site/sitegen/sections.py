"""Parts that slug, variant and rig pages share: decode, waiting, the rest, verdicts, failures."""

from collections.abc import Iterable, Sequence

from sitegen.address import from_page, rig_page
from sitegen.comparison import OWN, Show, comparison
from sitegen.escape import NOTHING, Html, text
from sitegen.numbers import ABSENT, doubt, measured, number
from sitegen.origin import origin
from sitegen.page import paragraph, section
from sitegen.record import Record, Row
from sitegen.run import STAGES, rig, served, source, verdict
from sitegen.table import Cell, Column, Line, table, without_empty

DECODE = "decode"
TOLD_APART = ("wall", "decode-engine", "aggregate", "prefill", "prefill-engine", "ttft")
"""Quantities with a comparison table of their own, besides decode, in this order."""


def of_quantity(rows: Iterable[Row], quantity: str) -> list[Row]:
    """Pick the measurements of one quantity."""
    return [row for row in rows if row["quantity"] == quantity]


def decode(record: Record, page: str, rows: Sequence[Row], show: Show = OWN) -> Html:
    """Write the decode table, or say that there is none."""
    found = of_quantity(rows, DECODE)
    if not found:
        return paragraph(text("Nobody has reported a decode rate here yet."), "missing")
    return comparison(record, page, "Decode, tokens/s", found, show)


def quantities(record: Record, page: str, rows: Sequence[Row], show: Show = OWN) -> list[str]:
    """Write a folded comparison table for each further rate and waiting time."""
    blocks: list[str] = []
    for quantity in TOLD_APART:
        found = of_quantity(rows, quantity)
        if found:
            entry = record.quantities[quantity]
            caption = (
                f"{quantity.replace('-', ' ').capitalize()}, {entry['unit']}: {entry['meaning']}"
            )
            written = comparison(record, page, caption, found, show)
            blocks.append(folded(f"{caption} ({len(found)})", written))
    return blocks


def folded(words: str, shown: Html) -> Html:
    """Fold a part away; it opens without any script."""
    return Html(f"<details><summary>{text(words)}</summary>\n{shown}\n</details>")


def others(record: Record, page: str, rows: Sequence[Row]) -> Html:
    """List every other measurement, one a line, folded away."""
    found = [row for row in rows if row["quantity"] not in (DECODE, *TOLD_APART)]
    if not found:
        return NOTHING
    runs = record.runs_by_id
    columns = (
        Column("Rig"), Column("Quantity"), Column("Value", numeric=True), Column("Unit"),
        Column("Workload"), Column("Protocol"), Column("Context", numeric=True), Column("Source"),
    )  # fmt: skip
    lines = [
        Line(
            [
                _rig(record, page, runs[row["run_id"]]),
                text(row["quantity"].replace("_", " ")),
                Cell(measured(row), row["central"]),
                text(row["unit"]),
                text(row["workload"]) if row["workload"] else ABSENT,
                text(row["protocol"]),
                text(number(row["context_tokens"])) or ABSENT,
                origin(record, page, runs[row["run_id"]], [row]),
            ],
            not row["counts"],
        )
        for row in found
    ]
    written = table("Everything else measured", *without_empty(columns, lines, ABSENT))
    return folded(f"Everything else measured ({len(found)})", written)


def _rig(record: Record, page: str, run: Row) -> Cell:
    label = record.machines[run["rig_id"]]["label"]
    return rig(run, label, from_page(page, rig_page(run["rig_id"])))


def verdicts(record: Record, page: str, runs: Iterable[Row]) -> list[str]:
    """Show what the stages of a report said, run by run."""
    found = [run for run in runs if any(run[stage] for stage in STAGES) or run["suite_overall"]]
    if not found:
        return []
    columns = [
        Column("Rig"),
        Column("Served as"),
        *(Column(stage.capitalize()) for stage in STAGES),
    ]
    columns += [Column("Overall"), Column("Quality packs"), Column("Source")]
    lines = [
        Line(
            [
                _rig(record, page, run),
                served(run),
                *(verdict(run[stage]) for stage in STAGES),
                verdict(run["suite_overall"]),
                _quality(record.quality.get(run["run_id"], [])),
                source(run),
            ]
        )
        for run in found
    ]
    shown = table("Verdicts of the reports", *without_empty(columns, lines, ABSENT))
    return [section("Verdicts", "verdicts"), shown]


def _quality(packs: Iterable[Row]) -> Html:
    told = [f"{pack['pack']} {number(pack['passed'])}/{pack['total']}" for pack in packs]
    return text(", ".join(told)) if told else ABSENT


def failures(record: Record, page: str, runs: Iterable[Row]) -> list[str]:
    """List the runs that did not end well: they are results too."""
    found = [run for run in runs if run["outcome"] not in ("ok", "partial")]
    if not found:
        return []
    columns = [Column("Rig"), Column("Served as"), Column("Outcome"), Column("Stage")]
    columns += [Column("Reason"), Column("Source")]
    lines = [
        Line(
            [
                _rig(record, page, run),
                served(run),
                verdict(run["outcome"]),
                text(run["outcome_stage"]) if run["outcome_stage"] else ABSENT,
                text(run["outcome_reason"]) if run["outcome_reason"] else ABSENT,
                source(run),
            ]
        )
        for run in found
    ]
    return [section("Runs that failed", "failed"), table("Runs that failed", columns, lines)]


def oddities(record: Record, runs: Iterable[Row]) -> Html:
    """List what reports told of odd behaviour, and runs that do not count with the reason."""
    told = [
        text(one["what"] + _boots(one))
        for run in runs
        for one in record.anomalies.get(run["run_id"], [])
    ]
    told += [
        Html(f"{text(run['run_id'])} {doubt(run['status'], run['status_reason'])}")
        for run in runs
        if run["status"] != "active"
    ]
    items = "".join(f"<li>{item}</li>" for item in dict.fromkeys(told))
    return Html(f'<ul class="oddities">{items}</ul>') if items else NOTHING


def _boots(anomaly: Row) -> str:
    """Say how many boots an anomaly was seen on, where the source tells."""
    if anomaly["boots"] is None or anomaly["boots_affected"] is None:
        return ""
    return f" ({anomaly['boots_affected']} of {anomaly['boots']} boots)"
