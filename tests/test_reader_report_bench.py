"""The bench of a report: summaries, runs, sampling."""

import re

import pytest

from tests.reading import REPORT, Reader, find, numbers, only


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
