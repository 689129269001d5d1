"""The rig report in every paste form, and the laws that hold while it is read."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.bundle import Bundle, Drafter, Measurement, Off, Source
from ingest.catalog import Catalog
from ingest.readers.reader import read
from ingest.readers.reading import Reading

REPORTS = Path(__file__).parent / "reports"
REPORT = (REPORTS / "rig-report.md").read_text()
SOURCE = Source(kind="issue", url="example.org/rigs/7", author="someone")
FIRST_FIELD = "### Rig + bench report — paste contents of `bash scripts/report.sh --full`\n\n"
REST = "### Soak-continuous verdict\n\nPASS — clean (no errors)\n\n### Notes (optional)\n\n"

Reader = Callable[[str], Reading]


@pytest.fixture
def reading(catalog: Catalog) -> Reader:
    return lambda text: read(text, SOURCE, catalog)


def only(one: Reading) -> Bundle:
    assert len(one.understood) == 1, one.problems
    return one.understood[0].bundle


def numbers(bundle: Bundle, run: int = 0) -> dict[tuple[str, str | None, str], float | None]:
    return {(m.quantity, m.workload, m.protocol): m.value for m in bundle.runs[run].measurements}


def find(bundle: Bundle, quantity: str, workload: str | None = None) -> Measurement:
    found = [
        m for m in bundle.runs[0].measurements if (m.quantity, m.workload) == (quantity, workload)
    ]
    assert len(found) == 1
    return found[0]


def test_a_whole_report_becomes_one_bundle_with_its_evidence(reading: Reader) -> None:
    one = reading(REPORT)
    bundle = only(one)
    assert bundle.rig.cpu.cores == 16
    assert [(b.method, b.gbps) for b in bundle.rig.memory.bandwidth] == [
        ("triad-v2", 98.7),
        ("read-v2", 111.2),
    ]
    run = bundle.runs[0]
    assert run.slug == "llamacpp/deepseek-flash-dual-q8"
    assert run.launch.threads == 16
    assert run.launch.offload
    assert run.launch.offload.layers_on_cpu == 41
    decode = find(bundle, "decode", "narrative")
    assert (decode.value, decode.low, decode.high, decode.n) == (11.40, 11.20, 11.60, 5)
    line = decode.evidence.line
    assert line
    assert "decode_TPS     mean=  11.40" in one.text.split("\n")[line - 1]
    cpu = bundle.provenance["/rig/cpu/model"].line
    assert cpu
    assert "EPYC 7302P" in one.text.split("\n")[cpu - 1]


def glow(text: str) -> str:
    """As a terminal renderer shows it: bullets, no bold, a margin, no fences, wrapped at 80."""
    shown = []
    for line in text.split("\n"):
        if line.startswith("```") or "details>" in line:
            continue
        plain = re.sub(r"^( *)- ", r"\1• ", line.replace("**", ""))
        bullet = plain.lstrip().startswith("•")
        while bullet and len(plain) > 80:
            cut = plain.rindex(" ", 0, 80)
            shown.append(f"  {plain[:cut]}")
            plain = f"  {plain[cut + 1 :]}"
        shown.append(f"  {plain}" if bullet else plain)
    return "\n".join(shown)


def mojibake(text: str) -> str:
    """As UTF-8 that was read as Windows-1252."""
    return "".join(c if c.isascii() else c.encode().decode("cp1252", "ignore") for c in text)


FORMS: dict[str, Callable[[str], str]] = {
    "form field with nested fences": lambda t: (
        f"{FIRST_FIELD}```markdown\n{t}```\n\n{REST}_No response_\n"
    ),
    "bare body": lambda t: t,
    "in the notes, field holds a dash": lambda t: f"{FIRST_FIELD}```markdown\n-\n```\n\n{REST}{t}",
    "in the notes, field holds a hash": lambda t: f"{FIRST_FIELD}```markdown\n#\n```\n\n{REST}{t}",
    "fences lost": lambda t: "\n".join(x for x in t.split("\n") if not x.startswith("```")),
    "quoted": lambda t: "\n".join(f"> {x}" for x in t.split("\n")),
    "windows line ends": lambda t: t.replace("\n", "\r\n"),
    "padded console": lambda t: "\n".join(x.ljust(120) for x in t.split("\n")),
    "colours": lambda t: t.replace("PASS", "\x1b[32mPASS\x1b[0m"),
    "terminal renderer": glow,
    "one-letter user": lambda t: re.sub(r"b", "<USER>", t),
    "pager leftovers first": lambda t: "- **GPU 9:** stray\n:\n" + t,
    "mojibake": mojibake,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_paste_form_says_the_same(form: str, reading: Reader) -> None:
    wanted, bundle = only(reading(REPORT)), only(reading(FORMS[form](REPORT)))
    assert numbers(bundle) == numbers(wanted)
    assert bundle.rig.cpu == wanted.rig.cpu
    assert bundle.rig.memory == wanted.rig.memory
    assert isinstance(bundle.rig.gpus, tuple)
    assert isinstance(wanted.rig.gpus, tuple)
    assert bundle.rig.gpus[0] == wanted.rig.gpus[0]
    assert bundle.runs[0].weights.quant == wanted.runs[0].weights.quant
    assert bundle.runs[0].launch.threads == wanted.runs[0].launch.threads


def test_two_reports_of_one_body_are_two_bundles_of_one_machine(reading: Reader) -> None:
    slower = REPORT.replace("2933 MT/s", "2666 MT/s")
    one = reading(f"{REPORT}\n---- comment ----\n{slower}")
    first, second = (found.bundle for found in one.understood)
    assert first.rig.machine == second.rig.machine
    assert first.rig.state != second.rig.state
    assert first.id != second.id
    assert one.understood[1].text.count("\n") == one.text.count("\n")


def test_each_bundles_own_text_gives_it_again(reading: Reader) -> None:
    table = (REPORTS / "samples/llama-bench-offload.md").read_text()
    slower = REPORT.replace("2933 MT/s", "2666 MT/s")
    body = f"{table}\n{REPORT}\nbetween\n{slower}\n- Decode: 5 tok/s\n"
    first, second = reading(body).understood
    for one in (first, second):
        assert only(reading(one.text)) == one.bundle
    assert len(first.bundle.runs) + len(second.bundle.runs) == 5


def test_a_piece_in_a_comment_is_another_run_of_the_same_rig(reading: Reader) -> None:
    piece = (
        "=== summary [code] (n=5) ===\n"
        "  decode_TPS  mean= 16.00 std= 0.10 CV= 0.6% min=15.90 max=16.10\n"
    )
    one = reading(f"{REPORT}\n---- comment ----\n{piece}")
    assert [len(run.measurements) for run in only(one).runs][1] == 1
    assert any("same rig" in problem.message for problem in one.problems)


def test_another_users_table_is_another_bundle(reading: Reader) -> None:
    table = "---- comment by another user ----\nTOTAL | 100 / 150 | 67% | 1.00s | ok\n"
    understood = reading(REPORT + table).understood
    assert [len(found.bundle.runs[0].quality) for found in understood] == [0, 1]


def test_v1_and_v2_bandwidth_are_different_methods(reading: Reader) -> None:
    old = re.sub(r" · 111.2 GB/s read .*\)", "", REPORT)
    assert [b.method for b in only(reading(old)).rig.memory.bandwidth] == ["triad-v1"]


def test_legacy_processor_lines_leave_cores_to_inference(reading: Reader) -> None:
    old = re.sub(r"- \*\*CPU topology.*\n", "", REPORT).replace(
        "16-Core Processor\n", "16-Core Processor (32 threads)\n"
    )
    one = reading(old)
    assert (only(one).rig.cpu.cores, only(one).rig.cpu.threads) == (16, 32)
    assert "/rig/cpu/cores" in [place.pointer for place in one.understood[0].inferred]


def test_the_served_file_decides_over_the_containers_name(reading: Reader) -> None:
    swapped = REPORT.replace("UD-Q8_K_XL-00001-of-00005", "UD-IQ2_XXS-00001-of-00003")
    one = reading(swapped)
    run = only(one).runs[0]
    assert (run.slug, run.named) == (None, "llama-cpp-deepseek-flash-q8")
    assert run.weights.quant == "UD-IQ2_XXS"
    assert any("no slug" in problem.message for problem in one.problems)


def test_absent_zero_and_off_are_three_values(reading: Reader) -> None:
    silent = REPORT.replace(
        "  fired=16 last=0.500 mean=0.550 min=0.400 max=0.700 accepted=500 drafted=1000",
        "  no drafter output in the log (spec-dec off, or the engine does not log acceptance)",
    )
    assert only(reading(silent)).runs[0].launch.drafter is None
    off = silent.replace("```\n====", "```\n[spec] drafter OFF\n====", 1)
    assert isinstance(only(reading(off)).runs[0].launch.drafter, Off)
    assert isinstance(only(reading(REPORT)).runs[0].launch.drafter, Drafter)
    zero = REPORT.replace("accepted=500", "accepted=0").replace("mean=0.550", "mean=0.000")
    assert find(only(reading(zero)), "acceptance", "mixed").value == 0


def test_a_denied_drafter_that_the_log_shows_is_a_problem(reading: Reader) -> None:
    text = REPORT.replace(
        "  fired=16 last=0.500 mean=0.550 min=0.400 max=0.700 accepted=500 drafted=1000",
        "  no drafter output in the log (off)\n"
        "draft acceptance = 0.50000 (50 accepted / 100 generated), mean len = 2.50",
    )
    assert any("unknown, not off" in problem.message for problem in reading(text).problems)


def test_accepted_over_drafted_and_mean_of_rates_are_two_quantities(reading: Reader) -> None:
    bundle = only(reading(REPORT))
    assert find(bundle, "acceptance", "mixed").value == 0.5
    assert find(bundle, "acceptance-mean", "mixed").value == 0.55


CACHE = """========== CAPTURE: EXPERT CACHE (moe-cache) ==========
  hit rate, per device (MARGINAL = across the measured window only):
    CUDA0 marginal={} cumulative={} dhits={} dlookups={} devictions=0
"""


def test_hits_without_look_ups_are_no_hit_rate(reading: Reader) -> None:
    silent = reading(REPORT + CACHE.format("-", "55.0%", 0, 0))
    assert "hit_rate" not in [m.quantity for m in only(silent).runs[0].measurements]
    assert any("not zero" in problem.message for problem in silent.problems)
    told = only(reading(REPORT + CACHE.format("0.0%", "0.0%", 0, 400)))
    assert find(told, "hit_rate", "mixed").value == 0


SOAK = """[soak] session 1/2
[soak]   turn 1/2: status=200 wall=900ms ttft=100ms decode_tps=10.0 vram=23000MiB
[soak]   turn 2/2: status=200 wall=900ms ttft=100ms decode_tps=0.0 vram=23000MiB
[soak] session 2/2
[soak]   turn 1/2: status=200 wall=900ms ttft=100ms decode_tps=9.0 vram=23000MiB
[soak]   turn 2/2: status=200 wall=900ms ttft=100ms decode_tps=700.5 vram=23000MiB
[soak] summary
[soak]   verdict              INCONCLUSIVE
[soak]   tps_retention        100.0%
"""


def test_soak_turns_without_a_window_do_not_count_and_retention_is_recomputed(
    reading: Reader,
) -> None:
    bundle = only(reading(REPORT + SOAK))
    soak = {m.quantity: m for m in bundle.runs[0].measurements if m.protocol == "club-soak"}
    assert (soak["decode"].value, soak["decode"].n) == (9.0, 2)
    assert (soak["retention"].value, soak["retention"].how) == (0.9, "inferred")
    assert bundle.runs[0].stages["soak"].outcome == "timeout"


def test_the_reports_own_soak_outranks_the_forms_dropdown(reading: Reader) -> None:
    form = FORMS["in the notes, field holds a dash"]
    assert only(reading(form(REPORT))).runs[0].stages["soak"].outcome == "pass"
    failed = SOAK.replace("INCONCLUSIVE", "FAIL")
    assert only(reading(form(REPORT + failed))).runs[0].stages["soak"].outcome == "fail"


def test_a_row_is_kept_when_overall_failed_but_the_bench_is_sound(reading: Reader) -> None:
    failed = REPORT.replace("**Overall: PASS**", "**Overall: FAIL**")
    bundle = only(reading(failed))
    assert bundle.runs[0].suite
    assert bundle.runs[0].suite.overall == "fail"
    assert bundle.runs[0].outcome.state == "ok"


def test_a_summary_that_contradicts_its_runs_is_a_problem_and_stays(reading: Reader) -> None:
    wrong = REPORT.replace("mean=  11.40", "mean=  11.90").replace("max=11.60", "max=12.60")
    one = reading(wrong)
    assert find(only(one), "decode", "narrative").value == 11.90
    assert any("not the mean of its runs" in problem.message for problem in one.problems)


def test_cut_off_summaries_are_recomputed_and_marked(reading: Reader) -> None:
    cut = REPORT[: REPORT.index("=== summary [narrative]")]
    decode = find(only(reading(cut)), "decode", "narrative")
    assert (decode.value, decode.how, decode.n) == (11.4, "inferred", 5)
    three = cut[: cut.index("  run-4")]
    assert find(only(reading(three)), "decode", "narrative").protocol == "club-partial"
    one_run = cut[: cut.index("  run-2")]
    single = find(only(reading(one_run)), "decode", "narrative")
    assert (single.value, single.how, single.statistic) == (11.2, "reported", "single")


@pytest.mark.parametrize(
    ("line", "protocol"),
    [
        ("[bench] sampler: temperature=0.6  top_p=0.95", "club-canonical"),
        ("[bench] sampler: temperature=0.0  top_p=0.95", "greedy-completion"),
        ("[bench] sampler: temperature=1.0  top_p=0.95", "other"),
        ("⚠ QUICK MODE — NOT CANONICAL.", "club-quick"),
    ],
)
def test_sampling_decides_the_protocol(line: str, protocol: str, reading: Reader) -> None:
    text = REPORT.replace("```\n====", f"```\n{line}\n====", 1)
    assert find(only(reading(text)), "decode", "narrative").protocol == protocol


def test_another_prompt_is_another_protocol(reading: Reader) -> None:
    other = REPORT.replace("prompt=65 chars", "prompt=90 chars")
    assert find(only(reading(other)), "decode", "narrative").protocol == "other"


def test_a_derived_rate_is_no_measurement(reading: Reader) -> None:
    derived = REPORT.replace(
        "=== summary [code]", "  ⚠ decode_TPS above is DERIVED, NOT MEASURED\n=== summary [code]"
    )
    wanted = ("decode", "narrative", "club-canonical")
    assert wanted in numbers(only(reading(REPORT)))
    assert wanted not in numbers(only(reading(derived)))


def test_decimal_commas_are_read_in_lines_that_are_known(reading: Reader) -> None:
    comma = re.sub(r"(mean|min|max|std|CV)=( *[0-9]+)\.([0-9]+)", r"\1=\2,\3", REPORT)
    assert numbers(only(reading(comma))) == numbers(only(reading(REPORT)))


def test_empty_slots_are_no_missing_channels_and_missing_channels_are_told(
    reading: Reader,
) -> None:
    spare = REPORT.replace("8 of 8 populated\n", "8 of 8 populated — EMPTY: P0 CHANNEL A\n")
    assert not any("channels" in problem.message for problem in reading(spare).problems)
    lost = reading(REPORT.replace("channels:** 8 of 8", "channels:** 7 of 8"))
    assert any("only 7 of 8 memory channels" in problem.message for problem in lost.problems)
    assert only(lost).rig.memory.channels_populated == 7


def test_slots_that_are_counted_as_channels_are_clamped_to_the_platform(reading: Reader) -> None:
    text = REPORT.replace("EPYC 7302P 16-Core", "Ryzen 9 9950X3D 16-Core").replace(
        "channels:** 8 of 8", "channels:** 4 of 4"
    )
    memory = only(reading(text)).rig.memory
    assert (memory.channels_populated, memory.channels_total) == (2, 2)


def test_nothing_readable_says_what_would_be(reading: Reader) -> None:
    one = reading("my rig is quite fast, about 20 or so")
    assert one.understood == ()
    assert any("llama-bench" in problem.message for problem in one.problems)
    assert [line.line for line in one.unread] == [1]


def test_several_benches_in_one_fence_are_several_runs(reading: Reader) -> None:
    bench = REPORT[REPORT.index("========== NARRATIVE") : REPORT.index("```\n\n</details>")]
    again = REPORT.replace("```\n\n</details>", f"--------\n{bench}```\n\n</details>")
    bundle = only(reading(again.replace("mean=  15.20", "mean=  15.25", 1)))
    assert [numbers(bundle, run)["decode", "code", "club-canonical"] for run in (0, 1)] == [
        15.25,
        15.20,
    ]
    assert len({run.id for run in bundle.runs}) == 2


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("> ❌ **The endpoint was never reachable — no stage ran.**", "failed"),
        (
            (
                "> ❌ **The engine died during this run — remaining stages were skipped.**\n"
                "> after **verify-stress**"
            ),
            "partial",
        ),
    ],
)
def test_a_run_that_ended_early_is_a_row_too(line: str, state: str, reading: Reader) -> None:
    text = REPORT.replace("## Check summary", f"## Engine liveness\n\n{line}\n\n## Check summary")
    outcome = only(reading(text)).runs[0].outcome
    assert outcome.state == state
    assert outcome.stage == ("stress" if state == "partial" else None)
    assert outcome.reason


def test_what_is_missing_is_told_with_the_remedy(reading: Reader) -> None:
    without = re.sub(r"- \*\*Memory (config|channels|bandwidth).*\n", "", REPORT)
    told = {p.where: p.message for p in reading(without).problems}
    assert "sudo dmidecode" in told["rig.memory.channels_populated"]
    assert "rig.memory.bandwidth" in told
    assert "rig.memory.bandwidth" not in {p.where for p in reading(REPORT).problems}


def test_an_attached_report_is_named(reading: Reader) -> None:
    link = "https://github.com/user-attachments/files/123/report.md"
    one = reading(f"{REPORT}\nfull report: [report.md]({link})\n")
    assert any(p.message.endswith(f"rigbook read {link}") for p in one.problems)
