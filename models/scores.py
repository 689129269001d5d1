"""Scores of predictions on machines left out: errors by row, coverage by machine."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.estimator import Array


class Score(NamedTuple):
    """Errors of one predictor on one stratum; shares, not percent. `bias` is predicted/measured."""

    rows: int
    rigs: int
    median_ape: float
    p80_ape: float
    p90_ape: float
    log_rmse: float
    bias: float


class Coverage(NamedTuple):
    """How often intervals held on machines left out, by row and by machine, and their width."""

    rows: int
    rigs: int
    by_row: float
    by_rig: float
    width: float


def score(log_ratio: Array, rigs: Sequence[str]) -> Score:
    """Score logs of predicted over measured."""
    error = np.abs(np.expm1(log_ratio))
    return Score(
        rows=len(log_ratio),
        rigs=len(set(rigs)),
        median_ape=float(np.median(error)),
        p80_ape=float(np.quantile(error, 0.8)),
        p90_ape=float(np.quantile(error, 0.9)),
        log_rmse=float(np.sqrt(np.mean(log_ratio**2))),
        bias=float(np.exp(np.median(log_ratio))),
    )


def score_by_rig(log_ratio: Array, rigs: Sequence[str]) -> Score:
    """Score with every machine weighing 1, whatever its number of rows."""
    _, place, counts = np.unique(np.array(rigs), return_inverse=True, return_counts=True)
    weight = 1 / counts[place]

    def quantile(values: Array, share: float) -> float:
        order = np.argsort(values, kind="stable")
        reached = np.round(np.cumsum(weight[order]) / len(counts), 9)
        return float(values[order][np.searchsorted(reached, share)])

    error = np.abs(np.expm1(log_ratio))
    return Score(
        rows=len(log_ratio),
        rigs=len(counts),
        median_ape=quantile(error, 0.5),
        p80_ape=quantile(error, 0.8),
        p90_ape=quantile(error, 0.9),
        log_rmse=float(np.average(log_ratio**2, weights=weight) ** 0.5),
        bias=float(np.exp(quantile(log_ratio, 0.5))),
    )


def coverage(inside: NDArray[np.bool_], width: Array, rigs: Sequence[str]) -> Coverage:
    """Average the hits by row, and by machine with each machine weighing 1."""
    names = np.array(rigs)
    by_rig = [float(np.mean(inside[names == rig])) for rig in sorted(set(rigs))]
    return Coverage(
        rows=len(inside),
        rigs=len(by_rig),
        by_row=float(np.mean(inside)),
        by_rig=float(np.mean(by_rig)),
        width=float(np.median(width)),
    )
