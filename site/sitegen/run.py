"""A run in cells: where its experts lie, its drafter and cache, its verdicts, its source."""

from collections.abc import Callable

from sitegen.escape import Html, inside, joined, link, text
from sitegen.numbers import ABSENT, inferred, value
from sitegen.record import Row
from sitegen.table import Cell, Column

STAGES = ("verify", "stress", "soak", "bench", "agentic")


def _guessed(run: Row, pointer: str) -> bool:
    return any(at.startswith(pointer) for at in run["inferred"])


def field(column: str, pointer: str, unit: str = "") -> Callable[[Row], Cell]:
    """Make the cell of one plain column of a run."""

    def cell(run: Row) -> Cell:
        return Cell(value(run[column], guessed=_guessed(run, pointer), unit=unit), run[column])

    return cell


def placement(run: Row) -> Cell:
    """Tell where the routed experts lie."""
    layers = run["layers_on_cpu"]
    words = run["offload"]
    if layers is not None:
        words = f"{layers} layers in RAM"
    return Cell(value(words, guessed=_guessed(run, "/launch/offload")), layers)


def drafter(run: Row) -> Cell:
    """Name the drafter with depth and device; off and unknown are two things."""
    if run["drafter"] in (None, "none"):
        return Cell(value(run["drafter"] and "off", guessed=_guessed(run, "/launch/drafter")))
    parts = [
        run["drafter"],
        f"depth {run['drafter_depth']}" if run["drafter_depth"] is not None else "",
        f"on {run['drafter_device']}" if run["drafter_device"] else "",
    ]
    words = ", ".join(part for part in parts if part)
    return Cell(value(words, guessed=_guessed(run, "/launch/drafter")), words)


def cache(run: Row) -> Cell:
    """Tell whether an expert cache was on, and its size."""
    words = {"none": "off", "on": "on"}.get(run["expert_cache"] or "")
    if run["cache_mib"] is not None:
        words = f"{run['cache_mib']:,.0f} MiB"
    return Cell(value(words, guessed=_guessed(run, "/launch/expert_cache")), run["cache_mib"])


def served(run: Row) -> Html:
    """Name what was served: slug, or the name that the text used, or model and quant."""
    if run["slug"]:
        return text(run["slug"])
    if run["named"]:
        return Html(f"{text(run['named'])} <small>as the report names it</small>")
    words = " ".join(filter(None, (run["model"], run["quant"]))) or run["weights_spelled"]
    return text(words) if words else ABSENT


def engine(run: Row) -> Cell:
    """Name the engine and its build."""
    name = value(run["engine"], guessed=_guessed(run, "/engine/name"))
    build = Html(f"<small>{text(run['engine_build'])}</small>") if run["engine_build"] else None
    return Cell(joined([name, build]) if build else name, run["engine"])


def source(row: Row) -> Html:
    """Link the source of a row: who, and which post of the thread."""
    words = row["author"] or row["source_kind"]
    post = f" #{row['post']}" if row["post"] is not None else ""
    return link(row["source_url"], f"{words}{post}")


def rig(run: Row, label: str, address: str) -> Cell:
    """Link the machine of a run, with the state it was in."""
    state = Html(f"<small>{text(run['state_id'].partition('@')[2])}</small>")
    return Cell(joined([inside(address, label), state]), label.lower())


def verdict(outcome: str | None) -> Html:
    """Show a stage's outcome; what was not run stays a dash."""
    if outcome is None:
        return ABSENT
    return Html(f'<span class="stage {text(outcome)}">{text(outcome)}</span>')


PLAIN: tuple[tuple[Column, Callable[[Row], Cell]], ...] = (
    (Column("Experts"), placement),
    (Column("Threads", numeric=True), field("threads", "/launch/threads")),
    (Column("Drafter", wide=True), drafter),
    (Column("Expert cache"), cache),
    (Column("Thinking"), lambda run: Cell(thinking(run))),
    (Column("Engine", wide=True), engine),
)
"""Columns about the launch that every comparison has, if any of its rows says something."""


def thinking(run: Row) -> Html:
    """Tell whether the model was thinking."""
    if run["thinking"] is None:
        return ABSENT
    shown = text("on" if run["thinking"] else "off")
    return inferred(shown) if _guessed(run, "/launch/thinking") else shown
