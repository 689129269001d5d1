from typing import Any

import pytest

from ingest.bundle import OFF, Drafter, ExpertCache
from ingest.catalog import Catalog, ModelEntry
from ingest.record import wording


@pytest.fixture
def flash(catalog: Catalog) -> ModelEntry:
    return catalog.models["deepseek-v4-flash-0731"]


@pytest.mark.parametrize(
    ("text", "kind", "layers", "inferred"),
    [
        ("-ngl 999 --n-cpu-moe 26", "experts", 26, False),
        ("--n-cpu-moe 99", "experts", 43, False),
        ("-ot exps=CPU", "experts", 43, True),
        ("layers 3-8 ffn on GPU, rest CPU", "experts", 37, True),
        ("blk 3-8 CUDA0, blk 9-14 CUDA1", "experts", 31, True),
        ("residency 4+4 ", "experts", 35, True),
        ("-fit on", "fit", None, False),
        ("none (GPU-resident)", "resident", None, False),
        ("CUDA build without -ngl", "cpu-only", None, False),
        ("GPU expert ratio 0.2", "engine-managed", None, False),
    ],
)
def test_an_offload_phrase_is_read(
    text: str, kind: str, layers: int | None, *, inferred: bool, flash: ModelEntry
) -> None:
    placed = wording.offload(text, None, flash, 2)
    assert placed is not None
    assert (placed.offload.kind, placed.offload.layers_on_cpu) == (kind, layers)
    assert placed.inferred is inferred
    assert placed.offload.rules == text


def test_a_phrase_that_says_nothing_of_offload_stays_unknown(flash: ModelEntry) -> None:
    assert wording.offload("two cards", None, flash, 2) is None
    assert wording.offload("", None, flash, 2) is None


def test_a_hybrid_run_without_rules_is_taken_to_leave_all_experts_and_says_so(
    flash: ModelEntry,
) -> None:
    placed = wording.offload("", "hybrid", flash, 1)
    assert placed is not None
    assert placed.inferred
    assert placed.offload.layers_on_cpu == 43


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (None, None),
        ({"type": "none"}, OFF),
        ({"type": "MTP", "n_max": 3}, Drafter(kind="mtp", depth=3)),
        ({"type": "DSpark on host", "n_max": 5}, Drafter(kind="dspark", depth=5, device="cpu")),
        ({"type": "unheard of"}, None),
    ],
)
def test_absent_off_and_on_drafters_are_three_values(
    told: dict[str, Any] | None, read: object
) -> None:
    assert wording.drafter(told) == read


def test_slots_become_mib_and_are_inferred(catalog: Catalog, flash: ModelEntry) -> None:
    variant = flash.variant("UD-Q8_K_XL")
    read = wording.expert_cache({"mib": "auto (reserve 1536; ~5159 slots)"}, flash, variant)
    assert read is not None
    assert (read.slots, read.inferred) == (5159, True)
    assert variant is not None
    assert variant.bundle_mib is not None
    slot_mib = variant.bundle_mib / (flash.experts or 1) / flash.expert_matrices
    assert read.cache == read.cache.model_copy(update={"mib": round(5159 * slot_mib)})
    assert catalog.models[flash.id] is flash


def test_slots_that_no_card_could_hold_were_mib(flash: ModelEntry) -> None:
    variant = flash.variant("UD-Q8_K_XL")
    read = wording.expert_cache({"mib": "auto (20565 slots)"}, flash, variant, 2 * 24 * 1024)
    assert read is not None
    assert isinstance(read.cache, ExpertCache)
    assert read.cache.mib == 20565


def test_a_cache_of_no_bytes_is_off(flash: ModelEntry) -> None:
    read = wording.expert_cache({"mib": 0}, flash, None)
    assert read is not None
    assert read.cache == OFF


def test_watts_of_two_cards_in_one_cell_are_one_a_card() -> None:
    cards = wording.gpus([{"model": "RTX 5090", "count": 2, "power_w": "600/575"}])
    assert cards is not None
    assert [card.power_w for card in cards] == [600, 575]


@pytest.mark.parametrize(
    ("row", "club", "method"),
    [
        ({"triad_gbs": 39.1}, True, "triad-v1"),
        ({"triad_gbs": 39.1, "triad_probe": "numpy"}, True, "triad-numpy"),
        ({"triad_gbs": 554.8, "bandwidth_how": "mlc"}, False, "mlc-read"),
        ({"triad_gbs": 204.8, "bandwidth_how": "theoretical"}, False, "rated"),
        ({"triad_gbs": 60, "notes": "AIDA64 read"}, False, "aida-read"),
    ],
)
def test_a_bandwidth_keeps_its_method(row: dict[str, Any], method: str, *, club: bool) -> None:
    read = wording.bandwidth(row, club=club)
    assert read is not None
    assert read.method == method


def test_no_bandwidth_is_none() -> None:
    assert wording.bandwidth({}, club=True) is None


@pytest.mark.parametrize(
    ("text", "outcome", "passed", "total"),
    [
        ("PASS", "pass", None, None),
        ("8/8", "pass", 8, 8),
        ("7/8 timeout", "fail", 7, 8),
        ("ADVISORY", "advisory", None, None),
        ("skipped (no tool)", "skipped", None, None),
    ],
)
def test_a_stage_cell_is_a_verdict(text: str, outcome: str, passed: int, total: int) -> None:
    stage = wording.stage(text)
    assert stage is not None
    assert (stage.outcome, stage.passed, stage.total) == (outcome, passed, total)


def test_a_cell_without_a_verdict_is_none() -> None:
    assert wording.stage("see below") is None


def test_a_stored_midpoint_goes_back_to_its_published_range() -> None:
    spread = wording.spread("Reported as 12-14 t/s; midpoint stored.", 13)
    assert spread == (12, 14, "range")
    assert wording.spread("layers 12-14 on GPU", 13) == (None, None, None)


def test_doubts_are_told_in_words() -> None:
    assert wording.doubts("-ser 6,1", "") == ["fewer active experts than the model's default"]
    assert wording.doubts("Canonical.", "--cpu-moe") == []
