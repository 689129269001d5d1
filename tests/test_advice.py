from models.advice import drafting, enough_threads
from models.answer import Drafting
from models.estimate import KNEE, Question, estimate, parameters_of
from models.record import FittedModel
from models.request import Request
from models.rig import rig_of
from models.targets import slug_target

SLUG = "llamacpp-club3090/deepseek-flash-dual-q8-moecache"


def asked(model: FittedModel, **change: object) -> Question:
    request = Request(triad_gbps=100, cores=32)._replace(**change)  # type: ignore[arg-type]
    return Question(model, parameters_of(model), model.facts, rig_of(request, model.facts), request)


def advice(model: FittedModel, **change: object) -> Drafting:
    found = drafting(asked(model, **change), slug_target(SLUG, model.facts, "--slug"))
    assert found is not None
    return found


def test_the_best_depth_is_the_fastest_priced(fitted: FittedModel) -> None:
    found = advice(fitted)
    assert found.tokens_per_s[found.best_depth] == max(found.tokens_per_s.values())
    assert list(found.tokens_per_s) == list(range(9))


def test_code_drafts_at_least_as_deep_as_prose(fitted: FittedModel) -> None:
    assert advice(fitted, workload="code").best_depth >= advice(fitted).best_depth


def test_drafting_pays_exactly_above_the_break_even(fitted: FittedModel) -> None:
    found = advice(fitted, depth=2)
    assert found.depth == 2
    assert found.pays_above is not None
    target = slug_target(SLUG, fitted.facts, "--slug")
    for share, pays in ((found.pays_above + 0.02, True), (found.pays_above - 0.02, False)):
        speed = estimate(asked(fitted, depth=2, acceptance=share), target).tokens_per_s
        assert (speed > found.tokens_per_s[0]) == pays


def test_a_target_without_drafter_gets_no_advice(fitted: FittedModel) -> None:
    slug = "llamacpp-club3090/qwen38-flash-next-dual-q4kxl-moecache"
    assert drafting(asked(fitted), slug_target(slug, fitted.facts, "--slug")) is None


def test_enough_threads_is_a_range_inside_the_cores(fitted: FittedModel) -> None:
    target = slug_target(SLUG, fitted.facts, "--slug")
    fewest, most = enough_threads(asked(fitted), target)
    assert 1 <= fewest <= most <= 32
    speeds = [estimate(asked(fitted, threads=n), target).tokens_per_s for n in (fewest, 32)]
    assert speeds[0] >= KNEE * speeds[1] * (1 - 1e-9)
