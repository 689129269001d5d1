import pytest

from ingest.misuse import Misuse
from models.facts import Facts
from models.request import Request
from models.targets import slug_target, targets


def test_nothing_named_means_every_slug_that_offloads(facts: Facts) -> None:
    assert [target.slug for target in targets(Request(), facts)] == list(facts["slugs"])


def test_slugs_come_in_the_order_they_were_named(facts: Facts) -> None:
    named = tuple(reversed(facts["slugs"]))
    assert [target.slug for target in targets(Request(slugs=named), facts)] == list(named)


def test_a_model_or_a_quant_means_its_variants(facts: Facts) -> None:
    found = targets(Request(model="deepseek-r1", quant="Q4_K_M"), facts)
    assert [(t.slug, t.variant["model"], t.variant["quant"]) for t in found] == [
        (None, "deepseek-r1", "Q4_K_M")
    ]
    assert len(targets(Request(quant="Q4_K_M"), facts)) > 3


def test_the_flag_that_named_a_wrong_slug_is_told(facts: Facts) -> None:
    with pytest.raises(Misuse, match="--mine: no slug 'x'; nearest: "):
        slug_target("x", facts, "--mine")


def test_a_quant_that_nobody_measured_is_worked_out_from_the_architecture(facts: Facts) -> None:
    (measured,) = targets(Request(model="deepseek-r1", quant="Q4_K_M"), facts)
    (found,) = targets(Request(model="deepseek-r1", quant="Q5_K_M"), facts)
    assert found.variant["inferred"]
    assert measured.variant["routed_gb"] < found.variant["routed_gb"]
    assert set(found.variant) >= set(measured.variant)


def test_a_model_that_nobody_measured_is_answered_for_at_common_quants(facts: Facts) -> None:
    found = targets(Request(model="GLM-4.6"), facts)
    sizes = [target.variant["routed_gb"] for target in found]
    assert len(found) > 2
    assert sizes == sorted(sizes)


def test_model_and_quant_may_be_written_in_any_case(facts: Facts) -> None:
    (found,) = targets(Request(model="DeepSeek-R1", quant="q4_k_m"), facts)
    assert found.variant == facts["variants"]["deepseek-r1/Q4_K_M"]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (Request(model="deepseek-r7"), "--model: not in the catalogue: 'deepseek-r7'; nearest: "),
        (Request(model="deepseek-r1", quant="Q9_Z"), "--quant: not in the catalogue: 'Q9_Z'"),
        (Request(quant="IQ1_KT"), "--quant: no model was measured at IQ1_KT"),
    ],
)
def test_names_that_the_catalogue_lacks_are_refused(
    facts: Facts, request_: Request, told: str
) -> None:
    with pytest.raises(Misuse, match=told):
        targets(request_, facts)
