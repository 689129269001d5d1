"""A page a machine: its states, its bandwidth by method, its runs, the doubtful ones marked."""

from collections.abc import Iterator
from itertools import chain

from sitegen import sections
from sitegen import state as states
from sitegen.address import rig_page
from sitegen.comparison import ONE_RIG
from sitegen.escape import Html, link, text
from sitegen.experiments import watch
from sitegen.history import history
from sitegen.numbers import ABSENT, number, value
from sitegen.page import Page, facts, page, paragraph, section
from sitegen.record import Record, Row, rows_of
from sitegen.table import Cell, Column, Line, table, without_empty

MOST_SEARCHED = 500
"""With more machines than this the search index, which every page fetches, would be too heavy."""


def rig_pages(record: Record) -> Iterator[Page]:
    """Make the page of every machine."""
    searched = len(record.machines) <= MOST_SEARCHED
    for machine in record.machines.values():
        yield _rig(record, machine)._replace(searched=searched)


def _rig(record: Record, machine: Row) -> Page:
    rig_id = machine["rig_id"]
    address = rig_page(rig_id)
    runs = record.runs_by_rig.get(rig_id, [])
    known = record.states_by_rig.get(rig_id, [])
    rows = rows_of(record, runs)
    blocks = [
        _facts(machine, known, runs),
        section("States", "states"),
        _states(known),
        *_bandwidth(record, known),
        section("Decode", "decode"),
        sections.decode(record, address, rows, ONE_RIG),
        sections.oddities(record, runs),
        *sections.quantities(record, address, rows, ONE_RIG),
        sections.others(record, address, rows),
        *sections.verdicts(record, address, runs),
        *sections.failures(record, address, runs),
        *watch(record, address, rig_id),
        *history(record, rig_id),
        section("Sources", "sources"),
        _sources([*rows, *runs, *_reposts(record, runs)]),
    ]
    description = f"{machine['label']}: its hardware and {len(rows)} measurements, with sources."
    return page(address, machine["label"], description, blocks)


def _facts(machine: Row, known: list[Row], runs: list[Row]) -> Html:
    served = {run["slug"] or run["model"] for run in runs} - {None}
    return facts(
        [
            ("Told by", value(", ".join(sorted({run["author"] for run in runs} - {None})))),
            ("States", text(number(len(known)))),
            ("Runs", text(number(len(runs)))),
            ("Models and slugs", text(number(len(served)))),
            ("Key", Html(f"<code>{text(machine['rig_id'])}</code>")),
        ]
    )


def _states(known: list[Row]) -> Html:
    columns = [
        Column("State"), Column("Processor"), Column("All-core clock, GHz", numeric=True),
        Column("Memory"), Column("DIMMs"), Column("NUMA nodes", numeric=True), Column("Cards"),
        Column("VRAM, GiB", numeric=True), Column("System"), Column("Environment"),
    ]  # fmt: skip
    lines = [
        Line(
            [
                text(state["state"]),
                states.processor(state),
                value(state["all_core_ghz"]),
                states.memory(state),
                value(state["dimms"], guessed="dimms" in state["inferred"]),
                value(state["numa_nodes"], guessed="numa_nodes" in state["inferred"]),
                states.cards(state),
                Cell(value(state["vram_gib"]), state["vram_gib"]),
                value(state["os"]),
                value(state["environment"]),
            ]
        )
        for state in known
    ]
    return table("The machine in its states", *without_empty(columns, lines, ABSENT))


def _bandwidth(record: Record, known: list[Row]) -> list[str]:
    names = {state["state_id"]: state["state"] for state in known}
    found = list(chain.from_iterable(record.bandwidths.get(one, []) for one in names))
    if not found:
        words = "No bandwidth figure has been reported: hard to predict from its rows."
        return [paragraph(text(words), "missing")]
    columns = [
        Column("State"), Column("GB/s and method"), Column("Counts"),
        Column("Threads", numeric=True), Column("How"), Column("Note"),
    ]  # fmt: skip
    lines = [
        Line(
            [
                text(names[row["state_id"]]),
                Cell(states.one_bandwidth(row), states.central(row)),
                value(row["counts"]),
                value(row["threads"]),
                text(row["how"]),
                value(row["note"]),
            ]
        )
        for row in found
        if row["gbps"] or row["low"] or row["high"]
    ]
    shown = table("Memory bandwidth", *without_empty(columns, lines, ABSENT))
    return [section("Memory bandwidth", "bandwidth"), shown]


def _reposts(record: Record, runs: list[Row]) -> list[Row]:
    return [one for run in runs for one in record.reposts.get(run["run_id"], ())]


def _sources(told: list[Row]) -> Html:
    found = {(row["source_url"], row["author"], row["post"], row["date"]) for row in told}
    items = [
        f"<li>{link(url, url)} {_who(author, post, date)}</li>"
        for url, author, post, date in sorted(found, key=str)
    ]
    return Html(f"<ul>{''.join(items)}</ul>")


def _who(author: str | None, post: int | None, date: object) -> Html:
    told = [author, f"post {post}" if post is not None else None, str(date) if date else None]
    words = ", ".join(word for word in told if word)
    return text(f"({words})") if words else Html("")
