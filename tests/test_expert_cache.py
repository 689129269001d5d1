import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import Catalog
from models.expert_cache import coverage_hit_rate, hit_rate_of, pool_gib
from models.facts import facts_of


def test_the_pool_of_the_reference_slug_is_near_the_21_gib_that_were_logged(
    catalog: Catalog,
) -> None:
    variant = facts_of(catalog)["variants"]["deepseek-v4-flash-0731/UD-Q8_K_XL"]
    assert pool_gib(variant, (24.0, 24.0), 204_800, drafter=True) == pytest.approx(21.4, abs=2)
    assert pool_gib(variant, (8.0,), 204_800, drafter=True) == 0


def test_sixteen_percent_of_the_bytes_serve_more_than_half_of_the_look_ups() -> None:
    assert coverage_hit_rate(0.156, 5.1) == pytest.approx(0.57, abs=0.02)


@given(st.floats(0, 2), st.floats(0, 1), st.floats(1, 8))
def test_a_larger_pool_never_hits_less(coverage: float, more: float, gamma: float) -> None:
    assert 0 <= coverage_hit_rate(coverage, gamma) <= coverage_hit_rate(coverage + more, gamma) <= 1


def test_a_model_never_seen_takes_the_gamma_of_all() -> None:
    known = {"gamma": {"seen": 2.0}, "other": 1.0}
    assert hit_rate_of(known, "seen", 0.5) == pytest.approx(0.75)
    assert hit_rate_of(known, "new", 0.5) == pytest.approx(0.5)
