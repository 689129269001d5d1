"""Which decode rates go into a chart, and where they stand on its axes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sitegen.numbers import number
from sitegen.record import Record, Row
from sitegen.state import best_figure, central

SHALLOW_TOKENS = 4096
"""Deeper contexts cost attention time, so they stand in tables, not among points at the start."""

MIN_POINTS = 3
"""Two points are a line through anything."""

Factor = Callable[[Row], float | None]


class Point(NamedTuple):
    """One rate on one rig: read bandwidth against tokens/s."""

    rig_id: str
    label: str
    served: str
    reads_gbps: float
    stated: str  # the bandwidth as stated, with its method
    method: str
    cores: int | None
    tokens_per_s: float
    low: float | None
    high: float | None
    inferred: bool
    own: bool  # False: the same weights, launched otherwise


class Cloud(NamedTuple):
    """The points of one protocol and workload: never of two."""

    protocol: str
    workload: str | None
    points: tuple[Point, ...]


def clouds(record: Record, own: Iterable[Row], kin: Iterable[Row], factor: Factor) -> list[Cloud]:
    """Gather the points, canonical ones first; `factor` turns a method's figure into reads.

    `kin` are rows of the same weights under another launch: they help to see, marked apart.
    """
    found: Mapping[tuple[str, str | None], dict[tuple[str, ...], tuple[Row, bool]]]
    found = defaultdict(dict)
    for row, is_own in (*((row, True) for row in own), *((row, False) for row in kin)):
        if shallow_decode(row):
            best = found[row["protocol"], row["workload"]]
            key = _same(row)
            if key not in best or best[key][0]["central"] < row["central"]:
                best[key] = row, is_own
    gathered = [
        Cloud(*pair, tuple(filter(None, (_point(record, *one, factor) for one in best.values()))))
        for pair, best in found.items()
    ]
    enough = [
        cloud
        for cloud in gathered
        if len(cloud.points) >= MIN_POINTS and any(point.own for point in cloud.points)
    ]
    return sorted(enough, key=lambda cloud: _order(record, cloud))


def _order(record: Record, cloud: Cloud) -> tuple[bool, int, str]:
    """Canonical protocols first, then the most points, then narrative before other workloads."""
    canonical = bool(record.protocols[cloud.protocol]["canonical"])
    first = "" if cloud.workload == "narrative" else cloud.workload or "~"
    return not canonical, -len(cloud.points), first


def shallow_decode(row: Row) -> bool:
    """Tell whether a row is a decode rate that counts, of one stream and with little context."""
    depth = row["context_tokens"] or row["nominal_tokens"] or row["prompt_tokens"] or 0
    return bool(
        row["quantity"] == "decode"
        and row["counts"]
        and row["streams"] in (None, 1)
        and depth <= SHALLOW_TOKENS
    )


def _same(row: Row) -> tuple[str, ...]:
    """A sweep on one rig state is one point: its best."""
    if row["series"]:
        return row["state_id"], "series", row["series"]
    return row["state_id"], "run", row["run_id"]


def _point(record: Record, row: Row, is_own: bool, factor: Factor) -> Point | None:  # noqa: FBT001 - one of a pair
    figure = best_figure(record, row["state_id"], row["bundle_id"])
    times = factor(figure) if figure else None
    if figure is None or times is None:
        return None
    guessed = row["how"] == "inferred" or figure["how"] == "inferred" or not figure["measured"]
    return Point(
        rig_id=row["rig_id"],
        label=record.machines[row["rig_id"]]["label"],
        served=row["slug"] or " ".join(filter(None, (row["model"], row["quant"]))),
        reads_gbps=central(figure) * times,
        stated=f"{number(central(figure))} {figure['method']}",
        method=figure["method"],
        cores=record.states[row["state_id"]]["cores"],
        tokens_per_s=row["central"],
        low=row["low"],
        high=row["high"],
        inferred=guessed,
        own=is_own,
    )
