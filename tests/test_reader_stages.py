"""Verify, stress and the check summary."""

import pytest

from tests.reading import Reader, measured, runs_of

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
