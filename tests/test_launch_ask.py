import pytest

from launch.ask import NO_CARD_HERE, Ask, Shelf, rig_here, shipped_shelf, subject_of
from launch.machine import CardNow, Machine
from launch.plan import Wish, make_plan
from launch.verdict import Memory

SLUG = "llamacpp/deepseek-flash-dual-iq2"
MEMORY = Memory(128.0, 100.0, 8.0)
CARDS = tuple(CardNow(n, "NVIDIA GeForce RTX 3090", 24_576.0, 23_000.0 + n) for n in (0, 1))


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return shipped_shelf()


def test_a_machine_gives_its_cards_as_free_as_they_are_now(shelf: Shelf) -> None:
    ask = Ask(slug=SLUG)
    rig = rig_here(ask, shelf, subject_of(ask, shelf), Machine(MEMORY, 16, CARDS))
    assert rig.cards.free_mib == (23_000.0, 23_001.0)
    assert rig.memory == MEMORY
    assert rig.notes == ()


def test_a_machine_without_a_card_is_not_given_the_slugs(shelf: Shelf) -> None:
    ask = Ask(slug=SLUG)
    subject = subject_of(ask, shelf)
    rig = rig_here(ask, shelf, subject, Machine(MEMORY, 16, ()))
    assert (rig.cards.free_mib, rig.notes) == ((), (NO_CARD_HERE,))
    plan = make_plan(subject, rig.cards, rig.memory, Wish())
    assert len(plan.layout.placement.on_cpu) == 43
    assert plan.need.dense_gib > 5


def test_what_is_typed_stands_over_what_the_machine_has(shelf: Shelf) -> None:
    ask = Ask(slug=SLUG, gpus=("RTX 5090x2",), ram_gib=64.0)
    rig = rig_here(ask, shelf, subject_of(ask, shelf), Machine(MEMORY, 16, CARDS))
    assert rig.cards.free_mib[0] > 30_000
    assert (rig.memory.total_gib, rig.memory.available_gib) == (64.0, 100.0)
