import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.answered import Terms
from capture.cache_log import CacheSaid, cache_in
from capture.integrity import panel
from capture.server_log import ServerLog
from capture.summary import measurements

BOOT = """[moe-cache] enabled: reserve=1536 MiB admit=1/64
[moe-cache] CUDA0 pool[0]: type=mxfp4 expert=4352 KiB slots=3000 total=12750 MiB
[moe-cache] CUDA0 pool[1]: type=q6_K expert=4352 KiB slots=100 total=425 MiB
[moe-cache] CUDA1 pool[0]: type=mxfp4 expert=4352 KiB slots=2500 total=10625 MiB
"""


def counters(card: int, hits: int, lookups: int, failed: int = 0) -> str:
    return (
        f"[moe-cache] CUDA{card} hits={hits}/{lookups} evictions=5 skips=0 fill-fail={failed} "
        "dispatch-fail=0 collect-fail=0\n"
    )


def test_pools_are_summed_over_cards_and_look_ups_are_those_of_the_window() -> None:
    before = BOOT + counters(0, 100, 1000) + counters(1, 300, 1000)
    window = counters(0, 150, 1100) + counters(0, 400, 1600) + counters(1, 900, 2000)
    said = cache_in(before, window)
    assert (said.slots, said.pool_mib) == (5600, 23800)
    assert (said.hits, said.lookups, said.failed) == (900, 1600, 0)
    assert said.uncached == ()


def test_a_pool_that_is_logged_again_counts_once_with_its_last_size() -> None:
    grown = "[moe-cache] CUDA1 pool[0]: type=mxfp4 expert=4352 KiB slots=2600 total=11050 MiB\n"
    assert cache_in(BOOT + BOOT, grown).slots == 5700


def test_a_server_that_was_booted_anew_counts_from_nothing() -> None:
    said = cache_in(counters(0, 9000, 10_000), counters(0, 30, 100))
    assert (said.hits, said.lookups) == (30, 100)


def test_a_card_without_budget_is_told_unless_it_got_a_pool_after_all() -> None:
    line = "[moe-cache] CUDA{} has no cache budget after 3072 MiB reserve\n"
    assert cache_in(BOOT + line.format(2), "").uncached == ("CUDA2",)
    assert cache_in(BOOT + line.format(1), "").uncached == ()


def test_a_log_that_says_nothing_is_unknown() -> None:
    assert not cache_in("srv  update_slots: all idle\n", "slot print_timing: 3 ms\n").known
    said = cache_in("[moe-cache] CUDA1 pool[0]: slots=742 expert=1536 KiB\n", "")
    assert said == CacheSaid(slots=742)


@given(st.text(alphabet="[]moe-cachCUDA0123 hits=/pol:slMiB\n", max_size=300))
def test_any_text_is_read_without_error(text: str) -> None:
    said = cache_in(text, text)
    assert said.lookups is None or said.lookups >= 0


TERMS = Terms(quick=False, strict=True, room=0, thinking=False)


def made(said: CacheSaid) -> list[dict[str, Any]]:
    line = json.loads(json.dumps({"kind": "cache", "run": "main", **said._asdict()}))
    return [line]


Numbers = Callable[[CacheSaid], dict[str, float | None]]


@pytest.fixture
def numbers() -> Numbers:
    def read(said: CacheSaid) -> dict[str, float | None]:
        found = measurements(made(said), "main", TERMS)
        return {one.quantity: one.value for one in found}

    return read


def test_the_cache_becomes_measurements_of_the_run(numbers: Numbers) -> None:
    said = CacheSaid(slots=5600, pool_mib=23_800, hits=900, lookups=1600)
    assert numbers(said) == {"hit_rate": 0.5625, "cache_slots": 5600, "cache_pool": 23_800}


@pytest.mark.parametrize("lookups", [None, 0])
def test_no_look_ups_are_no_hit_rate(numbers: Numbers, lookups: int | None) -> None:
    assert numbers(CacheSaid(slots=10, hits=lookups, lookups=lookups)) == {"cache_slots": 10}


@pytest.mark.parametrize(
    ("cache", "state", "told"),
    [
        (CacheSaid(uncached=("CUDA1",)), "advisory", "CUDA1 has no room for it"),
        (CacheSaid(bypassed=3), "advisory", "3 batches were too large"),
        (CacheSaid(hits=0, lookups=0), "advisory", "served no look-up"),
        (CacheSaid(failed=2, hits=1, lookups=2), "fail", "2 fills, dispatches or collects failed"),
    ],
)
def test_a_cache_that_is_not_whole_is_in_the_panel(cache: CacheSaid, state: str, told: str) -> None:
    (found,) = [one for one in panel(made(cache), "main") if one.name == "expert cache"]
    assert found.state == state
    assert told in found.text


def test_a_healthy_cache_is_no_finding() -> None:
    lines = made(CacheSaid(slots=5, hits=1, lookups=2, failed=0))
    assert not [one for one in panel(lines, "main") if one.name == "expert cache"]


def test_pools_from_before_the_bench_and_counters_from_within_are_read_off_the_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "server.log"
    path.write_text(BOOT + counters(0, 10, 20))
    log = ServerLog(path)
    with path.open("a") as file:
        file.write(counters(0, 40, 80))
    said = log.cache()
    assert (said.slots, said.hits, said.lookups) == (5600, 30, 60)
