"""One configuration priced: its set-up, its speed, and what is doubted in it."""

from math import ceil, exp, log
from typing import NamedTuple

from models.facts import Facts, variant_key
from models.interval import moves
from models.own_run import Known
from models.parameters import Parameters, gathered
from models.physics import tokens_per_s
from models.record import FittedModel
from models.request import Request
from models.rig import Rig
from models.roofline import roofline_tokens_per_s
from models.setup import Setup, Target, setup_of
from models.targets import slug_target

KNEE = 0.97
"""Threads are enough once this share of the best speed is reached."""


class Question(NamedTuple):
    """A request read against a model: the same for every target."""

    model: FittedModel
    parameters: Parameters
    facts: Facts
    rig: Rig
    request: Request


class Estimate(NamedTuple):
    """The price of one configuration, before own runs and interval."""

    setup: Setup
    tokens_per_s: float
    known: Known


def parameters_of(model: FittedModel) -> Parameters:
    """Take the fitted values out of a model, in the order that category indices rely on."""
    return gathered({name: model.parameters[name]["value"] for name in sorted(model.parameters)})


def estimate(question: Question, target: Target) -> Estimate:
    """Price one target."""
    model, parameters, facts, rig, request = question
    setup = setup_of(target, rig, request, facts, model.defaults)
    if request.threads is None:
        setup = _at_knee(setup, parameters)
    return Estimate(
        setup=setup,
        tokens_per_s=speed_of(model, parameters, target, setup),
        known=Known(
            setup.stratum,
            target.variant["model"],
            target.variant["quant"],
            moves(setup.inputs, parameters, setup.doubts),
        ),
    )


def own_runs(question: Question) -> list[tuple[Known, float]]:
    """Price the runs that the asker measured; give each with its log of measured over predicted."""
    found = []
    for run in question.request.mine:
        workload = run.workload or question.request.workload
        asked = question._replace(request=question.request._replace(workload=workload))
        priced = estimate(asked, slug_target(run.slug, question.facts, "--mine"))
        found.append((priced.known, log(run.tokens_per_s / priced.tokens_per_s)))
    return found


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
