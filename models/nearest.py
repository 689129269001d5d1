"""The measured rigs nearest to a question, and how far it lies from the record."""

from collections.abc import Iterable
from math import log, sqrt
from typing import Any, NamedTuple

from models.answer import Neighbour
from models.physics import Inputs
from models.setup import Target

SHOWN = 3
FAR = 1.0
"""Distance beyond which a question counts as outside the data: a factor e in one input."""

SAME = 0.1
"""Distance within which a measured rig counts as the rig asked about: 10 % in one input."""

OTHER_QUANT, OTHER_MODEL = 0.3, 1.0


class Place(NamedTuple):
    """Where a question lies; `read_gbps` is the same for every bandwidth method."""

    inputs: Inputs
    read_gbps: float
    workload: str


def distance(anchor: dict[str, Any], target: Target, place: Place) -> float:
    """Measure how far an anchor is: logs of bandwidth, cores and pass, steps for other weights."""
    variant, x = target.variant, place.inputs
    weights = (
        OTHER_MODEL
        if anchor["model"] != variant["model"]
        else OTHER_QUANT
        if anchor["quant"] != variant["quant"]
        else 0.0
    )
    # Written out, not looped: every slug is measured against every row of the record.
    squares: float = (
        log(anchor["read_gbps"] / place.read_gbps) ** 2
        + (0.5 * log(anchor["cores"] / x.busy_cores)) ** 2
        + (0.5 * log(anchor["verified"] / x.verified)) ** 2
        + (anchor["cpu_share"] - x.cpu_share) ** 2
        + (anchor["dense_on_cpu"] - x.dense_on_cpu) ** 2
        + (anchor["cache_on"] - x.cache_on) ** 2
        + weights**2
    )
    return sqrt(squares)


def nearest(anchors: Iterable[dict[str, Any]], target: Target, place: Place) -> list[Neighbour]:
    """List the nearest rigs, one row each: the nearest, at the workload asked where it is there."""
    ranked = sorted(
        (
            (distance(anchor, target, place), anchor["workload"] != place.workload, index, anchor)
            for index, anchor in enumerate(anchors)
        ),
    )
    found: dict[str, Neighbour] = {}
    for far, _, _, anchor in ranked:
        if anchor["rig"] not in found:
            near = Neighbour(anchor["rig"], anchor["tokens_per_s"], round(far, 3), anchor["url"])
            found[anchor["rig"]] = near
        if len(found) == SHOWN:
            break
    return list(found.values())


def own_rows(anchors: Iterable[dict[str, Any]], target: Target) -> list[dict[str, Any]]:
    """List the rows of the slug itself; of the variant where no slug was asked for."""
    if target.slug:
        return [anchor for anchor in anchors if anchor["slug"] == target.slug]
    wanted = (target.variant["model"], target.variant["quant"])
    return [anchor for anchor in anchors if (anchor["model"], anchor["quant"]) == wanted]


def basis_of(own: list[dict[str, Any]], near: list[Neighbour]) -> str:
    """Say what stands behind a number: rows of the same rig, of rigs around it, or of others."""
    if not own or not near or near[0].distance > FAR:
        return "extrapolated"
    return "measured" if near[0].distance <= SAME else "interpolated"
