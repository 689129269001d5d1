"""What a merge does to the model: errors before and after, and the predictions that move."""

from typing import NamedTuple

from ingest.misuse import Misuse
from models.predict import predict
from models.record import FittedModel
from models.request import Request

TRIADS_GBPS = (30.0, 50.0, 100.0, 200.0, 400.0)
CORES = (8, 16, 32, 64)
"""Rigs to ask for: desktops to servers, from two channels to twelve."""

SCORES = "Rigbook"


class Error(NamedTuple):
    """The error of a stratum on machines left out, in shares: before the merge and after."""

    stratum: str
    before: float
    after: float


class Move(NamedTuple):
    """A prediction that leaves its own interval: the question, before with interval, after."""

    slug: str
    triad_gbps: float
    cores: int
    before: float
    low: float
    high: float
    after: float


class Effect(NamedTuple):
    """Everything that a merge does to the model."""

    rows: tuple[int, int]
    rigs: tuple[int, int]
    errors: tuple[Error, ...]
    moves: tuple[Move, ...]
    asked: int


def effect(before: FittedModel, after: FittedModel) -> Effect:
    """Compare two fitted models."""
    old, new = before.evaluation["scores"][SCORES], after.evaluation["scores"][SCORES]
    pairs = list(_questions(before, after))
    return Effect(
        rows=(before.fitted_on["rows"], after.fitted_on["rows"]),
        rigs=(before.fitted_on["rigs"], after.fitted_on["rigs"]),
        errors=tuple(
            Error(stratum, old[stratum]["median_ape"], new[stratum]["median_ape"])
            for stratum in sorted(old.keys() & new.keys())
        ),
        moves=tuple(pair for pair in pairs if not pair.low <= pair.after <= pair.high),
        asked=len(pairs),
    )


def _questions(before: FittedModel, after: FittedModel) -> list[Move]:
    """Ask both models the same of every slug that both know."""
    found = []
    for triad in TRIADS_GBPS:
        for cores in CORES:
            request = Request(triad_gbps=triad, cores=cores)
            try:
                old = {one.slug: one for one in predict(before, None, request)}
                new = {one.slug: one for one in predict(after, None, request)}
            except Misuse:
                continue  # no rig has this bandwidth with these cores
            found += [
                Move(slug, triad, cores, one.tokens_per_s, one.low, one.high,
                     new[slug].tokens_per_s)
                for slug, one in old.items()
                if slug is not None and slug in new
            ]  # fmt: skip
    return found
