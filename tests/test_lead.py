"""What the first screen of a slug says: like rates alone, by class of bandwidth."""

import html
import re

from models.record import FittedModel
from sitegen.coverage import BANDS
from sitegen.fitted import Fitted, target_of
from sitegen.lead import CHANNELS, MIDDLES_GBPS, alike, lead
from sitegen.record import Record, Row

SLUG = "llamacpp/deepseek-flash-dual-q8"


def rows(record: Record) -> list[Row]:
    return [row for row in record.measurements if row["slug"] == SLUG]


def shown(record: Record, fitted: Fitted, found: list[Row], slug: str = SLUG) -> str:
    entry = record.slugs[slug]
    target = target_of(fitted, slug, entry["model"], entry["quant"])
    return html.unescape("\n".join(lead(record, fitted, entry, target, found)))


def lines(made: str) -> dict[str, list[str]]:
    """Read the table: first words of a line → its other cells."""
    found = {}
    body = made.partition("<tbody>")[2].replace("<small>", " <small>")
    for line in re.findall("<tr>(.*?)</tr>", body):
        first, *cells = (
            re.sub("<[^>]+>", "", cell)
            for cell in re.findall(
                r"<t[hd][^>]*>(.*?)</t[hd]>", line.replace("<small>", " <small>")
            )
        )
        found[first.partition("  ")[0].strip()] = cells
    return found


def test_the_span_the_rigs_and_the_need_stand_in_one_sentence(record: Record) -> None:
    made = shown(record, Fitted(None), rows(record))
    said = re.sub("<[^>]+>", "", made.partition("</p>")[0])
    assert "9.5–17.1 (narrative) tokens/s on 3 rigs, club-canonical." in said
    assert "Fastest: someone: EPYC 7543." in said
    assert "Made for 146 GiB of host RAM and 2 × rtx-3090." in said


def test_each_class_of_bandwidth_has_its_own_range(record: Record) -> None:
    found = lines(shown(record, Fitted(None), rows(record)))
    assert found["up to 70"][:2] == ["11.6", "1"]
    assert found["140 to 280"][:2] == ["17.1", "1"]
    assert found["not reported"][:2] == ["9.5", "1"]
    assert found["above 280"][:2] == ["–", "–"]


def test_the_model_fills_classes_that_nobody_measured(record: Record, fitted: FittedModel) -> None:
    made = shown(record, Fitted(fitted), rows(record))
    found = lines(made)
    guesses = [float(found[name][-1].split()[0]) for _, name in BANDS]
    assert guesses == sorted(guesses)
    assert guesses[0] > 1
    assert "80 % interval" in made
    assert len(MIDDLES_GBPS) == len(CHANNELS) == len(BANDS)


def test_a_doubtful_rate_and_another_protocol_do_not_count(record: Record) -> None:
    flagged = [row for row in record.measurements if row["rig_id"] == "five-epyc-7543"]
    other = [{**row, "protocol": "greedy-completion", "central": 50.0} for row in rows(record)]
    found = alike(record, [*flagged, *other, *rows(record)])
    assert found.protocol == "club-canonical"
    assert max(row["central"] for row in found.rows) == 17.1
    assert alike(record, other).protocol == "greedy-completion"


def test_a_slug_without_rows_says_so_and_leads_with_the_estimate(
    record: Record, fitted: FittedModel
) -> None:
    slug = "llamacpp/deepseek-flash-multi4-q8"
    assert "Nobody has reported" in shown(record, Fitted(None), [], slug)
    assert "<table" not in shown(record, Fitted(None), [], slug)
    assert "What rigs may get" in shown(record, Fitted(fitted), [], slug)
