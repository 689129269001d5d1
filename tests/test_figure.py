import html
import re

from models.record import FittedModel
from sitegen.figure import MOST, figures, pictures_of
from sitegen.fitted import Fitted
from sitegen.record import Record, Row

SLUG = "llamacpp/deepseek-flash-dual-q8"
ADDRESS = f"slugs/{SLUG}"


def rows(record: Record, *, own: bool = True) -> list[Row]:
    return [row for row in record.measurements if (row["slug"] == SLUG) == own]


def test_a_figure_has_both_schemes_a_summary_and_the_points_as_a_table(
    record: Record, fitted: FittedModel
) -> None:
    (one,) = figures(record, Fitted(fitted), ADDRESS, SLUG, rows(record))
    shown = html.unescape(one.shown)
    light, dark = re.findall(r'src="([^"]+)"', shown)
    assert [light, dark] == [f"../../../charts/{drawn.name}" for drawn in pictures_of([one])]
    summary = re.search(r"<figcaption>(.*?)</figcaption>", shown)
    assert summary
    for words in ("3 points of 3 rigs", "club-canonical", "80 % interval", "Hollow marks"):
        assert words in summary[1], words
    assert shown.count(f'alt="{summary[1]}"') == 2
    assert shown.count('<th scope="row"') == 3


def test_other_launches_are_told_in_words(record: Record) -> None:
    kin = rows(record, own=False)
    (with_kin,) = figures(record, Fitted(None), ADDRESS, None, rows(record), kin=kin)
    (alone,) = figures(record, Fitted(None), ADDRESS, None, rows(record))
    assert "same weights, other launch" in with_kin.shown
    assert "other launch" not in alone.shown


def test_without_a_model_the_points_stand_alone(record: Record) -> None:
    (one,) = figures(record, Fitted(None), ADDRESS, None, rows(record))
    assert "Dashed" not in one.shown
    assert "mark-area" not in one.pictures[0].svg


def test_a_page_has_only_so_many_charts(record: Record) -> None:
    many = [
        {**row, "workload": workload}
        for row in rows(record)
        for workload in ("narrative", "code", "chat", "agentic", "extract", "mixed")
    ]
    assert len(figures(record, Fitted(None), ADDRESS, None, many)) == MOST


def test_a_drafting_slugs_curve_stays_with_the_protocol_it_predicts(
    record: Record, fitted: FittedModel
) -> None:
    greedy = [{**row, "protocol": "greedy-completion"} for row in rows(record)]
    (with_drafter,) = figures(record, Fitted(fitted), ADDRESS, SLUG, greedy)
    assert "Dashed" not in with_drafter.shown
    variant = "deepseek-v4-flash-0731/UD-Q8_K_XL"
    (without,) = figures(record, Fitted(fitted), ADDRESS, variant, greedy)
    assert "Dashed" in without.shown
