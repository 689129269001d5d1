"""Fragments that hand-written pages take in: counts, leaders, protocols, bandwidth methods."""

from collections import Counter
from pathlib import Path

from sitegen.address import HOME, METHOD, from_page
from sitegen.coverage import COVERAGE
from sitegen.escape import Html, inside, joined, text
from sitegen.experiments import clear_ones
from sitegen.leaders import leaders
from sitegen.numbers import number, value
from sitegen.page import paragraph
from sitegen.record import Record
from sitegen.rules import rules
from sitegen.table import Cell, Column, Line, table


def parts(record: Record, errors: Html) -> dict[str, Html]:
    """Make every fragment, by file name."""
    return {
        "home.html": joined([counts(record), leaders(record)], "\n\n"),
        "errors.html": errors,
        "protocols.html": protocols(record),
        "methods.html": methods(record),
        "rules.html": rules(),
        "pairs.html": clear_ones(record, METHOD),
    }


def write_parts(made: dict[str, Html], folder: Path) -> None:
    """Write the fragments into `folder`."""
    folder.mkdir(parents=True)
    for name, shown in made.items():
        (folder / name).write_text(f"{shown}\n", encoding="utf-8")


def counts(record: Record) -> Html:
    """Say how much stands behind the pages."""
    n = record.counts
    told = (
        (n["measurements"], "measurements"),
        (n["runs"], "runs"),
        (n["rigs"], "rigs"),
        (n["slugs"], "slugs measured"),
        (n["variants"], "variants"),
        (n["doubtful"], "doubtful, kept and marked"),
    )
    items = "".join(f"<li><b>{text(number(count))}</b> {text(words)}</li>" for count, words in told)
    newest = f"Newest source: {n['newest']}. " if n["newest"] else ""
    missing = inside(from_page(HOME, COVERAGE), "What has been measured where, and what is missing")
    return Html(
        f'<ul class="counts">{items}</ul>{paragraph(text(newest) + " " + missing, "newest")}'
    )


def protocols(record: Record) -> Html:
    """List the protocols of the record with what each means."""
    rows = Counter(row["protocol"] for row in record.measurements)
    columns = (
        Column("Protocol"), Column("Meaning"), Column("Sampling"), Column("Clock"),
        Column("Measurements", numeric=True),
    )  # fmt: skip
    lines = [
        Line(
            [
                text(name),
                text(entry["meaning"]),
                text(entry["sampling"]),
                text(entry["clock"]),
                Cell(text(number(rows[name])), rows[name]),
            ]
        )
        for name, entry in sorted(record.protocols.items(), key=lambda one: -rows[one[0]])
    ]
    return table("Protocols", columns, lines)


def methods(record: Record) -> Html:
    """List the bandwidth methods with what turns each into read bandwidth."""
    found = [row for rows in record.bandwidths.values() for row in rows]
    rows = Counter(row["method"] for row in found)
    columns = (
        Column("Method"), Column("Meaning"), Column("Measured"), Column("Counts"),
        Column("Read GB/s for each GB/s", numeric=True), Column("Figures", numeric=True),
    )  # fmt: skip
    lines = [
        Line(
            [
                text(name),
                text(entry["meaning"]),
                text("yes" if entry["measured"] else "no"),
                text(entry["counts"]),
                Cell(value(entry["reads_per_gbps"]), entry["reads_per_gbps"]),
                Cell(text(number(rows[name])), rows[name]),
            ]
        )
        for name, entry in sorted(record.methods.items(), key=lambda one: -rows[one[0]])
    ]
    return table("Bandwidth methods", columns, lines)
