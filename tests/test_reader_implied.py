"""What several findings of one run say together."""

from ingest.readers.implied import implied
from ingest.readers.item import Clue, Fact
from tests.reading import REPORT, Reader


def places(*facts: Fact, clues: tuple[Clue, ...] = ()) -> dict[str, object]:
    return {fact.at: fact.value for fact in implied(clues, facts)}


def test_each_rank_of_tensor_parallelism_is_a_card() -> None:
    assert places(Fact("launch.tensor_parallel", 3, 7)) == {"launch.gpus_used": 3}
    assert places() == {}


def test_a_cache_is_off_only_where_no_pool_was_made_either() -> None:
    unset, empty = Clue("cache_cap_unset", "yes", 1), Clue("no_pool", "yes", 2)
    assert places(clues=(unset,)) == {}
    assert places(clues=(unset, empty)) == {"launch.expert_cache": {"kind": "none"}}


def test_a_denied_drafter_that_the_log_shows_is_a_problem(reading: Reader) -> None:
    text = REPORT.replace(
        "  fired=16 last=0.500 mean=0.550 min=0.400 max=0.700 accepted=500 drafted=1000",
        "  no drafter output in the log (off)\n"
        "draft acceptance = 0.50000 (50 accepted / 100 generated), mean len = 2.50",
    )
    assert any("unknown, not off" in problem.message for problem in reading(text).problems)
