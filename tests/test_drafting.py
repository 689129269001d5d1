import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.drafting import accepted_share, alpha_of, default_alpha


def test_logged_mean_lengths_follow_from_depth_and_share() -> None:
    # 5 drafted at .592 and 2 at .786 are logged with mean lengths 3.96 and 2.57.
    assert pytest.approx(3.96) == 1 + 5 * 0.592
    assert pytest.approx(2.57, abs=0.01) == 1 + 2 * 0.786
    assert accepted_share(alpha_of(0.592, 5), 5) == pytest.approx(0.592)


def test_no_depth_accepts_nothing() -> None:
    assert accepted_share(0.9, 0) == 0


@given(alpha=st.floats(0, 1), depth=st.integers(1, 15))
def test_the_chance_behind_a_share_is_found_again(alpha: float, depth: int) -> None:
    share = accepted_share(alpha, depth)
    assert accepted_share(alpha_of(share, depth), depth) == pytest.approx(share, abs=1e-9)


@given(alpha=st.floats(0.05, 0.95), depth=st.integers(1, 10))
def test_deeper_drafts_yield_more_tokens_but_accept_a_smaller_share(
    alpha: float, depth: int
) -> None:
    assert accepted_share(alpha, depth + 1) <= accepted_share(alpha, depth)
    more = (depth + 1) * accepted_share(alpha, depth + 1)
    assert more >= depth * accepted_share(alpha, depth)


def test_the_nearest_default_is_taken() -> None:
    known = {
        "dspark/code": {"alpha": 0.9, "sd": 0.1},
        "any/code": {"alpha": 0.8, "sd": 0.2},
        "any": {"alpha": 0.7, "sd": 0.3},
    }
    assert default_alpha(known, "dspark", "code") == (0.9, 0.1)
    assert default_alpha(known, "mtp", "code") == (0.8, 0.2)
    assert default_alpha(known, "mtp", "chat") == (0.7, 0.3)
