from hypothesis import given
from hypothesis import strategies as st

from launch.gate import gate, host_need


def test_the_need_of_the_reference_slug_is_its_header() -> None:
    assert 145.5 < host_need(43 * 3264, 0.9863).total_gib < 146.5


def test_without_a_figure_for_the_memory_there_is_no_verdict() -> None:
    assert gate(host_need(100_000), None).fits is None


def test_little_spare_memory_is_tight_and_too_little_says_how_much_is_missing() -> None:
    need = host_need(102_400)
    assert gate(need, 110).fits
    assert gate(need, 110).tight
    assert not gate(need, 130).tight
    assert gate(need, 100).missing_gib == 8


@given(st.floats(0, 1e6), st.floats(0, 4096), st.floats(0, 4096))
def test_more_memory_never_turns_yes_into_no(mib: float, ram: float, more: float) -> None:
    need = host_need(mib)
    if gate(need, ram).fits:
        assert gate(need, ram + more).fits
