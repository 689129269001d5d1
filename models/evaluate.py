"""Scores on machines left out: the model, the plain roofline and what others publish.

Whole machines are left out, never rows. Whatever is chosen or estimated (assumptions, parameters,
effects, constants, interval factors) is chosen on the machines that stay.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from models.baselines import baselines
from models.coverage import nested_coverage
from models.estimator import Array
from models.facts import Facts
from models.features import Features
from models.insight import Slope, learning_curve, ordering, own_run_gain, slopes
from models.rows import FitRow
from models.scores import Coverage, Score, score
from models.setup import STRATA
from models.training import (
    Trained,
    log_speeds,
    predicted,
    predicted_roofline,
    train,
)
from models.worst import worst

LEARNED, ROOFLINE = "Rigbook", "plain roofline"


class LeftOut(NamedTuple):
    """Log predictions of every row by models that never saw its machine; `folds` are those.

    `blind` ones are told neither acceptance nor hits: what is known before a launch.
    """

    learned: Array
    roofline: Array
    blind: Array
    folds: tuple[Trained, ...] = ()


class Evaluation(NamedTuple):
    """Everything measured on machines left out.

    `scores`: predictor → stratum (or `all`) → errors. `coverage`: nominal level → stratum →
    coverage and width. `ships`: stratum → which predictor answers there. `slopes`: input → stratum
    → what it moves. `own_run`, `ordering`, `learning_curve`: see `insight`. `worst`: the rows that
    the model misses most, and why.
    """

    rows: int
    rigs: int
    scores: dict[str, dict[str, Score]]
    coverage: dict[str, dict[str, Coverage]]
    ships: dict[str, str]
    slopes: dict[str, dict[str, Slope]]
    own_run: dict[str, dict[str, Any]]
    ordering: dict[str, dict[str, float]]
    learning_curve: list[dict[str, float]]
    excluded: dict[str, dict[str, int]]
    excluded_share: float
    unusable: dict[str, int]
    worst: list[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """Give plain JSON."""
        plain = self._asdict()
        for table in ("scores", "coverage", "slopes"):
            plain[table] = {
                name: {stratum: one._asdict() for stratum, one in by.items()}
                for name, by in plain[table].items()
            }
        return plain


def left_out(rows: Sequence[FitRow], scored: Sequence[FitRow], facts: Facts) -> LeftOut:
    """Predict each of `scored` by a model trained on the `rows` of all other machines."""
    learned, roofline, blind = (np.zeros(len(scored)) for _ in range(3))
    folds = []
    for rig in sorted({row.rig for row in scored}):
        here = [index for index, row in enumerate(scored) if row.rig == rig]
        own = [scored[index] for index in here]
        trained = train([row for row in rows if row.rig != rig], facts)
        learned[here] = predicted(trained, own, facts)
        roofline[here] = predicted_roofline(trained, own, facts)
        untold = [row._replace(accepted=None, hit_rate=None) for row in own]
        blind[here] = predicted(trained, untold, facts)
        folds.append(trained)
    return LeftOut(learned, roofline, blind, tuple(folds))


def ships_of(rows: Sequence[FitRow], out: LeftOut) -> dict[str, str]:
    """Choose for each stratum: the roofline ships where the learned model does not beat it."""
    y, strata = log_speeds(rows), np.array([row.stratum for row in rows])
    rigs = np.array([row.rig for row in rows])
    found = {}
    for stratum in STRATA:
        own = strata == stratum
        if not own.any():
            found[stratum] = "roofline"
            continue
        learned = score((out.learned - y)[own], rigs[own].tolist())
        plain = score((out.roofline - y)[own], rigs[own].tolist())
        found[stratum] = "learned" if learned.median_ape < plain.median_ape else "roofline"
    return found


def shipped(rows: Sequence[FitRow], out: LeftOut, ships: dict[str, str]) -> Array:
    """Take for each row the log prediction that ships for its stratum."""
    plain = np.array([ships[row.stratum] == "roofline" for row in rows])
    return np.where(plain, out.roofline, out.learned)


def evaluate(found: Features, facts: Facts) -> Evaluation:
    """Score everything on machines left out."""
    rows = found.used
    with threadpool_limits(1):  # small matrices: more threads only wait, and change last digits
        return evaluation_of(found, facts, left_out(rows, rows, facts))


def evaluation_of(found: Features, facts: Facts, out: LeftOut) -> Evaluation:
    """Score predictions that `left_out` made of the used rows."""
    rows = found.used
    y = log_speeds(rows)
    ships = ships_of(rows, out)
    predictors = {
        LEARNED: out.learned,
        f"{LEARNED}, launch-time inputs only": out.blind,
        ROOFLINE: out.roofline,
        **baselines(rows, facts),
    }
    usable = [*rows, *found.excluded]
    outside = left_out(rows, found.excluded, facts).learned
    everything = np.concatenate([out.learned, outside]) - log_speeds(usable)
    scores = {name: _by_stratum(rows, logs - y) for name, logs in predictors.items()}
    scores[f"{LEARNED}, excluded rows too"] = _by_stratum(usable, everything)
    return Evaluation(
        rows=len(rows),
        rigs=len({row.rig for row in rows}),
        scores=scores,
        coverage=nested_coverage(rows, facts),
        ships=ships,
        slopes=slopes(rows, out.folds, train(rows, facts), facts),
        own_run=own_run_gain(rows, y - out.learned),
        ordering=ordering(rows, out.learned),
        learning_curve=learning_curve(rows, facts),
        excluded=found.excluded_by_rule(),
        excluded_share=len(found.excluded) / max(1, len(usable)),
        unusable=found.unusable_by_reason(),
        worst=worst(rows, out.learned - y),
    )


def _by_stratum(rows: Sequence[FitRow], log_ratio: Array) -> dict[str, Score]:
    strata = np.array([row.stratum for row in rows])
    rigs = np.array([row.rig for row in rows])
    scores = {"all": score(log_ratio, rigs.tolist())}
    for stratum in STRATA:
        own = strata == stratum
        if own.any():
            scores[stratum] = score(log_ratio[own], rigs[own].tolist())
    return scores
