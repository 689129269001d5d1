import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.interval import bounds, doubt, moves, narrowed, perturbed
from models.parameters import gathered, priors
from models.rows import FitRow

PRIORS = gathered({p.name: p.value for p in priors(["k-quant"], {"mlc-read": 1.0})})


def test_without_doubts_the_bracket_stands_as_it_is() -> None:
    low, high = bounds(10.0, (-0.2, 0.3), 0.0, 0.8)
    assert (low, high) == pytest.approx((8.187, 13.499), abs=1e-3)


@given(st.floats(-1, 0), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_doubt_is_never_narrower(low: float, high: float, spread: float, more: float) -> None:
    narrow = bounds(10.0, (low, high), spread, 0.8)
    wide = bounds(10.0, (low, high), spread + more, 0.8)
    assert wide[0] <= narrow[0] + 1e-12
    assert wide[1] >= narrow[1] - 1e-12


def test_a_bracket_on_one_side_of_the_prediction_still_holds_it() -> None:
    low, high = bounds(10.0, (0.1, 0.4), 0.0, 0.8)
    assert low <= 10.0 < high


def test_a_doubted_input_counts_by_what_it_moves(made_rows: list[FitRow]) -> None:
    x = made_rows[0].inputs._replace(kernel=0, method=0)
    fast = x._replace(core_speed=50.0)
    spread = {"core_speed": 0.35}
    assert doubt(moves(x, PRIORS, {})) == 0
    assert doubt(moves(fast, PRIORS, spread)) < 0.01 < doubt(moves(x, PRIORS, spread))


def test_doubted_hits_move_the_misses(made_rows: list[FitRow]) -> None:
    x = made_rows[0].inputs._replace(hit_rate=0.6)
    assert perturbed(x, "hit_rate", 0.3).hit_rate == pytest.approx(1 - 0.4 * 0.7408, abs=1e-4)


def test_explained_variance_draws_both_ends_in() -> None:
    assert narrowed(10.0, (5.0, 20.0), 0.25) == pytest.approx((7.071, 14.142), abs=1e-3)
    assert narrowed(10.0, (5.0, 20.0), 1.0) == (5.0, 20.0)
    assert narrowed(10.0, (5.0, 20.0), 0.0) == (10.0, 10.0)
