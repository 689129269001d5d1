"""The model's measured errors and fitted values, as the method page shows them."""

from typing import Any

from sitegen.escape import Html, joined, link, text
from sitegen.fitted import Fitted
from sitegen.numbers import ABSENT, number, percent
from sitegen.page import paragraph
from sitegen.sections import folded
from sitegen.table import Cell, Column, Line, table

Scores = dict[str, dict[str, dict[str, Any]]]
"""Predictor → kind of run → errors."""

ALL = "all"


def errors(fitted: Fitted) -> Html:
    """Write the errors measured on machines left out, coverage, fitted values, worst misses."""
    if fitted.model is None:
        return paragraph(text("No model has been fitted yet: run `rigbook fit`."), "missing")
    found = fitted.model.evaluation
    told = (
        f"Measured on {found['rows']} rows of {found['rigs']} machines, each machine predicted by "
        "a model that had never seen it. Errors are shares of the measured speed."
    )
    return joined(
        [
            paragraph(text(told)),
            scores("Errors on machines left out, all kinds of run", _overall(found["scores"])),
            folded("Errors by kind of run", scores("Errors by kind of run", found["scores"])),
            coverage(found["coverage"]),
            paragraph(text(_ships(found["ships"]))),
            paragraph(text(_left_aside(found))),
            folded("The rows that the model misses most", worst(found["worst"])),
            folded("The fitted values", parameters(fitted.model.parameters)),
        ],
        "\n\n",
    )


def _overall(found: Scores) -> Scores:
    """Keep the errors over all kinds of run, the smallest first."""
    order = sorted(found, key=lambda name: found[name][ALL]["median_ape"])
    return {name: {ALL: found[name][ALL]} for name in order}


def scores(caption: str, found: Scores) -> Html:
    """List the errors of the model and of what it is compared with, by kind of run."""
    columns = (
        Column("Predictor"), Column("Runs"), Column("Rows", numeric=True),
        Column("Machines", numeric=True), Column("Median error", numeric=True),
        Column("80 % below", numeric=True), Column("90 % below", numeric=True),
        Column("Predicted / measured", numeric=True, title="Median ratio; above 1: too high"),
    )  # fmt: skip
    lines = [
        Line(
            [
                text(name),
                text(stratum),
                _count(score["rows"]),
                _count(score["rigs"]),
                *(_share(score[key]) for key in ("median_ape", "p80_ape", "p90_ape")),
                Cell(text(number(score["bias"])), score["bias"]),
            ]
        )
        for name, by_stratum in found.items()
        for stratum, score in by_stratum.items()
    ]
    return table(caption, columns, lines)


def coverage(found: Scores) -> Html:
    """List how often the intervals held."""
    columns = (
        Column("Interval"), Column("Runs"), Column("Held, by machine", numeric=True),
        Column("Held, by row", numeric=True), Column("Machines", numeric=True),
        Column("High / low", numeric=True, title="Middle width of the interval, as a ratio"),
    )  # fmt: skip
    lines = [
        Line(
            [
                Cell(text(percent(float(level))), float(level)),
                text(stratum),
                _share(one["by_rig"]),
                _share(one["by_row"]),
                _count(one["rigs"]),
                Cell(text(number(one["width"])), one["width"]),
            ]
        )
        for level, by_stratum in found.items()
        for stratum, one in by_stratum.items()
    ]
    return table("How often the intervals held, on machines left out", columns, lines)


def _ships(ships: dict[str, str]) -> str:
    answers = ", ".join(f"{stratum}: {name}" for stratum, name in ships.items())
    return (
        "What answers, by kind of run (the plain roofline wherever the learned model does not beat "
        f"it): {answers}."
    )


def _left_aside(found: dict[str, Any]) -> str:
    rules = ", ".join(
        f"{rule} {sum(by_stratum.values())}" for rule, by_stratum in found["excluded"].items()
    )
    share = percent(found["excluded_share"])
    return (
        f"Excluded by stated rules and scored apart: {share} of the rows ({rules or 'none'}; a row "
        f"counts for each rule). {sum(found['unusable'].values())} more lack what a prediction "
        "needs."
    )


def worst(rows: list[dict[str, Any]]) -> Html:
    """List the largest misses, each with its source."""
    columns = (
        Column("Rig"), Column("Variant"), Column("Measured", numeric=True),
        Column("Predicted", numeric=True), Column("Source"),
    )  # fmt: skip
    lines = [
        Line(
            [
                text(row["rig"]),
                text(row["variant"]),
                Cell(text(number(row["measured"])), row["measured"]),
                Cell(text(number(row["predicted"])), row["predicted"]),
                link(row["url"], "source"),
            ]
        )
        for row in rows
    ]
    return table("Largest misses on machines left out, tokens/s", columns, lines)


def parameters(found: dict[str, dict[str, Any]]) -> Html:
    """List what was fitted, beside what was believed before."""
    columns = (
        Column("Name"), Column("Meaning"), Column("Value", numeric=True),
        Column("Before any data", numeric=True), Column("Unit"),
    )  # fmt: skip
    lines = [
        Line(
            [
                text(name),
                text(entry["meaning"]),
                Cell(text(number(entry["value"])), entry["value"]),
                Cell(text(number(entry["prior"])), entry["prior"]),
                text(entry["unit"]),
            ]
        )
        for name, entry in found.items()
    ]
    return table("Fitted values", columns, lines)


def _count(count: int) -> Cell:
    return Cell(text(number(count)), count)


def _share(share: float | None) -> Cell:
    return Cell(text(percent(share)) or ABSENT, share)
