"""Where a measured row lies against the model: percentile, interval, suspects, nearest rigs.

An owner asks "is my number normal, and what limits it?"; a maintainer asks the same of a
submission.
"""

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Any, NamedTuple

import duckdb
import numpy as np

from models.answer import Neighbour
from models.estimate import parameters_of
from models.expert_cache import hit_rate_of
from models.facts import variant_of
from models.limit import limit_of
from models.nearest import Place, nearest
from models.physics import tokens_per_s
from models.record import FittedModel
from models.request import LEVELS
from models.roofline import roofline_tokens_per_s
from models.rows import FitRow, with_defaults
from models.setup import Target, interval_of

LEVEL = 0.8
"""The interval that is printed by default, here as in `predict`."""

LOW, HIGH = 20, 80
"""Percentiles beyond which a row is looked at for what may have slowed or helped it."""

WARM = 0.6
"""A hit rate below this share of what its pool gives tells of a cache that is still filling."""


class Placed(NamedTuple):
    """A measured row against the model; `suspects` name what may explain a percentile far out."""

    measurement_id: str
    rig: str
    variant: str
    workload: str
    tokens_per_s: float
    predicted: float
    low: float
    high: float
    percentile: int
    limit: str
    wall_share: float
    suspects: tuple[str, ...]
    nearest: tuple[Neighbour, ...]

    @property
    def inside(self) -> bool:
        """Tell whether the row lies in the interval."""
        return self.low <= self.tokens_per_s <= self.high


def speed(model: FittedModel, row: FitRow) -> float:
    """Predict a row as the model would have: what it tells, else the model's defaults."""
    parameters, filled = parameters_of(model), with_defaults(row, model.defaults)
    if model.ships[row.stratum] == "roofline":
        constant = model.roofline[row.stratum]
        return float(roofline_tokens_per_s(filled.inputs, parameters, constant))
    left = model.effects.get(row.model, 0.0) + model.effects.get(row.variant, 0.0)
    return float(tokens_per_s(filled.inputs, parameters)) * exp(left)


def placed(model: FittedModel, row: FitRow, told: dict[str, Any]) -> Placed:
    """Place one row; `told` is what its rig and run say (`told_of`)."""
    filled = with_defaults(row, model.defaults)
    expected = speed(model, row)
    bracket = model.intervals[interval_of(row.stratum, row.inputs)]
    limit = limit_of(filled.inputs, parameters_of(model))
    percentile = percentile_of(log(row.tokens_per_s / expected), bracket)
    return Placed(
        measurement_id=row.measurement_id,
        rig=row.rig,
        variant=row.variant,
        workload=row.workload,
        tokens_per_s=row.tokens_per_s,
        predicted=expected,
        low=expected * exp(bracket[f"{LEVEL:g}"][0]),
        high=expected * exp(bracket[f"{LEVEL:g}"][1]),
        percentile=percentile,
        limit=limit.name,
        wall_share=row.tokens_per_s / limit.wall_tokens_per_s,
        suspects=tuple(suspects(percentile, row, told, _hits_expected(model, row))),
        nearest=tuple(_neighbours(model, filled)),
    )


def _hits_expected(model: FittedModel, row: FitRow) -> float:
    if not row.inputs.cache_on or row.coverage is None:
        return 0.0
    return hit_rate_of(model.defaults["hit_rate"], row.model, row.coverage)


def percentile_of(left: float, bracket: dict[str, list[float]]) -> int:
    """Find the percentile of a log error between the edges of the levels; 1 to 99 at the ends."""
    edges = {50.0: 0.0}
    for level in LEVELS:
        low, high = bracket[f"{level:g}"]
        edges[50 * (1 - level)] = min(low, 0.0)
        edges[50 * (1 + level)] = max(high, 0.0)
    shares = sorted(edges)
    places = np.maximum.accumulate([edges[share] for share in shares])
    beyond = 1.0 if left < places[0] else 99.0 if left > places[-1] else None
    return round(beyond or float(np.interp(left, places, shares)))


def suspects(
    percentile: int, row: FitRow, told: dict[str, Any], hits_expected: float = 0.0
) -> Iterable[str]:
    """Name what may have slowed a slow row, or made a fast one look fast."""
    if percentile <= LOW:
        yield from (text for holds, text in _slow(row, told, hits_expected) if holds)
    if percentile >= HIGH:
        yield from (text for holds, text in _fast(row, told) if holds)


def _slow(row: FitRow, told: dict[str, Any], expected: float) -> list[tuple[bool, str]]:
    threads, cores = told["threads"], told["cores"]
    populated, channels = told["channels_populated"], told["channels_total"]
    need, room = told["weights_gib"] or 0.0, told["memory_gib"] or float("inf")
    capped = told["power_w"] is not None and told["power_default_w"] is not None
    return [
        (bool(threads and cores and threads > cores), f"threads: {threads} on {cores} cores"),
        (bool(threads and threads > 1 and threads % 2), f"threads: {threads}, an odd number"),
        (
            bool(populated and channels and populated < channels),
            f"missing channel: {populated} of {channels} populated",
        ),
        (
            bool(capped and told["power_w"] < told["power_default_w"]),
            f"power cap: {told['power_w']} of {told['power_default_w']} W",
        ),
        (bool(told["guest"]), "guest: runs in a virtual machine"),
        (need > room, f"swap: {need:.0f} GiB in {room:.0f} GiB of memory"),
        (bool((told["numa_nodes"] or 1) > 1), f"NUMA: {told['numa_nodes']} nodes"),
        (
            bool(expected and row.hit_rate is not None and row.hit_rate < WARM * expected),
            f"warming cache: {row.hit_rate or 0:.0%} hits, its pool gives {expected:.0%}",
        ),
    ]


def _fast(row: FitRow, told: dict[str, Any]) -> list[tuple[bool, str]]:
    return [
        (bool(row.drafter and row.accepted is None), "acceptance not told: assumed"),
        (bool(row.inputs.cache_on and row.hit_rate is None), "hit rate not told: assumed"),
        (not row.measured_bandwidth, "bandwidth not measured: taken from channels and rate"),
        (told["sampling"] == "greedy", "greedy: acceptance is near 1"),
        (told["threads"] is None, "threads not told: assumed"),
    ]


def _neighbours(model: FittedModel, row: FitRow) -> list[Neighbour]:
    """List the nearest other rigs of the record, one row each."""
    x, facts = row.inputs, model.facts
    read_gbps = x.gbps * facts["methods"][sorted(facts["methods"])[x.method]]
    target = Target(row.slug, {}, variant_of(facts, row.model, row.quant) or {})
    others = [anchor for anchor in model.anchors if anchor["rig"] != row.rig]
    return nearest(others, target, Place(x, read_gbps, row.workload))


def told_of(connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read what rig and run say beside each measurement."""
    relation = connection.execute(_TOLD, [list(ids)])
    names = [column[0] for column in relation.description or ()]
    rows = [dict(zip(names, values, strict=True)) for values in relation.fetchall()]
    return {row["measurement_id"]: row for row in rows}


_TOLD = """
SELECT m.measurement_id, r.threads, s.cores, s.channels_populated, s.channels_total, s.guest,
    s.numa_nodes, s.memory_gib + coalesce(s.vram_gib, 0) AS memory_gib,
    coalesce(r.weights_gib, v.file_gib, v.routed_gib) AS weights_gib, p.sampling,
    g.power_w, g.power_default_w
FROM measurements AS m
JOIN runs AS r USING (run_id)
JOIN rig_states AS s ON s.state_id = m.state_id
JOIN catalog_protocols AS p USING (protocol)
LEFT JOIN catalog_variants AS v ON v.model = r.model AND v.quant = r.quant
LEFT JOIN (
    SELECT state_id, sum(power_w) AS power_w, sum(power_default_w) AS power_default_w
    FROM rig_gpus GROUP BY state_id
) AS g ON g.state_id = m.state_id
WHERE m.measurement_id IN (SELECT unnest(?::VARCHAR[]))
"""
