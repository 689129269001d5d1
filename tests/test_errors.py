import html
import re

from models.record import FittedModel
from sitegen.errors import errors
from sitegen.fitted import Fitted


def shown(model: FittedModel | None) -> str:
    return html.unescape(errors(Fitted(model)))


def rows(table: str) -> list[list[str]]:
    lines = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2].partition("</tbody>")[0])
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line) for line in lines]


def test_every_predictor_stands_with_its_error_the_smallest_first(fitted: FittedModel) -> None:
    found = rows(shown(fitted))
    scores = fitted.evaluation["scores"]
    assert {row[0] for row in found} == set(scores)
    medians = [scores[row[0]]["all"]["median_ape"] for row in found]
    assert medians == sorted(medians)


def test_coverage_stands_for_every_level_and_kind_of_run(fitted: FittedModel) -> None:
    table = shown(fitted).partition("<caption>How often the intervals held")[2]
    by_level = fitted.evaluation["coverage"]
    assert len(rows(table)) == sum(len(by) for by in by_level.values())
    assert rows(table)[0][0] == "50 %"


def test_the_worst_misses_are_linked_to_their_sources(fitted: FittedModel) -> None:
    table = shown(fitted).partition("<caption>Largest misses")[2]
    assert len(rows(table)) == len(fitted.evaluation["worst"])
    assert all("href=" in row[-1] for row in rows(table))


def test_every_fitted_value_stands_beside_what_was_believed(fitted: FittedModel) -> None:
    table = shown(fitted).partition("<caption>Fitted values")[2]
    assert [row[0] for row in rows(table)] == list(fitted.parameters)


def test_before_a_fit_the_page_says_so() -> None:
    assert "rigbook fit" in shown(None)
