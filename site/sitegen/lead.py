"""The first screen of a slug: what rigs get, by class of bandwidth, before any wide table."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from sitegen.comparison import NO_WORKLOAD, workloads
from sitegen.coverage import BANDS, NO_BAND, band
from sitegen.escape import Html, joined, text
from sitegen.fitted import SOME_CORES, Fitted, comparable, estimates
from sitegen.numbers import ABSENT, number, span
from sitegen.page import paragraph
from sitegen.points import shallow_decode
from sitegen.record import Record, Row
from sitegen.table import Column, Line, table, without_empty

MOST_WORKLOADS = 2
"""Columns of the first table: it must fit a phone."""

CHANNELS = ("2 channels", "4 channels", "8 channels", "12 or more")
"""What a band means, roughly, in channels of the usual memory (`coverage.BANDS`)."""

MIDDLES_GBPS = (50.0, 100.0, 200.0, 350.0)
"""A read bandwidth inside each band that the estimate is made for: its middle by ratio."""


class Like(NamedTuple):
    """Rates that may stand side by side: one protocol, single stream, little context."""

    protocol: str
    rows: list[Row]


def lead(
    record: Record, fitted: Fitted, entry: Row, target: str | None, rows: Sequence[Row]
) -> list[Html]:
    """Write the lead: the span in one sentence, then a line a class of bandwidth."""
    found = alike(record, rows)
    said = [paragraph(joined([_span(record, found), _need(entry)]), "lead")]
    if entry["offload"] == "none":
        return said if found.rows else []
    return [*said, *_classes(record, fitted, target, found)]


def alike(record: Record, rows: Sequence[Row]) -> Like:
    """Pick the protocol to lead with: a canonical one, else the one with the most rates."""
    counted = Counter(row["protocol"] for row in rows if shallow_decode(row))
    if not counted:
        return Like("", [])

    def rank(protocol: str) -> tuple[bool, int, str]:
        return not record.protocols[protocol]["canonical"], -counted[protocol], protocol

    protocol = min(counted, key=rank)
    return Like(
        protocol, [row for row in rows if shallow_decode(row) and row["protocol"] == protocol]
    )


def _span(record: Record, found: Like) -> Html:
    if not found.rows:
        return text("Nobody has reported a decode rate here yet.")
    rigs = len({row["rig_id"] for row in found.rows})
    spans = [
        f"{_range(found.rows, workload)} ({workload})"
        for workload in workloads(found.rows)[:MOST_WORKLOADS]
    ]
    top = max(found.rows, key=lambda row: row["central"])
    fastest = record.machines[top["rig_id"]]["label"]
    rest = f"on {rigs} {'rig' if rigs == 1 else 'rigs'}, {found.protocol}."
    said = f"Fastest: {fastest}." if rigs > 1 else f"Measured by {fastest}."
    return Html(f"<b>{text(' and '.join(spans))} {text('tokens/s')}</b> {text(f'{rest} {said}')}")


def _need(entry: Row) -> Html:
    """Tell what the slug asks of a rig, in a few words."""
    cards = f"{entry['cards']} × {entry['reference_gpu']}"
    ram = f"{number(entry['host_ram_gib'])} GiB of host RAM and " if entry["host_ram_gib"] else ""
    return text(f"Made for {ram}{cards}.")


def _range(rows: Sequence[Row], workload: str) -> str:
    rates = [row["central"] for row in rows if (row["workload"] or NO_WORKLOAD) == workload]
    return span(min(rates), max(rates)) if rates else ""


def _classes(record: Record, fitted: Fitted, target: str | None, found: Like) -> list[Html]:
    """Write a line a band; nothing when neither a rate nor an estimate stands in any."""
    named = workloads(found.rows)[:MOST_WORKLOADS]
    cores = _cores(record, found)
    guesses = _estimates(record, fitted, target, found, cores)
    columns = [
        Column("Reads, GB/s"),
        *(Column(workload.capitalize(), numeric=True) for workload in named),
        Column("Rigs", numeric=True),
        Column("Estimate", numeric=True),
    ]
    lines = [
        _class(record, found.rows, name, named, guess)
        for (_, name), guess in zip(BANDS, guesses, strict=True)
    ]
    unknown = _class(record, found.rows, NO_BAND, named, ABSENT)
    lines += [unknown] if any(one != ABSENT for one in unknown.cells[1:]) else []
    kept, written = without_empty(columns, lines, ABSENT)
    if len(kept) == 1:
        return []
    measured = f"What rigs get, tokens/s, {found.protocol}"
    caption = measured if found.protocol else "What rigs may get, tokens/s"
    shown = [table(caption, kept, written)]
    if kept[-1].head == "Estimate":
        at = ", ".join(number(gbps) for gbps in MIDDLES_GBPS)
        told = (
            f"Estimate: the model at {at} GB/s of reads, {cores} cores, narrative; 80 % interval."
        )
        shown.append(paragraph(text(told), "note"))
    return shown


def _class(
    record: Record, rows: Sequence[Row], name: str, named: Sequence[str], guess: Html
) -> Line:
    own = [row for row in rows if band(record, row["state_id"]) == name]
    rigs = len({row["rig_id"] for row in own})
    ranges = (_range(own, workload) for workload in named)
    hints = dict(zip((one for _, one in BANDS), CHANNELS, strict=True))
    hint = Html(f"<small>{text(hints[name])}</small>") if name in hints else text("")
    return Line(
        [
            joined([text(name), hint]),
            *(Html(f"<b>{text(words)}</b>") if words else ABSENT for words in ranges),
            text(rigs) if rigs else ABSENT,
            guess,
        ]
    )


def _cores(record: Record, found: Like) -> int:
    """Give the cores that the rigs here have, in the middle."""
    known: list[int | None]
    known = [record.states[row["state_id"]]["cores"] for row in found.rows]
    return round(median([one for one in known if one] or [SOME_CORES]))


def _estimates(
    record: Record, fitted: Fitted, target: str | None, found: Like, cores: int
) -> list[Html]:
    """Ask the model at the middle of each band."""
    canonical = not found.protocol or bool(record.protocols[found.protocol]["canonical"])
    if target is None or not comparable(fitted, target, canonical=canonical):
        return [ABSENT for _ in BANDS]
    asked = estimates(fitted, target, cores, MIDDLES_GBPS, "narrative")
    return [
        Html(f"{text(number(one.tokens_per_s))} <small>{text(span(one.low, one.high))}</small>")
        for one in asked
    ]
