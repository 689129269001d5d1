"""The capture blocks of the bench."""

import pytest

from tests.reading import REPORT, Reader, find, measured, only

CENSUS = """========== CAPTURE: EXPERT CACHE (moe-cache) ==========
    CUDA0 pools=2 slots=5262 total_mib=22362 expert_kib=4352 type=mxfp4
    CUDA1 pools=1 slots=2710 total_mib=11517 expert_kib=4352 type=mxfp4
"""
SPLIT = """========== CAPTURE: VRAM ==========
  CUDA0: model=5904  kv=612  compute=1986  pool=11181  total=22980/24576MiB(94%)
  CUDA1: model=6121  kv=590  compute=1764  pool=11517  total=22990/24576MiB(94%)
"""


@pytest.mark.parametrize(("text", "mib"), [(CENSUS, 33879), (SPLIT + CENSUS, 22698)])
def test_pools_of_the_component_split_are_better_than_a_census_that_may_count_twice(
    text: str, mib: int, reading: Reader
) -> None:
    told = {m.quantity: (m.value, m.unit) for m in measured(reading(text))}
    assert told["cache_pool"] == (mib, "MiB")
    assert told["cache_slots"] == (7972, "slots")


CACHE = """========== CAPTURE: EXPERT CACHE (moe-cache) ==========
  hit rate, per device (MARGINAL = across the measured window only):
    CUDA0 marginal={} cumulative={} dhits={} dlookups={} devictions=0
"""


def test_accepted_over_drafted_and_mean_of_rates_are_two_quantities(reading: Reader) -> None:
    bundle = only(reading(REPORT))
    assert find(bundle, "acceptance", "mixed").value == 0.5
    assert find(bundle, "acceptance-mean", "mixed").value == 0.55


def test_hits_without_look_ups_are_no_hit_rate(reading: Reader) -> None:
    silent = reading(REPORT + CACHE.format("-", "55.0%", 0, 0))
    assert "hit_rate" not in [m.quantity for m in only(silent).runs[0].measurements]
    assert any("not zero" in problem.message for problem in silent.problems)
    told = only(reading(REPORT + CACHE.format("0.0%", "0.0%", 0, 400)))
    assert find(told, "hit_rate", "mixed").value == 0
