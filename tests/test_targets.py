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
