import pytest

from ingest.catalog import Catalog
from launch.budget import (
    FIRST_DECODE_MIB,
    Shape,
    compute_mib,
    derived_budget,
    drafter_mib,
    measured_budget,
    prefill_margin_mib,
)
from launch.payload import Payload, catalogue_payload

DSPARK_MIB = 10.3 * 1024
MEASURED = Shape(204_800, 4096)


def payload_of(catalog: Catalog, slug: str) -> Payload:
    entry = catalog.slugs[slug]
    model = catalog.models[entry.model]
    variant = model.variant(entry.quant)
    assert variant is not None
    payload = catalogue_payload(model, variant)
    assert payload is not None
    return payload


# slug, drafter's cost in the reserve (measured), the reference's reserve
RESERVES = [
    ("llamacpp/deepseek-flash-dual-q8", 0, 11432),
    ("llamacpp/deepseek-flash-dual-iq2", 8154, 16500),
    ("llamacpp-club3090/inkling-small-dual-iq4xs-residency", 0, 9758),
]


@pytest.mark.parametrize(("slug", "drafter", "reserve"), RESERVES)
def test_the_parts_add_up_to_the_reserve_that_was_measured(
    catalog: Catalog, slug: str, drafter: float, reserve: float
) -> None:
    entry = catalog.slugs[slug]
    assert entry.ctx is not None
    assert entry.ubatch is not None
    shape = Shape(entry.ctx, entry.ubatch, entry.kv)
    payload = payload_of(catalog, slug)
    # The IQ2 reserve was taken with the cache that its header states, f16.
    kv = payload.kv_mib(shape.ctx, "f16")
    derived = (payload.dense_mib + kv) / 2 + compute_mib(shape) + drafter
    assert derived == pytest.approx(reserve, rel=0.07)


def test_a_drafter_costs_its_share_of_the_weights_and_its_context() -> None:
    # Measured 9,054 and 8,104 on two cards, 7.5 GiB over both from the host, 6,839 on four.
    assert drafter_mib(DSPARK_MIB, 2, MEASURED, on_host=False) == pytest.approx(9054, rel=0.04)
    assert drafter_mib(DSPARK_MIB, 2, MEASURED, on_host=True) * 2 == pytest.approx(
        7.5 * 1024, rel=0.06
    )
    assert drafter_mib(DSPARK_MIB, 4, MEASURED, on_host=False) == pytest.approx(6839, rel=0.03)
    assert drafter_mib(DSPARK_MIB, 0, MEASURED, on_host=False) == 0


def test_a_drafters_context_grows_as_the_targets_does() -> None:
    wider = Shape(262_144, 4096)
    grown, own = (
        cost(wider) - cost(MEASURED)
        for cost in (lambda shape: drafter_mib(DSPARK_MIB, 2, shape, on_host=True), compute_mib)
    )
    assert grown == own > 0


def test_the_margin_holds_where_it_was_measured_and_grows_with_context_times_batch() -> None:
    assert prefill_margin_mib(MEASURED) == prefill_margin_mib(Shape(4096, 512)) == 1024
    assert prefill_margin_mib(Shape(409_600, 4096)) == 2048
    assert prefill_margin_mib(Shape(409_600, 2048)) == 1024


def test_the_attention_mask_grows_with_context_and_batch() -> None:
    small, large = compute_mib(Shape(100_000, 2048)), compute_mib(Shape(200_000, 4096))
    assert large - 800 - FIRST_DECODE_MIB == pytest.approx(4 * (small - 800 - FIRST_DECODE_MIB))
    assert compute_mib(Shape(1_048_576, 2048)) == pytest.approx(9450, rel=0.05)


def test_the_measured_figure_comes_apart_and_together_again(catalog: Catalog) -> None:
    slug = catalog.slugs["llamacpp/deepseek-flash-dual-q8"]
    assert slug.residency is not None
    payload = payload_of(catalog, slug.id)
    budget = measured_budget(payload, Shape(204_800, 4096), slug.residency, 2, drafter=True)
    share = (budget.dense_mib + budget.kv_mib) / 2
    assert budget.fixed_on(0) + share == pytest.approx(11432 + 8154 + 444 + 1024)
    assert budget.fixed_on(1) + share == pytest.approx(11432 + 8154 + 1024)
    bare = measured_budget(payload, Shape(204_800, 4096), slug.residency, 2, drafter=False)
    assert budget.fixed_on(1) - bare.fixed_on(1) == 8154


def test_a_quantised_cache_costs_less(catalog: Catalog) -> None:
    payload = payload_of(catalog, "llamacpp/deepseek-flash-dual-q8")
    full = derived_budget(payload, Shape(204_800), 0.0)
    half = derived_budget(payload, Shape(204_800, kv="q8_0"), 0.0)
    assert half.kv_mib == pytest.approx(full.kv_mib * 34 / 64)
    assert full.basis == "derived"
