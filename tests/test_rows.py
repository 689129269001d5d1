from typing import Any

import pytest

from models.assumptions import BEFORE
from models.facts import Facts
from models.rows import FitRow, Unusable, fit_row, with_defaults

RAW: dict[str, Any] = {
    "measurement_id": "m", "rig_id": "r", "state_id": "r@s", "source_url": "example.org",
    "workload": "narrative", "protocol": "club-canonical", "context_tokens": 0,
    "tokens_per_s": 17.1, "slug": "llamacpp/deepseek-flash-dual-q8",
    "model": "deepseek-v4-flash-0731", "quant": "UD-Q8_K_XL", "offload": "experts",
    "layers_on_cpu": None, "drafter": None, "drafter_depth": None, "drafter_device": None,
    "expert_cache": None, "cache_mib": None, "ctx": None, "repacked": False,
    "acceptance": None, "acceptance_of_run": None, "hit_rate": None, "tokens_per_pass": None,
    "sockets": 1, "cores": 32, "threads": 28, "cpu": "epyc-7543", "cpu_model": "AMD EPYC 7543",
    "platform": "server", "channels": 8, "core_speed": 0.85, "intel": False, "memory_gib": 251.5,
    "gpus": 2, "cards": 2, "gpu_name": "RTX 3090", "gpu_gbps": 936.0, "vram_gib": 48.0,
    "gbps": 116.0, "method": "triad-v1", "rated_gbps": 204.8, "rules": [],
}  # fmt: skip


def made(facts: Facts, **change: object) -> FitRow:
    row = fit_row({**RAW, **change}, facts, BEFORE)
    assert isinstance(row, FitRow)
    return row


def test_a_slug_fills_in_drafter_cache_and_placement(facts: Facts) -> None:
    row = made(facts)
    assert (row.drafter, row.inputs.drafted, row.inputs.drafter_on_cpu) == ("dspark", 5, 0)
    assert row.inputs.layers_on_cpu in {42, 43}
    assert row.inputs.cache_on == 0
    cached = made(facts, slug="llamacpp-club3090/deepseek-flash-dual-q8-moecache")
    assert (cached.inputs.cache_on, cached.inputs.drafter_on_cpu) == (1, 1)
    assert cached.coverage == pytest.approx(0.15, abs=0.03)


def test_what_the_run_states_wins_over_the_slug(facts: Facts) -> None:
    assert made(facts, drafter="none").stratum == "hybrid"
    assert made(facts, layers_on_cpu=26).inputs.cpu_share == pytest.approx(26 / 43)
    assert made(facts, drafter_depth=2, drafter="dspark").inputs.verified == 3


def test_a_mean_acceptance_is_split_by_prompt_and_an_own_one_is_not(facts: Facts) -> None:
    assert made(facts, acceptance=0.33).accepted == 0.33
    assert made(facts, acceptance_of_run=0.46).accepted == pytest.approx(0.33, abs=0.01)
    assert made(facts, acceptance_of_run=0.46, workload="code").accepted == pytest.approx(0.69)
    dflash = made(facts, acceptance_of_run=0.5, drafter="dflash2", workload="code")
    assert dflash.accepted == pytest.approx(0.55)
    assert made(facts, tokens_per_pass=2.65).accepted == pytest.approx(0.33)


def test_unknown_acceptance_stays_unknown_and_is_assumed(facts: Facts) -> None:
    row = made(facts)
    assert row.accepted is None
    assert 2 < row.inputs.tokens_per_pass < 3.5
    other = {**BEFORE, "acceptance": {"any": {"alpha": 0.0, "sd": 0.1}}}
    assert with_defaults(row, other).inputs.tokens_per_pass == 1


def test_n_gram_drafting_counts_as_none(facts: Facts) -> None:
    row = made(facts, drafter="ngram-mod", drafter_depth=3)
    assert (row.drafter, row.inputs.tokens_per_pass) == (None, 1)


def test_cpu_only_has_no_card_whatever_the_box_holds(facts: Facts) -> None:
    row = made(facts, offload="cpu-only", slug=None)
    assert (row.stratum, row.inputs.dense_on_cpu, row.vram_gib) == ("cpu-only", 1, 0)


def test_a_fitter_fills_the_cards(facts: Facts) -> None:
    fitted = made(facts, offload="fit", slug=None, drafter="none")
    assert 30 < fitted.inputs.layers_on_cpu < 40


def test_rated_bandwidth_stands_in_for_a_missing_measurement(facts: Facts) -> None:
    row = made(facts, gbps=None)
    assert not row.measured_bandwidth
    assert row.inputs.gbps == 204.8
    capped = made(facts, gbps=None, cpu="threadripper-pro-3955wx", platform="workstation")
    assert capped.inputs.gbps < 130


def test_repacked_weights_run_on_the_repacked_kernel(facts: Facts) -> None:
    row = made(facts, repacked=True)
    assert facts["kernels"][row.inputs.kernel] == "r4"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"quant": None}, "no bytes known of its weights"),
        ({"gbps": None, "rated_gbps": None}, "no bandwidth"),
        ({"cores": None, "threads": None}, "no core or thread count"),
    ],
)
def test_a_row_that_cannot_be_priced_says_why(
    facts: Facts, change: dict[str, Any], reason: str
) -> None:
    row = fit_row({**RAW, **change}, facts, BEFORE)
    assert isinstance(row, Unusable)
    assert row.reason.startswith(reason)
