import html
import re
from datetime import date
from typing import Any

import pytest

from sitegen.escape import Html, text
from sitegen.numbers import ABSENT, doubt, measured, number, percent, span, value


def plain(shown: Html) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", shown))


def row(**changes: str | float | date) -> dict[str, Any]:
    empty = dict.fromkeys(("value", "low", "high", "statistic", "sd", "cv", "n", "status_reason",
                           "status_date", "status_link"))  # fmt: skip
    return {**empty, "how": "reported", "status": "active", **changes}


@pytest.mark.parametrize(
    ("given", "written"),
    [(17.14, "17.1"), (0.04123, "0.0412"), (1024, "1,024"), (1234.5, "1,234"), (0, "0"),
     (25.0, "25"), (0.0000123, "0.0000123"), (99.96, "100"), (-3.25, "-3.25"), (None, "")],
)  # fmt: skip
def test_numbers_have_three_digits_and_whole_ones_all(given: float | None, written: str) -> None:
    assert number(given) == written


def test_ranges_say_which_end_is_open() -> None:
    assert span(11.6, 14.8) == "11.6–14.8"
    assert (span(None, 3), span(3, None), span(None, None)) == ("up to 3", "from 3", "")


def test_a_fraction_is_a_percentage() -> None:
    assert (percent(0.033), percent(None)) == ("3.3 %", "")


def test_a_measurement_shows_value_range_and_repetitions() -> None:
    shown = plain(measured(row(value=17.1, low=16.9, high=17.2, n=5)))
    assert shown.split() == ["17.1", "16.9–17.2,", "n", "5"]


def test_a_published_range_stays_a_range() -> None:
    assert plain(measured(row(low=8, high=9.5))).strip() == "8–9.5"


def test_a_measured_zero_is_not_absent() -> None:
    assert plain(measured(row(value=0.0))).strip() == "0"
    assert measured(row()) == ABSENT
    assert plain(value(0)) == "0"
    assert value(None) == ABSENT


def test_what_was_inferred_is_marked_with_a_ring() -> None:
    assert "◌" in measured(row(value=5, how="inferred"))
    assert "◌" in value(5, guessed=True)
    assert "◌" not in value(5)


def test_a_doubtful_row_says_why() -> None:
    shown = plain(measured(row(value=5, status="flagged", status_reason="<b>paging")))
    assert "⚑ flagged: <b>paging" in shown
    assert text("<b>paging") in doubt("flagged", "<b>paging")
    assert doubt("active", None) == ""


def test_a_doubtful_row_says_when_and_links_to_where_it_was_said() -> None:
    address = "https://example.org/issues/7"
    shown = measured(
        row(value=5, status="retracted", status_reason="a DIMM was missing",
            status_date=date(2026, 11, 30), status_link=address)
    )  # fmt: skip
    assert "⚑ retracted: a DIMM was missing (2026-11-30)" in " ".join(plain(shown).split())
    assert f'href="{address}"' in html.unescape(shown)
    assert "href" not in doubt("flagged", "x", None, "javascript:alert(1)")
