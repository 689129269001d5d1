import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.own_run import Known, shared, solve, told, variance

PARTS = {"stratum": 0.0, "rig": 0.002, "model": 0.018, "variant": 0.028, "row": 0.066}
Q8, IQ2, OTHER = (
    Known("club", model, quant, {}) for model, quant in (("v4", "q8"), ("v4", "iq2"), ("glm", "q8"))
)


def test_the_same_model_at_another_quant_tells_much_and_another_model_hardly() -> None:
    own = [(Q8, 0.3)]
    same, other = told(PARTS, IQ2, own), told(PARTS, OTHER, own)
    assert same.shift == pytest.approx(0.3 * 0.018 / 0.066)
    assert other.shift < same.shift / 5
    assert same.variance_left < other.variance_left < 1


def test_a_run_of_another_stratum_tells_nothing() -> None:
    assert told(PARTS, Q8, [(Q8._replace(stratum="cpu-only"), 0.3)]).shift == 0


def test_no_own_run_moves_nothing() -> None:
    assert told(PARTS, Q8, []) == (0.0, 1.0)


def test_runs_of_both_quants_tell_more_than_one() -> None:
    both = told(PARTS, Q8, [(Q8, 0.3), (IQ2, 0.3)])
    assert both.shift > told(PARTS, Q8, [(Q8, 0.3)]).shift
    assert both.variance_left < told(PARTS, Q8, [(Q8, 0.3)]).variance_left


def test_what_is_doubted_in_both_is_learned_from_one() -> None:
    slow_core = {"core_speed": 0.3}
    asked, run = OTHER._replace(doubts=slow_core), Q8._replace(doubts=slow_core)
    assert shared(PARTS, asked, run) == pytest.approx(0.002 + 0.09)
    assert told(PARTS, asked, [(run, -0.4)]).shift < -0.2


@given(
    lefts=st.lists(st.floats(-1, 1), min_size=1, max_size=4),
    known=st.lists(st.sampled_from([Q8, IQ2, OTHER]), min_size=4, max_size=4),
    spread=st.floats(0, 0.5),
)
def test_an_own_run_never_widens_and_never_overshoots(
    lefts: list[float], known: list[Known], spread: float
) -> None:
    runs = [
        (one._replace(doubts={"gbps": spread}), left)
        for one, left in zip(known, lefts, strict=False)
    ]
    found = told(PARTS, Q8._replace(doubts={"gbps": spread}), runs)
    assert 0 <= found.variance_left <= 1
    assert abs(found.shift) <= sum(abs(left) for left in lefts) + 1e-9


def test_a_small_system_is_solved() -> None:
    assert solve([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]) == pytest.approx([1 / 11, 7 / 11])
    assert variance(PARTS, Q8) == PARTS["row"]
