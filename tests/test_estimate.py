import pytest

from models.estimate import KNEE, Question, estimate, own_runs, parameters_of, speed_of
from models.physics import tokens_per_s
from models.record import FittedModel
from models.request import OwnRun, Request
from models.rig import rig_of
from models.targets import slug_target

SLUG = "llamacpp/deepseek-flash-dual-q8"


def asked(model: FittedModel, **change: object) -> Question:
    request = Request(triad_gbps=52, cores=64)._replace(**change)  # type: ignore[arg-type]
    parameters = parameters_of(model)
    return Question(model, parameters, model.facts, rig_of(request, model.facts), request)


def test_the_knee_is_the_fewest_threads_that_come_near_the_best(fitted: FittedModel) -> None:
    question = asked(fitted)
    setup = estimate(question, slug_target(SLUG, fitted.facts, "--slug")).setup
    assert setup.threads < 64
    every = [
        tokens_per_s(setup.inputs._replace(busy_cores=float(n)), question.parameters)
        for n in range(1, 65)
    ]
    assert every[setup.threads - 1] >= KNEE * max(every)


def test_stated_threads_are_kept(fitted: FittedModel) -> None:
    question = asked(fitted, threads=5)
    assert estimate(question, slug_target(SLUG, fitted.facts, "--slug")).setup.threads == 5


def test_where_the_roofline_ships_the_roofline_answers(fitted: FittedModel) -> None:
    question = asked(fitted)
    target = slug_target(SLUG, fitted.facts, "--slug")
    learned = estimate(question, target)
    plain = fitted._replace(ships={**fitted.ships, "club": "roofline"}, roofline={"club": 0.001})
    speed = speed_of(plain, question.parameters, target, learned.setup)
    assert speed < learned.tokens_per_s / 10


def test_an_own_run_is_compared_with_its_own_workload(fitted: FittedModel) -> None:
    runs = (OwnRun(SLUG, 20.0, "code"), OwnRun(SLUG, 20.0))
    (_, code), (_, prose) = own_runs(asked(fitted, mine=runs))
    assert code < prose


def test_what_is_doubted_is_named(fitted: FittedModel) -> None:
    known = estimate(asked(fitted), slug_target(SLUG, fitted.facts, "--slug")).known
    assert set(known.doubts) == {"core_speed", "gbps", "tokens_per_pass"}
    assert known.doubts["gbps"] == pytest.approx(0.06, abs=0.06)
