from datetime import date
from pathlib import Path
from typing import Any

import pytest

from capture.nvidia import Sample
from capture.report import drafted
from capture.server_log import ServerLog, said_in
from capture.watch import Moment, summary
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.misuse import Misuse
from ingest.rules import rule_problems

SLOT = "0.00.087.330 I slot print_timing: id  3 | task 0 |"
LOG = f"""{SLOT} prompt eval time = 8.03 ms / 37 tokens (2.2 ms per token, 460.1 tokens per second)
{SLOT} eval time = 2979.00 ms / 64 tokens (46.55 ms per token, 21.15 tokens per second)
{SLOT} draft acceptance = 0.60000 (   30 accepted /    50 generated), mean len =  4.85
{SLOT} eval time = 6.13 ms / 16 tokens (0.41 ms per token, 2444.99 tokens per second)
"""
SERVER = {
    "engine": "llama.cpp", "build": "b1", "model_id": "x", "model_file": "gpt-oss-20b-Q8_0.gguf",
    "ftype": "Q8_0", "size_gib": 11.5, "ctx": 8192, "slots": 1, "has_metrics": False,
}  # fmt: skip
TIMINGS = {"decode_tokens_per_s": None, "prefill_tokens_per_s": None, "cached_tokens": None,
           "drafted": None, "accepted": None}  # fmt: skip


def request(number: int, wall_s: float, stage: str = "bench", **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of a reply
    reply = {"wall_s": wall_s, "ttft_s": 1.0, "tokens": 1000, "tokens_told": True,
             "prompt_tokens": 20, "thought": False, "answered": True, "finish": "length",
             "timings": TIMINGS, **changes}  # fmt: skip
    return {"kind": "request", "run": "main", "at": "2026-12-01T00:00:00+00:00", "stage": stage,
            "workload": "narrative", "phase": "measured", "number": number,
            "nominal_tokens": None, "max_tokens": 1000, "reply": reply}  # fmt: skip


def journal(*more: dict[str, Any], **changes: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - fields of a run
    run = {"kind": "run", "run": "main", "quick": False, "room": 0, "thinking": False,
           "runs": [3, 5], "slug": None, "model": None, "quant": None, "engine": None,
           "series": None, "server": SERVER, "argv": ["llama-server", "-t", "8"], "cards": 1,
           **changes}  # fmt: skip
    gpus = [{"name": "NVIDIA GeForce RTX 3090", "vram_mib": 24576,
             "link": "PCIe gen1 x16 of gen4 x16"}]  # fmt: skip
    return [
        {"kind": "field", "at": "cpu.cores", "value": 8, "how": "measured", "way": "sysfs"},
        {"kind": "field", "at": "gpus", "value": gpus, "how": "measured", "way": "NVML"},
        {"kind": "machine", "machine": "box", "state": "as-found"},
        run,
        *more,
        {"kind": "end", "run": "main"},
    ]


def made(catalog: Catalog, lines: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - a Drafted
    found = drafted(lines, catalog, date(2026, 12, 1))
    filed = Filed("box/x", found.bundle, (), "0" * 64)
    errors = [one for one in rule_problems(filed, catalog) if one.severity == "error"]
    assert errors == []
    return found


def numbers(found: Any) -> dict[str, Any]:  # noqa: ANN401 - a Drafted
    return {one.quantity: one for one in found.bundle.runs[0].measurements}


def test_a_link_is_what_it_was_under_load(catalog: Catalog) -> None:
    watch = {"kind": "watch", "run": "main", "links": ["PCIe gen4 x16 of gen4 x16"]}
    found = made(catalog, journal(request(1, 51.0), watch))
    assert found.bundle.rig.gpus[0].link == "PCIe gen4 x16 of gen4 x16"


def test_decode_is_tokens_over_wall_less_ttft_with_spread_and_evidence(catalog: Catalog) -> None:
    found = numbers(made(catalog, journal(request(1, 51.0), request(2, 41.0))))
    decode = found["decode"]
    assert (decode.value, decode.low, decode.high, decode.n) == (22.5, 20, 25, 2)
    assert decode.evidence.line == 5
    assert found["wall"].value == pytest.approx((1000 / 51 + 1000 / 41) / 2, abs=1e-3)
    assert found["ttft"].value == 1000


def test_rates_that_spread_by_more_than_their_mean_have_none(catalog: Catalog) -> None:
    wild = [request(1, 1001.0), request(2, 1001.0), request(3, 2.0)]
    assert "decode" not in numbers(made(catalog, journal(*wild)))


def test_what_only_the_log_says_is_read_off_it(catalog: Catalog) -> None:
    log = {"kind": "log", "run": "main", **said_in(LOG)._asdict()}
    found = numbers(made(catalog, journal(request(1, 51.0), log)))
    assert (found["decode-engine"].value, found["decode-engine"].protocol) == (
        21.15, "rigbook-capture",
    )  # fmt: skip
    assert found["acceptance"].value == 0.6


def test_paged_out_weights_fail_the_panel_and_flag_the_run(catalog: Catalog) -> None:
    watch = {"kind": "watch", "run": "main", "server_swap_mib": 900.0, "swap_growth_mib": 12.0}
    found = made(catalog, journal(request(1, 51.0), watch))
    assert "900 MiB of the server are paged out" in found.draft.files["status.jsonl"].decode()


def test_runs_that_get_faster_are_a_cache_that_warms(catalog: Catalog) -> None:
    rising = [request(number, 61.0 - 5 * number) for number in range(1, 6)]
    found = made(catalog, journal(*rising))
    assert any("a cache still warms" in one.text for one in found.panels["main"])


def test_the_owners_ids_are_reported_and_the_names_inferred(catalog: Catalog) -> None:
    named = made(catalog, journal(request(1, 51.0))).bundle
    assert (named.runs[0].weights.model, named.runs[0].weights.quant) == ("gpt-oss-20b", "Q8_0")
    assert named.provenance["/runs/0/weights/model"].how == "inferred"
    told = journal(request(1, 51.0), model="gpt-oss-120b", engine="ik_llama.cpp")
    given = made(catalog, told).bundle
    assert given.runs[0].weights.model == "gpt-oss-120b"
    assert given.provenance["/runs/0/weights/model"].how == "reported"
    assert given.runs[0].engine.name == "ik_llama.cpp"


def test_only_what_a_log_says_after_the_start_counts(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(LOG)
    log = ServerLog(path)
    assert log.said() == (None, 0, None, None)
    with path.open("a") as file:
        file.write(LOG)
    assert log.said() == (21.15, 1, 30, 50)
    path.write_text(LOG[LOG.index("\n") + 1 :])  # turned over: shorter than where it was
    assert log.said().decode_n == 1


def test_a_log_that_is_not_there_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="cannot be read"):
        ServerLog(tmp_path / "none.log")


def test_samples_are_summed_over_cards_and_their_best_links_kept() -> None:
    idle = Sample(1000.0, 30.0, 0.0, 0.0, "PCIe gen1 x16 of gen4 x16")
    busy = Sample(9000.0, 200.0, 0.5, 0.3, "PCIe gen4 x16 of gen4 x16")
    moments = [
        Moment((idle, idle), 1.0, 0.5, 0.2, 0.0, 10.0, 0.0),
        Moment((busy, idle), 3.0, None, 0.9, 4.0, 12.0, 0.0),
    ]
    told = summary(moments)
    assert (told["vram_start_mib"], told["vram_peak_mib"], told["power_w"]) == (2000, 10000, 145)
    assert told["links"] == ["PCIe gen4 x16 of gen4 x16", "PCIe gen1 x16 of gen4 x16"]
    assert (told["cpu_others"], told["swap_growth_mib"], told["rss_gib"]) == (0.5, 4.0, 12.0)


def test_no_sample_says_nothing() -> None:
    assert summary([]) == {}
