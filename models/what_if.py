"""What a change to the rig would do: the ratio of two predictions, with an interval of its own.

Both predictions err alike (same rig, same weights), so the ratio is surer than either. What is left
is the error of the model's slope, and of what is assumed where it acts on both unlike.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

from ingest.hardware import counted
from ingest.misuse import Misuse
from models.estimate import Question, estimate, parameters_of
from models.facts import facts_of
from models.interval import Z
from models.request import GpuRequest, checked
from models.rig import rig_of
from models.targets import targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from ingest.catalog import Catalog
    from models.record import FittedModel
    from models.request import Request

SLOPE_ERROR = 0.5
"""Spread of a slope, as a share of it: two re-clocked machines of the record moved 0.59 and 0.67 of
their memory's change, where the fit expects 0.3 to 0.5."""


def cards(text: str) -> tuple[GpuRequest, ...]:
    """Read all cards that a rig would have: `RTX 3090x2+RTX 4090`, or `none`."""
    return tuple(GpuRequest(*counted(part.strip())) for part in text.split("+"))


FIELDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "triad": ("triad_gbps", float), "channels": ("channels", int), "mts": ("mts", float),
    "cores": ("cores", int), "sockets": ("sockets", int), "threads": ("threads", int),
    "ram": ("ram_gib", float), "vram": ("vram_gib", float), "depth": ("depth", int),
    "acceptance": ("acceptance", float), "hit-rate": ("hit_rate", float),
    "cpu-layers": ("cpu_layers", int), "at": ("at_tokens", int), "ctx": ("ctx_tokens", int),
    "cpu": ("cpu", str), "workload": ("workload", str), "gpu": ("gpus", cards),
}  # fmt: skip
"""What may be changed: the name of the flag → field of the request and its type."""


class Change(NamedTuple):
    """What a change does to one slug: `ratio` of the speed after to the speed before."""

    slug: str | None
    model: str
    quant: str
    before: float
    after: float
    ratio: float
    low: float
    high: float


def changed(request: Request, text: str) -> Request:
    """Apply `triad=116,channels=8` to a request. Raises Misuse for what cannot be changed."""
    changes: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or name not in FIELDS:
            known = ", ".join(FIELDS)
            raise Misuse(f"--what-if: should be KEY=VALUE, a key of {known}; got {part.strip()!r}")
        field, kind = FIELDS[name]
        try:
            changes[field] = kind(value)
        except ValueError:
            wanted = "a whole number" if kind is int else "a number"
            raise Misuse(f"--what-if: {name} should be {wanted}, got {value!r}") from None
    if "gpus" in changes:  # what was said of the memory was said of the cards before
        changes.setdefault("vram_gib", None)
    return checked(request._replace(**changes))  # type: ignore[arg-type]


def what_if(
    model: FittedModel, catalog: Catalog | None, request: Request, other: Request
) -> list[Change]:
    """Compare two requests slug by slug, the largest gain first."""
    facts = facts_of(catalog) if catalog else model.facts
    parameters = parameters_of(model)
    before, after = (
        Question(model, parameters, facts, rig_of(asked, facts), asked)
        for asked in (checked(request), other)
    )
    found = []
    for target in targets(request, facts):
        first, second = estimate(before, target), estimate(after, target)
        step = log(second.tokens_per_s / first.tokens_per_s)
        fields = first.known.doubts.keys() | second.known.doubts.keys()
        unlike = sum(
            (second.known.doubts.get(field, 0.0) - first.known.doubts.get(field, 0.0)) ** 2
            for field in fields
        )
        reach = Z[request.level] * ((SLOPE_ERROR * step) ** 2 + unlike) ** 0.5
        found.append(
            Change(
                slug=target.slug,
                model=first.known.model,
                quant=first.known.quant,
                before=first.tokens_per_s,
                after=second.tokens_per_s,
                ratio=exp(step),
                low=exp(step - reach),
                high=exp(step + reach),
            )
        )
    return sorted(found, key=lambda change: (-change.ratio, change.slug or "", change.quant))
