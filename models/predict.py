"""Answers: tokens/s of each slug on a rig, with interval, evidence and limit."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from launch.gate import COMFORT_GIB
from models.advice import advised
from models.answer import Answer, Caution
from models.estimate import Question, estimate, own_runs, parameters_of
from models.facts import GB_PER_GIB, facts_of
from models.interval import bounds, doubt, narrowed
from models.limit import limit_of
from models.nearest import FAR, Place, basis_of, nearest, own_rows
from models.own_run import told
from models.request import checked
from models.rig import rig_of
from models.setup import bundles_of, interval_of
from models.targets import targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.catalog import Catalog
    from models.own_run import Known
    from models.record import FittedModel
    from models.request import Request
    from models.rig import Rig
    from models.setup import Setup, Target


def predict(
    model: FittedModel, catalog: Catalog | None, request: Request, *, advise: bool = False
) -> list[Answer]:
    """Answer a request, fastest first; `catalog` None takes the facts that the model was fitted on.

    `advise` adds drafting depth, threads, prefill and context ceiling. Raises Misuse for a request
    that no rig fits, an unknown slug or an unknown variant.
    """
    checked(request)
    facts = facts_of(catalog) if catalog else model.facts
    question = Question(model, parameters_of(model), facts, rig_of(request, facts), request)
    own = own_runs(question)
    found = [answer(question, target, own) for target in targets(request, facts)]
    if advise:
        found = [
            _warned(advised(one, question, target), request)
            for one, target in zip(found, targets(request, facts), strict=True)
        ]
    return sorted(found, key=lambda one: (-one.tokens_per_s, one.slug or "", one.quant))


def answer(question: Question, target: Target, own: Sequence[tuple[Known, float]]) -> Answer:
    """Answer for one target, given own runs on the rig."""
    model, parameters, facts, rig, request = question
    setup, speed, known = estimate(question, target)
    learned = told(model.components, known, own)
    speed *= exp(learned.shift)
    bracket = model.intervals[interval_of(setup.stratum, setup.inputs)][f"{request.level:g}"]
    whole = bounds(speed, (bracket[0], bracket[1]), doubt(known.doubts), request.level)
    low, high = narrowed(speed, whole, learned.variance_left)
    limit = limit_of(setup.inputs, parameters)
    rows = own_rows(model.anchors, target)
    place = Place(setup.inputs, rig.gbps * facts["methods"][rig.method], request.workload)
    near = nearest(model.anchors, target, place)
    fits = None if rig.ram_gib is None else setup.host_ram_gib <= rig.ram_gib
    return Answer(
        slug=target.slug,
        model=known.model,
        quant=known.quant,
        workload=request.workload,
        tokens_per_s=speed,
        low=low,
        high=high,
        level=request.level,
        basis=basis_of(rows, near),
        rigs=len({row["rig"] for row in rows}),
        rows=len(rows),
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
        warnings=tuple(_cautions(model, target, setup, rig, near[0].distance if near else FAR + 1)),
        inferred=(*rig.inferred, *setup.inferred),
        own_run_factor=exp(learned.shift) if own else None,
    )


def _warned(one: Answer, request: Request) -> Answer:
    """Warn of a context that does not boot, or boots and dies on its first deep prefill."""
    room, asked = one.context, request.ctx_tokens
    if room is None or asked is None or asked <= room.survives_tokens:
        return one
    most = f"about {room.survives_tokens:,} tokens survive at ubatch {room.ubatch}"
    trap = asked <= room.boots_tokens
    what = "boots, but the first deep prefill may not fit" if trap else "does not boot"
    code = "ctx-first-prefill" if trap else "ctx-does-not-boot"
    caution = Caution(code, f"context {asked:,} {what}: {most}", "less --ctx or a smaller --ubatch")
    return one._replace(warnings=(*one.warnings, caution))


NEAR_RAM = 0.9
"""A mapped file passes through host memory whole, wherever its weights go: 59 GiB paged on 64."""


def _file_gib(target: Target) -> float:
    """Add up all weights of a variant."""
    variant = target.variant
    return float(sum(bundles_of(variant).values()) / 1024 + variant["dense_gb"] / GB_PER_GIB)


def _cautions(
    model: FittedModel, target: Target, setup: Setup, rig: Rig, far: float
) -> list[Caution]:
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
        elif (file_gib := _file_gib(target)) > NEAR_RAM * rig.ram_gib:
            text = (
                f"the whole file has {file_gib:.0f} GiB of {rig.ram_gib:.0f}: mapped, it may page"
            )
            cautions.append(Caution("file-near-ram", text, "load it with --no-mmap"))
    if far > FAR:
        text = "no measured rig is near: outside the data"
        cautions.append(Caution("outside-data", text, "trust the interval less, and submit a run"))
    if model.ships[setup.stratum] == "roofline":
        text = "the plain roofline answers here: the learned model did not beat it"
        cautions.append(Caution("roofline", text, "submit runs of this kind"))
    return cautions
