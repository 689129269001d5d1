import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.budget import Budget
from launch.gate import Need, host_need
from launch.layout import lay_out
from launch.payload import Payload
from launch.verdict import Memory, card_fit, host_fit

NEED = host_need(100 * 1024, 1.0, 3.0)
MODEL = Payload("m", dict.fromkeys(range(4), 1000.0), 4, 4000.0, 0.0, 0.0)
BUDGET = Budget(1000.0, 0.0, 0.0, 4000.0, 0.0, "derived")


def test_the_need_is_told_part_by_part_against_what_is_there() -> None:
    fit = host_fit(NEED, Memory(128.0))
    assert fit.fits
    assert "needs 112.0 GiB (100.0 experts, 1.0 embedding, 3.0 drafter, 8 process)" in fit.said
    assert "128.0 GiB installed" in fit.said


def test_available_and_installed_are_both_held() -> None:
    busy = host_fit(NEED, Memory(128.0, 96.0))
    assert busy.fits is False
    assert "96.0 GiB available: 16.0 GiB short" in busy.said
    assert busy.remedy is not None
    assert "free memory" in busy.remedy
    assert host_fit(NEED, Memory(96.0, 128.0)).fits is False
    assert host_fit(NEED, Memory(None, 128.0)).fits


def test_the_largest_slug_that_fits_is_named_and_swap_is_no_help() -> None:
    smaller = (("a/tiny", 20.0), ("a/small", 60.0), ("a/large", 90.0))
    fit = host_fit(NEED, Memory(64.0, None, 100.0), smaller)
    assert fit.fits is False
    assert fit.remedy == (
        "a/small fits (60 GiB); the 100 GiB of swap do not help: paging is disk speed"
    )
    assert host_fit(NEED, Memory(8.0), smaller).remedy == "add RAM, or choose a smaller quant"


def test_unknown_memory_gives_no_verdict() -> None:
    fit = host_fit(NEED, Memory())
    assert (fit.fits, fit.remedy) == (None, "give --ram GIB")


def test_a_tight_yes_says_so() -> None:
    assert host_fit(NEED, Memory(113.0)).remedy is not None
    assert host_fit(NEED, Memory(200.0)).remedy is None


def test_cards_tell_what_they_use_and_what_a_deep_prefill_keeps() -> None:
    free = (9000.0,)
    fit = card_fit(lay_out(MODEL, free, BUDGET), free, BUDGET.margin_mib)
    assert fit.fits
    assert "7,000 of 9,000 MiB used; 2,000 left, of it 1,024 for a deep prefill" in fit.said
    small = (5000.0,)
    short = card_fit(lay_out(MODEL, small, BUDGET), small, BUDGET.margin_mib)
    assert short.fits is False
    assert "1,024 MiB short of the dense part" in short.said
    other = card_fit(lay_out(MODEL, small, BUDGET), small, 1024.0, [("a/b", 50), ("a/c", 80)])
    assert other.remedy is not None
    assert other.remedy.startswith("a/c fits these cards; or less context")
    assert card_fit(lay_out(MODEL, (), BUDGET), (), 0.0).fits is None


@given(
    st.floats(0, 500), st.floats(0, 500), st.floats(0, 100), st.one_of(st.none(), st.floats(0, 600))
)
@settings(deadline=None)
def test_more_memory_never_turns_yes_into_no(
    experts: float, total: float, more: float, available: float | None
) -> None:
    need = Need(experts, 1.0, 0.0)
    before = host_fit(need, Memory(total, available))
    grown = None if available is None else available + more
    after = host_fit(need, Memory(total + more, grown))
    assert after.fits or not before.fits
    less = host_fit(need._replace(experts_gib=experts / 2), Memory(total, available))
    assert less.fits or not before.fits


@pytest.mark.parametrize("have", [111.9, 112.0])
def test_the_border_is_the_need_itself(have: float) -> None:
    assert host_fit(NEED, Memory(have)).fits is (have >= 112.0)
