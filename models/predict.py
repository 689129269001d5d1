"""Answers: tokens/s of each slug on a rig, with interval, evidence and limit."""

from __future__ import annotations

from difflib import get_close_matches
from math import ceil, exp
from typing import TYPE_CHECKING, NamedTuple

from ingest.misuse import Misuse
from launch.gate import COMFORT_GIB
from models.answer import Answer, Caution
from models.facts import Facts, facts_of, variant_key
from models.interval import bounds, doubt
from models.limit import limit_of
from models.nearest import FAR, Place, basis_of, nearest, own_rows
from models.parameters import Parameters, gathered
from models.physics import tokens_per_s
from models.request import Request, checked
from models.rig import Rig, rig_of
from models.roofline import roofline_tokens_per_s
from models.setup import BARE, Setup, Target, setup_of

if TYPE_CHECKING:
    from ingest.catalog import Catalog
    from models.record import FittedModel

KNEE = 0.97
"""Threads are enough once this share of the best speed is reached."""


def predict(model: FittedModel, catalog: Catalog | None, request: Request) -> list[Answer]:
    """Answer a request, fastest first; `catalog` None takes the facts that the model was fitted on.

    Raises Misuse for a request that no rig fits, an unknown slug or an unknown variant.
    """
    checked(request)
    facts = facts_of(catalog) if catalog else model.facts
    rig = rig_of(request, facts)
    parameters = parameters_of(model)
    question = Question(model, parameters, facts, rig, request)
    found = [answer(question, target) for target in targets(request, facts)]
    return sorted(found, key=lambda one: (-one.tokens_per_s, one.slug or "", one.quant))


def parameters_of(model: FittedModel) -> Parameters:
    """Take the fitted values out of a model, in the order that category indices rely on."""
    return gathered({name: model.parameters[name]["value"] for name in sorted(model.parameters)})


def targets(request: Request, facts: Facts) -> list[Target]:
    """List what was asked for: slugs by name, the variants of a model, or every slug."""
    if request.model or request.quant:
        return _variants(request, facts)
    known = {
        slug: launch
        for slug, launch in facts["slugs"].items()
        if variant_key(launch["model"], launch["quant"]) in facts["variants"]
    }
    for slug in request.slugs:
        if slug not in known:
            raise Misuse(f"--slug: no slug {slug!r}; {_nearest_names(slug, list(known))}")
    return [
        Target(slug, known[slug], facts["variants"][_variant_of(known[slug])])
        for slug in request.slugs or known
    ]


def _variant_of(launch: Facts) -> str:
    return variant_key(launch["model"], launch["quant"])


def _variants(request: Request, facts: Facts) -> list[Target]:
    found = [
        Target(None, {**BARE, "model": variant["model"], "quant": variant["quant"]}, variant)
        for variant in facts["variants"].values()
        if request.model in (None, variant["model"]) and request.quant in (None, variant["quant"])
    ]
    if not found:
        asked = variant_key(request.model or "?", request.quant or "?")
        names = _nearest_names(asked, list(facts["variants"]))
        raise Misuse(f"--model, --quant: no variant {asked!r} with known bytes; {names}")
    return found


def _nearest_names(asked: str, known: list[str]) -> str:
    close = get_close_matches(asked, known, n=3, cutoff=0.3) or known[:3]
    return f"nearest: {', '.join(close)}"


class Question(NamedTuple):
    """A request read against a model: the same for every target."""

    model: FittedModel
    parameters: Parameters
    facts: Facts
    rig: Rig
    request: Request


def answer(question: Question, target: Target) -> Answer:
    """Answer for one target."""
    model, parameters, facts, rig, request = question
    setup = setup_of(target, rig, request, facts, model.defaults)
    if request.threads is None:
        setup = _at_knee(setup, parameters)
    speed = speed_of(model, parameters, target, setup)
    bracket = model.intervals[setup.stratum][f"{request.level:g}"]
    spread = doubt(setup.inputs, parameters, setup.doubts)
    low, high = bounds(speed, (bracket[0], bracket[1]), spread, request.level)
    limit = limit_of(setup.inputs, parameters)
    own = own_rows(model.anchors, target)
    place = Place(setup.inputs, rig.gbps * facts["methods"][rig.method], request.workload)
    near = nearest(model.anchors, target, place)
    fits = None if rig.ram_gib is None else setup.host_ram_gib <= rig.ram_gib
    basis = basis_of(own, near)
    return Answer(
        slug=target.slug,
        model=target.variant["model"],
        quant=target.variant["quant"],
        workload=request.workload,
        tokens_per_s=speed,
        low=low,
        high=high,
        level=request.level,
        basis=basis,
        rigs=len({row["rig"] for row in own}),
        rows=len(own),
        limit="paging" if fits is False else limit.name,
        time_share=limit.time_share,
        wall_tokens_per_s=limit.wall_tokens_per_s,
        host_ram_gib=setup.host_ram_gib,
        fits=fits,
        threads=setup.threads,
        layers_on_cpu=setup.layers_on_cpu,
        tokens_per_pass=setup.inputs.tokens_per_pass,
        depth=setup.depth,
        acceptance=setup.acceptance,
        hit_rate=setup.hit_rate,
        nearest=tuple(near),
        warnings=(*_cautions(model, setup, rig, near[0].distance if near else FAR + 1),),
        inferred=(*rig.inferred, *setup.inferred),
    )


def speed_of(model: FittedModel, parameters: Parameters, target: Target, setup: Setup) -> float:
    """Give tokens/s: by the learned model, or by the roofline where that is what ships."""
    if model.ships[setup.stratum] == "roofline":
        constant = model.roofline[setup.stratum]
        return float(roofline_tokens_per_s(setup.inputs, parameters, constant))
    variant = target.variant
    left = model.effects.get(variant["model"], 0.0)
    left += model.effects.get(variant_key(variant["model"], variant["quant"]), 0.0)
    return float(tokens_per_s(setup.inputs, parameters)) * exp(left)


def _at_knee(setup: Setup, parameters: Parameters) -> Setup:
    """Choose the fewest threads, in sixteenths of the cores, that come near the best speed."""
    cores = round(setup.inputs.busy_cores)
    tried = {
        threads: tokens_per_s(setup.inputs._replace(busy_cores=float(threads)), parameters)
        for threads in sorted({max(1, ceil(cores * step / 16)) for step in range(1, 17)})
    }
    best = max(tried.values())
    threads = next(threads for threads, speed in tried.items() if speed >= KNEE * best)
    return setup._replace(threads=threads, inputs=setup.inputs._replace(busy_cores=float(threads)))


def _cautions(model: FittedModel, setup: Setup, rig: Rig, far: float) -> list[Caution]:
    cautions = [*rig.cautions, *setup.cautions]
    if rig.ram_gib is not None:
        missing = setup.host_ram_gib - rig.ram_gib
        if missing > 0:
            text = (
                f"needs {setup.host_ram_gib:.0f} GiB of host RAM, {missing:.0f} more than there is"
            )
            cautions.append(Caution("does-not-fit", text, "choose a smaller quant or add RAM"))
        elif missing > -COMFORT_GIB:
            text = f"needs {setup.host_ram_gib:.0f} of {rig.ram_gib:.0f} GiB: tight, may page"
            cautions.append(Caution("tight-ram", text, "close other programs, or a smaller quant"))
    if far > FAR:
        text = "no measured rig is near: outside the data"
        cautions.append(Caution("outside-data", text, "trust the interval less, and submit a run"))
    if model.ships[setup.stratum] == "roofline":
        text = "the plain roofline answers here: the learned model did not beat it"
        cautions.append(Caution("roofline", text, "submit runs of this kind"))
    return cautions
