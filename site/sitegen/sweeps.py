"""Rates of one rig with one thing changed: prompt or context depth, threads, drafter depth."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sitegen.record import Record, Row

LEAST = 3
"""Two points are a line through anything."""

MOST = 6
"""Lines in one chart; the table has them all."""


class Step(NamedTuple):
    """One measurement of a line: what was set, and the rate."""

    x: float
    tokens_per_s: float
    row: Row


class Trace(NamedTuple):
    """A line: one rig state, protocol and workload, steps in order of what was changed."""

    label: str
    steps: tuple[Step, ...]


class Sweep(NamedTuple):
    """A kind of sweep: its axis, and where a row stands on it (None: not in this sweep)."""

    name: str
    title: str
    axis: str
    counted: str  # what a place on the axis is a number of, in running text
    quantity: str
    least: int  # steps that make a line
    place: Callable[[Row, Row], float | None]  # (measurement, run) → x


def _prompt(row: Row, _: Row) -> float | None:
    depth = row["context_tokens"] or row["nominal_tokens"] or row["prompt_tokens"]
    return None if depth is None else float(depth)


def _context(row: Row, _: Row) -> float | None:
    depth = row["context_tokens"]
    return None if depth is None else float(depth)


def _threads(_: Row, run: Row) -> float | None:
    swept = (run["series_axis"] or "").endswith("threads")
    return float(run["threads"]) if swept and run["threads"] is not None else None


def _drafted(_: Row, run: Row) -> float | None:
    if not (run["series_axis"] or "").endswith("drafter.depth"):
        return None
    if run["drafter"] == "none":
        return 0.0
    return None if run["drafter_depth"] is None else float(run["drafter_depth"])


SWEEPS = (
    Sweep("prefill", "Prefill by depth", "Prompt or context, tokens",
          "tokens of prompt or context", "prefill", 2, _prompt),
    Sweep("context", "Decode by context", "Context already filled, tokens",
          "tokens of context", "decode", 3, _context),
    Sweep("threads", "Decode by threads", "Threads", "threads", "decode", 3, _threads),
    Sweep("drafted", "Decode by drafter depth", "Tokens drafted a pass (0: off)",
          "tokens drafted a pass", "decode", 3, _drafted),
)  # fmt: skip
"""Runs of one series differ in its axis alone; depth changes within a run."""


def traces(record: Record, sweep: Sweep, rows: Iterable[Row]) -> list[Trace]:
    """Gather the lines of a sweep, the longest first; a step measured twice keeps its last."""
    runs = record.runs_by_id
    found: dict[tuple[str, ...], dict[float, Step]] = {}
    for row in rows:
        run = runs[row["run_id"]]
        x = sweep.place(row, run) if _drawable(sweep, row) else None
        if x is not None:
            found.setdefault(_key(row, run), {})[x] = Step(x, row["central"], row)
    lines = [
        Trace(_label(record, steps[0].row), steps)
        for steps in (
            tuple(sorted(one.values(), key=lambda step: step.x)) for one in found.values()
        )
        if len(steps) >= sweep.least
    ]
    if sum(len(line.steps) for line in lines) < LEAST:
        return []
    return sorted(lines, key=lambda line: (-len(line.steps), line.label))


def _drawable(sweep: Sweep, row: Row) -> bool:
    single = row["streams"] in (None, 1)
    return bool(row["quantity"] == sweep.quantity and row["counts"] and single)


def _key(row: Row, run: Row) -> tuple[str, ...]:
    """What must be equal along a line: a series is one line, else the run is."""
    along = f"series {run['series']}" if run["series"] else f"run {run['run_id']}"
    weights = f"{run['model']} {run['quant']}"
    return row["state_id"], along, weights, row["protocol"], row["workload"] or ""


def _label(record: Record, row: Row) -> str:
    words = (record.machines[row["rig_id"]]["label"], row["workload"], row["protocol"])
    return ", ".join(word for word in words if word)


def told_apart(lines: Sequence[Trace]) -> list[Trace]:
    """Number the labels that several lines share, so that each is one line in the chart."""
    seen: dict[str, int] = {}
    named = []
    for line in lines:
        seen[line.label] = seen.get(line.label, 0) + 1
        number = seen[line.label]
        named.append(line._replace(label=f"{line.label} ({number})") if number > 1 else line)
    return named
