"""The fitted model as the pages use it: curves over read bandwidth, and its name for methods."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from models.answer import Point as CurvePoint
from models.curve import curve
from models.facts import variant_key
from models.record import FittedModel, load_model
from models.request import Request
from sitegen.points import Cloud
from sitegen.record import Row

READ_METHOD = "read-v2"
"""The method whose figure is read bandwidth itself: curves are asked for in its terms."""

STEPS = 24
"""Points of a curve: the line is smooth to the eye at the charts' width."""

MARGIN = 1.15
"""A curve goes a little beyond the last point, to show where it leads, and no further."""

SOME_CORES = 16
"""Cores of a curve when no rig among its points states them: the middle of the record."""


class Fitted(NamedTuple):
    """The model, or None before anything was fitted."""

    model: FittedModel | None


def read_fitted(path: Path | None) -> Fitted:
    """Read the model at `path`; raises Misuse when it is not one."""
    return Fitted(load_model(path) if path else None)


def reads_factor(fitted: Fitted, figure: Row) -> float | None:
    """Give what turns a figure into read bandwidth: the fitted term, else the catalogue's."""
    if fitted.model:
        entry = fitted.model.parameters.get(f"method.{figure['method']}")
        if entry:
            return float(entry["value"])
    factor: float | None = figure["reads_per_gbps"]
    return factor


def target_of(fitted: Fitted, slug: str | None, model: str | None, quant: str | None) -> str | None:
    """Name what the model can draw a curve for: the slug, else the variant, else nothing."""
    if fitted.model is None or model is None or quant is None:
        return None
    facts = fitted.model.facts
    variant = variant_key(model, quant)
    if variant not in facts["variants"]:
        return None
    return slug if slug in facts["slugs"] else variant


def comparable(fitted: Fitted, target: str, *, canonical: bool) -> bool:
    """Tell whether a curve may stand beside rates of a protocol.

    Predictions are for canonical, sampled decoding. Without a drafter the way of sampling does not
    change the speed; with one it changes what is accepted, and protocols never mix.
    """
    slugs = fitted.model.facts["slugs"] if fitted.model else {}
    return canonical or not slugs.get(target, {}).get("drafter")


def cores_of(cloud: Cloud) -> int:
    """Give the cores that a cloud's curve is drawn for: the median of those stated."""
    known = [point.cores for point in cloud.points if point.cores]
    return round(median(known)) if known else SOME_CORES


def estimates(
    fitted: Fitted,
    target: str,
    cores: int,
    reads_gbps: Sequence[float],
    workload: str | None = None,
) -> list[CurvePoint]:
    """Predict at some read bandwidths; x comes back as read bandwidth."""
    if fitted.model is None:
        return []
    factor = float(fitted.model.parameters[f"method.{READ_METHOD}"]["value"])
    asked = Request(triad_method=READ_METHOD, cores=cores, workload=workload or Request().workload)
    found = curve(fitted.model, None, target, asked, [gbps / factor for gbps in reads_gbps])
    return [point._replace(triad_gbps=point.triad_gbps * factor) for point in found]


def curve_of(fitted: Fitted, target: str | None, cloud: Cloud) -> list[CurvePoint]:
    """Predict over the bandwidths that the points cover."""
    if target is None:
        return []
    reads = [point.reads_gbps for point in cloud.points]
    steps = np.linspace(min(reads) / MARGIN, max(reads) * MARGIN, STEPS)
    return estimates(fitted, target, cores_of(cloud), [*map(float, steps)], cloud.workload)


def told(target: str, cloud: Cloud) -> str:
    """Say what a curve is drawn for."""
    return (
        f"Dashed: the model's estimate for {target} on {cores_of(cloud)} cores, all else as "
        "the predictor assumes it, with the 80 % interval."
    )
