import pytest

from ingest.catalog import Catalog
from ingest.misuse import Misuse
from launch.machine import this_machine
from launch.placement import free_mib
from launch.rig import cards_of, named_cards, numbers, reference_cards


def test_named_cards_have_their_nominal_memory_less_the_drivers_share(catalog: Catalog) -> None:
    cards = cards_of(named_cards(["RTX 3090x2", "RTX 4090"], catalog), None, None)
    assert cards.free_mib == (free_mib(24.0),) * 3
    assert cards.devices == ("CUDA0", "CUDA1", "CUDA2")
    assert cards.numbers == (0, 1, 2)


def test_devices_are_called_as_their_maker_has_them(catalog: Catalog) -> None:
    cards = cards_of(named_cards(["RX 7900 XTX", "RTX 3090"], catalog), None, None)
    assert cards.devices == ("ROCm0", "CUDA0")
    typed = cards_of([], [1000.0], ["RPC0[127.0.0.1:50052]"])
    assert typed.devices == ("RPC0[127.0.0.1:50052]",)
    assert cards_of([], [1000.0, 2000.0], None).devices == ("CUDA0", "CUDA1")


def test_a_slugs_reference_cards_are_its_own(catalog: Catalog) -> None:
    slug = catalog.slugs["llamacpp/deepseek-flash-multi4-q8"]
    assert len(reference_cards(slug, catalog).free_mib) == 4


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["RTX 9999"], "is called 'RTX 9999'"),
        (["RTX 3090x0"], "a count should be 1 or more"),
        (["RTX 3090x17"], "17 cards"),
        ([""], "no card, or more than one"),
    ],
)
def test_a_card_that_is_none_is_misuse(catalog: Catalog, texts: list[str], told: str) -> None:
    with pytest.raises(Misuse, match=told):
        named_cards(texts, catalog)


@pytest.mark.parametrize("text", ["", "a", "1,,2", "-5", "0", "nan", "inf"])
def test_sizes_that_are_none_are_misuse(text: str) -> None:
    with pytest.raises(Misuse, match="--free-vram"):
        numbers(text, "--free-vram")


def test_counts_that_disagree_are_misuse(catalog: Catalog) -> None:
    entries = named_cards(["RTX 3090x2"], catalog)
    with pytest.raises(Misuse, match="1 sizes for 2 cards"):
        cards_of(entries, [1.0], None)
    with pytest.raises(Misuse, match="1 names for 2 cards"):
        cards_of(entries, None, ["CUDA0"])


def test_this_machine_tells_its_memory() -> None:
    here = this_machine()
    assert here.memory.total_gib is not None
    assert here.memory.available_gib is not None
    assert 0 < here.memory.available_gib <= here.memory.total_gib
    assert all(card.free_mib <= card.total_mib for card in here.cards)
