"""Verify, stress and the check summary."""

import pytest

from tests.reading import REPORT, Reader, measured, only, runs_of

VERIFY = """## verify-full.sh output

```
[9/9] MTP acceptance length threshold ...
  {mark} MTP acceptance length = {length} (>=2.0)
{end}
```
"""


@pytest.mark.parametrize(("mark", "length"), [("✓", 3.44), ("✗", 1.2)])
def test_the_probe_of_drafts_gives_tokens_a_pass(mark: str, length: float, reading: Reader) -> None:
    end = "All checks passed." if mark == "✓" else "1 check(s) failed."
    (m,) = measured(reading(VERIFY.format(mark=mark, length=length, end=end)))
    assert (m.quantity, m.value, m.protocol) == ("tokens_per_pass", length, "club-verify")


def test_less_than_one_token_a_pass_is_none(reading: Reader) -> None:
    assert measured(reading(VERIFY.format(mark="✗", length="0.00", end="1 check(s) failed."))) == []


def test_the_number_of_failed_checks_is_taken_from_all(reading: Reader) -> None:
    text = VERIFY.format(mark="✗", length=1.2, end="2 check(s) failed. See hints above.")
    verify = runs_of(reading(text))[0].stages["verify"]
    assert (verify.outcome, verify.passed, verify.total) == ("fail", 7, 9)


def test_a_row_is_kept_when_overall_failed_but_the_bench_is_sound(reading: Reader) -> None:
    failed = REPORT.replace("**Overall: PASS**", "**Overall: FAIL**")
    bundle = only(reading(failed))
    assert bundle.runs[0].suite
    assert bundle.runs[0].suite.overall == "fail"
    assert bundle.runs[0].outcome.state == "ok"


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
