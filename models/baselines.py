"""What the model has to beat: published formulas, medians and a line, on the same rows.

Each formula stands as it is and with one constant fitted on the other machines.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.estimator import Array
from models.facts import Facts, variant_of
from models.formulas import FORMULAS, case_of
from models.rows import FitRow
from models.training import log_speeds

Indices = NDArray[np.intp]


def baselines(rows: Sequence[FitRow], facts: Facts) -> dict[str, Array]:
    """Predict by each published formula, as it is and with one constant of the other machines."""
    methods = sorted(facts["methods"])
    read = np.array([r.inputs.gbps * facts["methods"][methods[r.inputs.method]] for r in rows])
    cases = [
        case_of(row, variant_of(facts, row.model, row.quant) or {}, gbps)
        for row, gbps in zip(rows, read, strict=True)
    ]
    found: dict[str, Array] = {}
    for name, formula in FORMULAS.items():
        logs = np.log([formula(case) for case in cases])
        found[name] = logs
        found[f"{name}, times a constant"] = _scaled(rows, logs)
    speeds = np.exp(log_speeds(rows))
    found["linear in bandwidth"] = _other_rigs(
        rows, lambda tr, te: _linear(read[tr], speeds[tr], read[te])
    )
    found["median of the variant"] = _other_rigs(
        rows, lambda tr, te: _medians([rows[i] for i in tr], [rows[i] for i in te])
    )
    return found


def _other_rigs(rows: Sequence[FitRow], predictor: Callable[[Indices, Indices], Array]) -> Array:
    """Predict each machine's rows from the indices of all others and its own."""
    rigs = np.array([row.rig for row in rows])
    logs = np.zeros(len(rows))
    for rig in sorted(set(rigs.tolist())):
        own = np.flatnonzero(rigs == rig)
        logs[own] = predictor(np.flatnonzero(rigs != rig), own)
    return logs


def _scaled(rows: Sequence[FitRow], logs: Array) -> Array:
    """Give a formula the one constant that suits the other machines best."""
    left = log_speeds(rows) - logs

    def moved(others: Indices, own: Indices) -> Array:
        shifted: Array = logs[own] + np.median(left[others])
        return shifted

    return _other_rigs(rows, moved)


def _linear(x: Array, speeds: Array, at: Array) -> Array:
    slope, offset = np.polyfit(x, speeds, 1)
    logs: Array = np.log(np.maximum(offset + slope * at, 0.1))
    return logs


def _medians(rows: Sequence[FitRow], wanted: Sequence[FitRow]) -> Array:
    """Take the median of the same variant, else of the same model, else of all."""
    logs = []
    for row in wanted:
        same = [r for r in rows if r.variant == row.variant]
        same = same or [r for r in rows if r.model == row.model] or list(rows)
        logs.append(float(np.median(log_speeds(same))))
    return np.array(logs)
