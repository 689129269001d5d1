import json
from typing import Any

from ingest.bundle import Bundle
from ingest.catalog import Catalog
from ingest.filing import sealed
from ingest.folder import Filed
from ingest.record.bundles import parts_of
from ingest.record.machine import Machine
from ingest.record.row import Collected, merged
from ingest.rules import rule_problems

ROW: dict[str, Any] = {
    "source": "github.com/noonghunna/club-3090/issues/1",
    "handle": "ada",
    "date": "2026-08-01",
    "slug": "llamacpp/deepseek-flash-dual-q8",
    "model": "DeepSeek-V4-Flash-0731",
    "quant": "UD-Q8_K_XL",
    "engine": "llama.cpp",
    "cpu": "AMD EPYC 7302P",
    "ram_type": "DDR4",
    "ram_mts": 3200,
    "channels_populated": 7,
    "channels_total": 8,
    "triad_gbs": 60.5,
    "gpus": [{"model": "RTX 3090", "count": 2, "vram_gib": 24}],
    "virtualization": "VM guest (inferred from the board)",
    "threads": 16,
    "offload": "-ot exps=CPU",
    "protocol": "sampled",
    "workload": "narrative",
    "decode_tps": 14.5,
    "decode_cv": 2.5,
    "n": 5,
    "prefill_tps": {"10k": 320.9, "90k": 261.4},
    "ttft_ms": 127,
    "inferred": ["ram_type", "threads (seen elsewhere)"],
}


def bundle_of(catalog: Catalog, *rows: dict[str, Any]) -> tuple[Bundle, list[dict[str, Any]]]:
    kept = [Collected("club-threads", i, json.dumps(row), row) for i, row in enumerate(rows, 1)]
    group = merged(kept, catalog)
    parts = parts_of(group, Machine("ada-epyc-7302p", inferred=False), "state", catalog)
    bundle, one = sealed(parts, "issue-1")
    filed = Filed(one.folder, bundle, parts.statuses, "0" * 64)
    assert [p for p in rule_problems(filed, catalog) if p.severity == "error"] == []
    assert one.files["rows.jsonl"].decode().splitlines() == [row.text for row in kept]
    return bundle, [status.model_dump() for status in parts.statuses]


def test_narrative_and_code_of_one_configuration_are_one_run(catalog: Catalog) -> None:
    bundle, statuses = bundle_of(catalog, ROW, ROW | {"workload": "code", "decode_tps": 24.5})
    (run,) = bundle.runs
    decode = [(m.workload, m.value, m.evidence.line) for m in run.measurements
              if m.quantity == "decode"]  # fmt: skip
    assert decode == [("narrative", 14.5, 1), ("code", 24.5, 2)]
    prefills = [(m.nominal_tokens, m.value) for m in run.measurements if m.quantity == "prefill"]
    assert prefills == [(10000, 320.9), (90000, 261.4)]
    assert statuses == []


def test_weights_beyond_all_memory_flag_the_run(catalog: Catalog) -> None:
    _, statuses = bundle_of(catalog, ROW | {"gguf_gib": 177, "ram_gb": 128})
    assert [s["reason"] for s in statuses] == ["the weights do not fit the RAM: paging"]
    _, fitting = bundle_of(catalog, ROW | {"gguf_gib": 175, "ram_gb": 128})
    assert fitting == []


def test_two_values_of_one_thing_are_two_runs(catalog: Catalog) -> None:
    bundle, _ = bundle_of(catalog, ROW, ROW | {"decode_tps": 14.9})
    decode = [m.value for run in bundle.runs for m in run.measurements if m.quantity == "decode"]
    assert (len(bundle.runs), decode) == (2, [14.5, 14.9])


def test_seven_of_eight_channels_and_the_labelled_bandwidth_stand_on_the_rig(
    catalog: Catalog,
) -> None:
    bundle, _ = bundle_of(catalog, ROW)
    memory = bundle.rig.memory
    assert (memory.channels_populated, memory.channels_total) == (7, 8)
    assert [(figure.gbps, figure.method) for figure in memory.bandwidth] == [(60.5, "triad-v1")]


def test_what_the_source_does_not_state_is_marked_inferred(catalog: Catalog) -> None:
    bundle, _ = bundle_of(catalog, ROW)
    how = {pointer: told.how for pointer, told in bundle.provenance.items()}
    assert how["/rig"] == "reported"
    assert how["/rig/memory/kind"] == "inferred"
    assert how["/rig/cpu/guest"] == "inferred"
    assert how["/runs/0/launch/threads"] == "inferred"
    assert how["/runs/0/launch/offload/layers_on_cpu"] == "inferred"
    assert bundle.rig.environment == "VM guest"


def test_a_machine_guessed_from_handle_and_cards_is_marked(catalog: Catalog) -> None:
    row = {key: value for key, value in ROW.items() if key != "cpu"}
    group = merged([Collected("club-threads", 1, json.dumps(row), row)], catalog)
    for inferred in (True, False):
        machine = Machine("ada-2x-rtx-3090", inferred=inferred)
        provenance = parts_of(group, machine, "state", catalog).provenance
        assert ("/rig/machine" in provenance) is inferred


def test_spread_is_kept_as_a_fraction(catalog: Catalog) -> None:
    bundle, _ = bundle_of(catalog, ROW)
    decode = next(m for m in bundle.runs[0].measurements if m.quantity == "decode")
    assert (decode.cv, decode.n, decode.protocol) == (0.025, 5, "club-canonical")


def test_a_partly_read_bench_is_another_protocol(catalog: Catalog) -> None:
    bundle, _ = bundle_of(catalog, ROW | {"n": 3})
    assert bundle.runs[0].measurements[0].protocol == "club-partial"


def test_three_thread_counts_are_a_sweep_of_three_points(catalog: Catalog) -> None:
    rows = [ROW | {"threads": n, "decode_tps": 10 + n} for n in (4, 8, 16)]
    bundle, _ = bundle_of(catalog, *rows)
    assert {run.series and run.series.axis for run in bundle.runs} == {"threads"}
    pair, _ = bundle_of(catalog, *rows[:2])
    assert {run.series for run in pair.runs} == {None}


def test_an_unmapped_spelling_flags_the_run_and_creates_nothing(catalog: Catalog) -> None:
    bundle, statuses = bundle_of(catalog, ROW | {"model": "NoSuch-9B", "slug": None})
    assert bundle.runs[0].weights.model is None
    assert bundle.runs[0].weights.spelled == "NoSuch-9B UD-Q8_K_XL"
    assert [(s["target"], s["state"]) for s in statuses] == [("/runs/0", "flagged")]
    assert "NoSuch-9B" in statuses[0]["reason"]


def test_a_doubtful_row_flags_its_numbers_alone(catalog: Catalog) -> None:
    doubtful = ROW | {"workload": "code", "decode_tps": 20, "notes": "-ser 6,1"}
    bundle, statuses = bundle_of(catalog, ROW, doubtful)
    numbers = bundle.runs[0].measurements
    doubted = [i for i, m in enumerate(numbers) if m.evidence.line == 2]
    assert 0 < len(doubted) < len(numbers)
    assert [s["target"] for s in statuses] == [f"/runs/0/measurements/{i}" for i in doubted]


def test_a_row_without_figures_is_a_run_that_says_why(catalog: Catalog) -> None:
    failed = {k: v for k, v in ROW.items() if k not in ("decode_tps", "prefill_tps", "ttft_ms")}
    bundle, statuses = bundle_of(catalog, failed | {"bench": "FAIL", "notes": "Boot failed."})
    assert bundle.runs[0].outcome.state == "failed"
    assert bundle.runs[0].measurements == ()
    _, unread = bundle_of(catalog, failed)
    assert statuses == []
    assert unread[0]["state"] == "flagged"
