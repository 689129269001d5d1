import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.catalog import Catalog, Residency
from launch.budget import Budget, Shape, measured_budget
from launch.gguf import Tensor
from launch.landing import disagreements, simulate
from launch.layout import Layout, lay_out, reference_placement, split_of
from launch.payload import Payload, catalogue_payload
from launch.placement import free_mib
from launch.rules import leading_layers, rules_for

BUDGET = Budget(1000.0, 200.0, 0.0, 8000.0, 800.0, "derived", 1024.0)
EIGHT = Payload("m", dict.fromkeys(range(8), 1000.0), 8, 8000.0, 500.0, 0.0)


def counts(layout: Layout) -> list[int]:
    return [len(blocks) for blocks in layout.placement.on_cards]


def test_a_card_keeps_room_for_its_dense_layers_and_the_margin() -> None:
    layout = lay_out(EIGHT, [12_024.0], BUDGET)
    # 12,024 - 1,000 fixed - 200 extra - 1,024 margin - 8,800 dense and cache = 1,000: one bundle.
    assert counts(layout) == [1]
    assert layout.spare_mib == pytest.approx((0.0,))
    assert layout.used_mib == pytest.approx((11_000.0,))
    assert counts(lay_out(EIGHT, [12_023.0], BUDGET)) == [0]


def test_a_lone_card_descends_from_the_top_so_that_a_count_says_it() -> None:
    layout = lay_out(EIGHT, [14_024.0], BUDGET)
    assert layout.placement.on_cards == ((7, 6, 5),)
    assert leading_layers(layout.placement, range(8)) == 5


def test_a_wide_bundle_is_stepped_over() -> None:
    sizes = dict.fromkeys(range(8), 1000.0) | {7: 5000.0}
    layout = lay_out(EIGHT._replace(bundles_mib=sizes), [14_024.0], BUDGET)
    assert layout.placement.on_cards == ((6, 5, 4),)


def test_cards_that_cannot_hold_the_dense_part_are_told_how_much_is_missing() -> None:
    layout = lay_out(EIGHT, [10_000.0], BUDGET)
    assert not layout.fits
    assert layout.short_mib == pytest.approx(8800 - (10_000 - 2224))
    assert layout.placement.on_cpu == tuple(range(8))
    without = lay_out(EIGHT, [], BUDGET)
    assert (without.fits, without.placement.on_cards) == (True, ())


def test_a_card_without_room_is_left_out() -> None:
    layout = lay_out(EIGHT, [12_024.0, 500.0], BUDGET)
    assert layout.layers == (9, 0)
    assert layout.fits


def test_every_card_takes_bundles_of_its_own_layers() -> None:
    layout = lay_out(EIGHT, [7000.0, 9000.0, 6000.0], BUDGET)
    split = split_of(layout.layers, 8, ("0", "1", "2"))
    for card, blocks in enumerate(layout.placement.on_cards):
        assert {split.device_of(block) for block in blocks} <= {str(card)}


CALIBRATION = [
    # slug, free MiB a card, what the reference grants, what per-layer pricing pins
    ("llamacpp/deepseek-flash-dual-iq2", [24166.0] * 2, [3, 3], [3, 3]),
    # Card 0 drives a desktop. Ours leaves layer 42, which is wider, on the host.
    ("llamacpp/deepseek-flash-dual-iq2", [31300.0, 32358.0], [7, 8], [7, 8]),
    # Fewer dense layers on the middle cards make room for a bundle more on each.
    ("llamacpp/deepseek-flash-multi4-q8", [24166.0] * 4, [2, 2, 2, 2], [2, 3, 3, 2]),
    # The reference strands 2 GiB a card; a layer moved over, and they hold one more.
    ("llamacpp-club3090/inkling-small-dual-iq4xs-residency", [24166.0] * 2, [4, 4], [4, 5]),
    ("llamacpp/deepseek-flash-dual-q8", [24318.0, 23874.0], [1, 1], [1, 1]),
    # One MiB below the border the reference grants none; a layer moved over makes room for one.
    ("llamacpp/deepseek-flash-dual-q8", [24317.0, 23873.0], [0, 0], [1, 0]),
    # 16 GB cards cannot hold even the dense part beside the drafter: ours says so.
    ("llamacpp/deepseek-flash-dual-iq2", [15974.0] * 2, [0, 0], []),
]


def case(catalog: Catalog, slug: str) -> tuple[Payload, Shape, Residency]:
    entry = catalog.slugs[slug]
    model = catalog.models[entry.model]
    variant = model.variant(entry.quant)
    assert variant is not None
    payload = catalogue_payload(model, variant)
    assert payload is not None
    assert entry.residency is not None
    assert entry.ctx is not None
    return payload, Shape(entry.ctx, entry.ubatch or 2048, entry.kv), entry.residency


@pytest.mark.parametrize(("slug", "free", "granted", "ours"), CALIBRATION)
def test_the_calibrated_rigs_come_out_as_listed(
    catalog: Catalog, slug: str, free: list[float], granted: list[int], ours: list[int]
) -> None:
    """The reference's grants are measured; where ours differ, the list says why."""
    payload, shape, residency = case(catalog, slug)
    reference = reference_placement(payload, residency, free, drafter=True)
    assert [len(blocks) for blocks in reference.on_cards] == granted
    budget = measured_budget(payload, shape, residency, len(free), drafter=True)
    assert counts(lay_out(payload, free, budget)) == ours


def test_on_four_cards_the_reference_treats_a_second_card_as_a_middle_one(
    catalog: Catalog,
) -> None:
    payload, _, residency = case(catalog, "llamacpp/deepseek-flash-dual-iq2")
    four = reference_placement(payload, residency, [free_mib(32)] * 4, drafter=True)
    two = reference_placement(payload, residency, [free_mib(32)] * 2, drafter=True)
    assert 42 in two.on_cards[1]
    assert 42 not in four.on_cards[1], "so a slug is placed on the cards it uses only"


sizes = st.lists(st.floats(1, 4000), min_size=1, max_size=24)
frees = st.lists(st.floats(0, 60_000), min_size=1, max_size=4)


def payloads(bundles: list[float], first: int) -> Payload:
    placed = {first + n: mib for n, mib in enumerate(bundles)}
    return Payload("m", placed, first + len(bundles), 8000.0, 500.0, 0.0)


@given(sizes, st.integers(0, 3), frees)
@settings(max_examples=60, deadline=None)
def test_every_expert_has_one_place_and_every_card_stays_within_its_room(
    bundles: list[float], first: int, free: list[float]
) -> None:
    payload = payloads(bundles, first)
    layout = lay_out(payload, free, BUDGET)
    placed = [b for blocks in layout.placement.on_cards for b in blocks]
    assert sorted([*placed, *layout.placement.on_cpu]) == sorted(payload.bundles_mib)
    assert all(
        spare >= -1e-6 for spare, n in zip(layout.spare_mib, layout.layers, strict=True) if n
    )
    if not layout.fits:
        return
    assert sum(layout.layers) == payload.blocks + 1
    devices = tuple(f"CUDA{n}" for n in range(len(free)))
    rules = rules_for(layout.placement, devices)
    tensors = [
        Tensor(f"blk.{block}.ffn_{m}_exps.weight", (1,), "F32", 0, int(mib * (1 << 20) / 3))
        for block, mib in payload.bundles_mib.items()
        for m in ("gate", "up", "down")
    ]
    split = split_of(layout.layers, payload.blocks, devices)
    assert disagreements(simulate(tensors, rules, split), layout.placement, devices) == []


@given(
    st.lists(st.floats(1, 4000), min_size=1, max_size=3).flatmap(
        lambda widths: st.lists(st.sampled_from(widths), min_size=1, max_size=24)
    ),
    frees,
    st.integers(0, 3),
    st.floats(0, 20_000),
)
@example([1.0, 3.0], [0.0, 10827.0], 0, 0.0)
@settings(max_examples=60, deadline=None)
def test_more_vram_never_pins_less_and_never_turns_yes_into_no(
    bundles: list[float], free: list[float], card: int, more: float
) -> None:
    payload = payloads(bundles, 0)
    before = lay_out(payload, free, BUDGET)
    grown = [*free]
    grown[card % len(free)] += more
    after = lay_out(payload, grown, BUDGET)
    assert after.fits or not before.fits
    assert after.placement.pinned_mib >= before.placement.pinned_mib - 1e-6
    another = lay_out(payload, [*free, more], BUDGET)
    assert another.fits or not before.fits
    assert another.placement.pinned_mib >= before.placement.pinned_mib - 1e-6
