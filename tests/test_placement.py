import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import Catalog
from launch.placement import Costs, bundles_of, free_mib, place, place_slug


def scalar(layers: int, bundle_mib: float, first: int = 0) -> dict[int, float]:
    return dict.fromkeys(range(first, first + layers), bundle_mib)


@pytest.mark.parametrize(
    ("cards", "bundles", "costs", "granted"),
    [
        ([24, 24], scalar(43, 1840), Costs(16500), [3, 3]),
        ([24] * 4, scalar(43, 3264), Costs(14500), [2, 2, 2, 2]),
        ([24, 24], scalar(38, 2848, 2), Costs(9758, 0, 0), [4, 4]),
        ([16, 16], scalar(43, 3264), Costs(11432, 8154, 444), [0, 0]),
    ],
)
def test_the_calibration_points_of_the_reference_come_out(
    cards: list[float], bundles: dict[int, float], costs: Costs, granted: list[int]
) -> None:
    placed = place(bundles, [free_mib(gib) for gib in cards], costs)
    assert [len(blocks) for blocks in placed.on_cards] == granted


def test_a_card_that_drives_a_desktop_takes_one_bundle_less() -> None:
    placed = place(scalar(43, 1840), [31200.0, free_mib(32)], Costs(16500))
    assert [len(blocks) for blocks in placed.on_cards] == [7, 8]


def test_layers_go_to_the_outer_edges_first() -> None:
    placed = place(scalar(40, 100), [1000.0] * 3, Costs(500, 0, 0, 0))
    assert placed.on_cards == ((0, 1, 2, 3, 4), (20, 19, 21, 18, 22), (39, 38, 37, 36, 35))


def test_one_card_gets_nothing_as_in_the_reference() -> None:
    assert place(scalar(4, 100), [100_000.0], Costs()).on_cpu == (0, 1, 2, 3)


def test_the_slug_without_drafter_on_four_cards_leaves_35_layers_on_the_host(
    catalog: Catalog,
) -> None:
    slug = catalog.slugs["llamacpp/deepseek-flash-multi4-q8"]
    model = catalog.models[slug.model]
    variant = model.variant(slug.quant)
    assert variant is not None
    placed = place_slug(model, variant, slug.residency, [free_mib(24)] * 4)
    assert len(placed.on_cpu) == 35
    assert placed.pinned_mib + placed.host_mib == sum(bundles_of(model, variant).values())


def test_layers_outside_the_window_stay_on_the_host(catalog: Catalog) -> None:
    slug = catalog.slugs["llamacpp-club3090/inkling-small-dual-iq4xs-residency"]
    model = catalog.models[slug.model]
    variant = model.variant(slug.quant)
    assert variant is not None
    placed = place_slug(model, variant, slug.residency, [free_mib(48)] * 2)
    assert {40, 41} <= set(placed.on_cpu)


@given(
    sizes=st.lists(st.floats(1, 5000), max_size=60),
    free=st.lists(st.floats(0, 100_000), min_size=2, max_size=8),
)
def test_every_layer_is_placed_once_and_no_card_overflows(
    sizes: list[float], free: list[float]
) -> None:
    bundles = dict(enumerate(sizes))
    costs = Costs()
    placed = place(bundles, free, costs)
    assert sorted([*placed.on_cpu, *(b for card in placed.on_cards for b in card)]) == [*bundles]
    for card, blocks in enumerate(placed.on_cards):
        assert sum(bundles[b] for b in blocks) <= max(0.0, free[card] - costs.on(card)) + 1e-6
