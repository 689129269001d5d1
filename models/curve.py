"""Decode speed over bandwidth, with its band, for charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.answer import Point
from models.facts import facts_of
from models.predict import predict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.catalog import Catalog
    from models.record import FittedModel
    from models.request import Request


def curve(
    model: FittedModel,
    catalog: Catalog | None,
    slug_or_variant: str,
    request: Request,
    triad_gbps: Sequence[float],
) -> list[Point]:
    """Predict `slug_or_variant` at each bandwidth, all else as in `request`.

    A variant is written `model/quant`, e.g. `deepseek-v4-flash-0731/UD-Q8_K_XL`.
    """
    facts = facts_of(catalog) if catalog else model.facts
    model = model._replace(facts=facts)
    if slug_or_variant in facts["variants"]:
        name, quant = slug_or_variant.split("/", 1)
        asked = request._replace(slugs=(), model=name, quant=quant)
    else:
        asked = request._replace(slugs=(slug_or_variant,), model=None, quant=None)
    points = []
    for gbps in triad_gbps:
        (one,) = predict(model, None, asked._replace(triad_gbps=gbps))
        points.append(Point(gbps, one.tokens_per_s, one.low, one.high))
    return points
