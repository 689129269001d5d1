"""A rig state in cells: processor, memory, bandwidth by method, cards."""

from collections.abc import Iterable

from sitegen.escape import NOTHING, Html, joined, text
from sitegen.numbers import ABSENT, inferred, number, span, value
from sitegen.record import Record, Row
from sitegen.table import Cell


def processor(state: Row) -> Cell:
    """Name the CPU with sockets and physical cores."""
    guessed = state["inferred"]
    sockets = state["sockets"]
    name = value(state["cpu_model"], guessed="cpu_model" in guessed)
    times = text(f"{sockets} ×") if sockets is not None and sockets > 1 else NOTHING
    cores = value(state["cores"], guessed="cores" in guessed, unit="cores")
    small = Html(f"<small>{cores}</small>") if state["cores"] is not None else NOTHING
    guest = Html("<small>in a guest</small>") if state["guest"] else NOTHING
    return Cell(joined([times, name, small, guest]), state["cpu_model"])


def memory(state: Row) -> Cell:
    """Tell size, kind, rate and channels of the memory."""
    guessed = state["inferred"]
    populated, total = state["channels_populated"], state["channels_total"]
    channels = f"{populated} of {total}" if populated and total else populated or total
    parts = [
        value(state["memory_gib"], guessed="memory_gib" in guessed, unit="GiB"),
        value(state["memory_kind"], guessed="memory_kind" in guessed),
        value(state["mts"], guessed="mts" in guessed, unit="MT/s"),
        value(
            channels and f"{channels} channels",
            guessed=("channels_populated" if populated else "channels_total") in guessed,
        ),
    ]
    shown = [part for part in parts if part != ABSENT]
    return Cell(joined(shown, ", ") if shown else ABSENT, state["memory_gib"])


def cards(state: Row) -> Cell:
    """Name the cards of the box; a box known to have none says so."""
    if state["gpu_count"] == 0:
        return Cell(text("none"), 0.0)
    shown = value(state["gpu_names"], guessed="gpu_names" in state["inferred"])
    return Cell(shown, state["vram_gib"])


def usable(rows: Iterable[Row], bundle_id: str | None = None) -> list[Row]:
    """Put the bandwidth figures in the order of trust: this bundle's, measured, machine at rest."""
    figures = [row for row in rows if row["gbps"] or row["low"] or row["high"]]
    return sorted(
        figures,
        key=lambda row: (
            not row["measured"],
            row["bundle_id"] != bundle_id,
            bool(row["under_load"]),
        ),
    )


def rated(record: Record, state_id: str) -> Row | None:
    """Work out what the DIMMs are rated for, as a figure of the method `rated`."""
    state = record.states[state_id]
    channels = state["channels_populated"] or state["channels_total"]
    method = record.methods.get("rated")
    if not (channels and state["mts"] and method):
        return None
    gbps = channels * state["mts"] * 8 / 1000  # eight bytes a transfer and channel
    return {**method, "gbps": gbps, "low": None, "high": None, "how": "inferred"}


def best_figure(record: Record, state_id: str, bundle_id: str | None = None) -> Row | None:
    """Pick the figure to trust most: one that was reported, else the rating."""
    reported = usable(record.bandwidths.get(state_id, []), bundle_id)
    return reported[0] if reported else rated(record, state_id)


def central(row: Row) -> float:
    """Give one figure for a bandwidth row: the value, or the middle of its range."""
    if row["gbps"] is not None:
        return float(row["gbps"])
    ends = [end for end in (row["low"], row["high"]) if end is not None]
    return float(sum(ends) / len(ends))


def one_bandwidth(row: Row) -> Html:
    """Show a bandwidth figure; the method always stands beside it."""
    figure = number(row["gbps"]) or span(row["low"], row["high"])
    main = text(figure)
    shown = inferred(main) if row["how"] == "inferred" else Html(f"<b>{main}</b>")
    marks = [
        row["method"],
        "" if row["measured"] else "not a measurement",
        "under load" if row.get("under_load") else "",
    ]
    return Html(f"{shown} <small>{text(', '.join(mark for mark in marks if mark))}</small>")


def bandwidth(record: Record, state_id: str, bundle_id: str | None = None) -> Cell:
    """Show the most trusted bandwidth figure of a state (its rig's page has them all)."""
    figure = best_figure(record, state_id, bundle_id)
    if figure is None:
        return Cell(ABSENT)
    return Cell(one_bandwidth(figure), central(figure))
