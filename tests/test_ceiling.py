import pytest

from models.ceiling import ceiling, loads
from models.facts import Facts
from models.predict import predict
from models.record import FittedModel
from models.request import GpuRequest, Request
from models.rig import Cards
from models.setup import Target, placement
from models.targets import slug_target

SLUG = "llamacpp/deepseek-flash-dual-q8"
TWO, FOUR = (Cards("RTX 3090", 936.0, (24.0,) * number) for number in (2, 4))


@pytest.fixture
def target(facts: Facts) -> Target:
    return slug_target(SLUG, facts, "--slug")


def test_the_reference_context_survives_where_the_reference_measured_it(target: Target) -> None:
    placed = placement(target, Request(), TWO, drafter=True)
    found = ceiling(target, placed, TWO, target.launch["ubatch"])
    assert found
    assert target.launch["ctx"] <= found.survives_tokens < found.boots_tokens


def test_the_trap_lies_between_booting_and_the_first_deep_prefill(
    fitted: FittedModel, facts: Facts
) -> None:
    def codes(ctx_tokens: int) -> set[str]:
        asked = Request(triad_gbps=116, cores=32, slugs=(SLUG,), ctx_tokens=ctx_tokens)
        model = fitted._replace(facts=facts)
        (one,) = predict(model, None, asked, advise=True)
        return {warning.code for warning in one.warnings if warning.code.startswith("ctx")}

    asked = Request(triad_gbps=116, cores=32, slugs=(SLUG,))
    (one,) = predict(fitted._replace(facts=facts), None, asked, advise=True)
    assert one.context
    assert codes(one.context.survives_tokens) == set()
    assert codes(one.context.survives_tokens + 1024) == {"ctx-first-prefill"}
    assert codes(one.context.boots_tokens + 1024) == {"ctx-does-not-boot"}


def test_a_smaller_batch_leaves_room_for_more_context(target: Target) -> None:
    placed = placement(target, Request(cpu_layers=43), FOUR, drafter=True)
    small, large = (ceiling(target, placed, FOUR, ubatch) for ubatch in (512, 8192))
    assert small
    assert large
    assert small.survives_tokens > large.survives_tokens > 0


def test_the_first_card_holds_more(target: Target) -> None:
    placed = placement(target, Request(cpu_layers=43), FOUR, drafter=True)
    first, *rest = loads(target, placed, FOUR, 4096)
    assert all(first.fixed_mib > one.fixed_mib for one in rest)


def test_without_a_card_there_is_no_ceiling(fitted: FittedModel, facts: Facts) -> None:
    asked = Request(triad_gbps=116, cores=32, slugs=(SLUG,), gpus=(GpuRequest("none"),))
    (one,) = predict(fitted._replace(facts=facts), None, asked, advise=True)
    assert (one.context, one.prefill) == (None, None)
    assert one.as_json()["context"] is None
