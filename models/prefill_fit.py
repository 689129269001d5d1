"""Fit of the prefill model: three numbers, with priors, scored on machines left out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import duckdb
import numpy as np
from scipy.optimize import least_squares

from models.conformal import bracket
from models.estimator import Array, rig_weights
from models.facts import Facts
from models.prefill import Reading, prefill_tokens_per_s, reading_of
from models.request import LEVELS
from models.rows import FitRow
from models.scores import score

PRIORS = {
    "stream_gbps": (40.0, 0.4),
    "gweights_per_gb": (6.1, 0.5),
    "depth": (0.03, 0.6),
}
"""Middle and spread (log). A public fit of 25 rows of 7 rigs: 0.38 of host bytes over a link of 15
GB/s net, so 40 GB/s for all; 0.175 ms for 1e9 weights on a card of 936 GB/s, so 6.1 for each GB;
prompts of 90,000 tokens at 0.71 to 1.07 of the speed of 10,000."""

NOISE = 0.3
"""Spread (log) of a row around the three numbers: builds and links are not in it."""

DEEPEST = 200_000
"""Tokens: deeper prompts are few and of one machine."""

QUERY = """
SELECT m.run_id, m.rig_id, coalesce(m.value, (m.low + m.high) / 2) AS tokens_per_s, r.slug,
    coalesce(r.ubatch, 0) AS ubatch, coalesce(m.prompt_tokens, m.nominal_tokens, 0) AS prompt,
    coalesce(m.context_tokens, m.nominal_tokens / 2, 0) AS context
FROM measurements AS m JOIN runs AS r USING (run_id)
WHERE m.quantity = 'prefill' AND m.status = 'active' AND r.status = 'active'
    AND r.offload = 'experts' AND coalesce(m.streams, 1) = 1
    AND coalesce(m.value, m.low, m.high) > 0
ORDER BY m.measurement_id
"""


class PrefillRow(NamedTuple):
    """One measured prefill with what it read."""

    rig: str
    tokens_per_s: float
    reading: Reading


def prefill_rows(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[FitRow], facts: Facts
) -> list[PrefillRow]:
    """Take prefills of runs whose decode row could be priced and whose batch is stated."""
    decode = {row.measurement_id.rpartition("/")[0]: row for row in rows}
    found = []
    for run, rig, speed, slug, ubatch, prompt, context in connection.sql(QUERY).fetchall():
        row = decode.get(run)
        batch = ubatch or (facts["slugs"].get(slug) or {}).get("ubatch")
        if row is None or not batch or row.inputs.dense_on_cpu or context > DEEPEST:
            continue
        reading = reading_of(row.inputs, batch, prompt or batch, context)
        found.append(PrefillRow(rig, speed, reading))
    return found


def _stacked(rows: Sequence[PrefillRow]) -> Reading:
    return Reading(*np.array([row.reading for row in rows], dtype=np.float64).T)


def _logs(rows: Sequence[PrefillRow]) -> Array:
    return np.log([row.tokens_per_s for row in rows])


def _named(theta: Array) -> dict[str, float]:
    return {
        name: float(value * np.exp(sd * step))
        for (name, (value, sd)), step in zip(PRIORS.items(), theta, strict=True)
    }


def fitted_parameters(rows: Sequence[PrefillRow]) -> dict[str, float]:
    """Fit in log error, by size beyond the noise; without rows the priors stand."""
    if not rows:
        return {name: value for name, (value, _) in PRIORS.items()}
    x, y = _stacked(rows), _logs(rows)
    weight = np.sqrt(rig_weights([row.rig for row in rows]))

    def left(theta: Array) -> Array:
        off = y - np.log(prefill_tokens_per_s(x, _named(theta)))
        return np.concatenate([weight * off / NOISE, theta])

    solved = least_squares(left, np.zeros(len(PRIORS)), loss="soft_l1")
    return _named(solved.x)


def fit_prefill(rows: Sequence[PrefillRow]) -> dict[str, Any]:
    """Give parameters, intervals and errors; the last two from machines left out."""
    rigs = [row.rig for row in rows]
    left = np.zeros(len(rows))
    for rig in sorted(set(rigs)):
        own = [index for index, name in enumerate(rigs) if name == rig]
        parameters = fitted_parameters([row for row in rows if row.rig != rig])
        held = [rows[index] for index in own]
        left[own] = _logs(held) - np.log(prefill_tokens_per_s(_stacked(held), parameters))
    names = np.array(rigs)
    return {
        "parameters": fitted_parameters(rows),
        "interval": {f"{level:g}": list(bracket(left, names, level)) for level in LEVELS},
        "error": score(-left, rigs)._asdict(),
    }
