"""Slug, variant, rig, list and coverage pages of the hand-made record."""

import html
import re
from collections.abc import Iterable

import pytest

from launch.ask import shipped_shelf
from sitegen.config import plan_launches
from sitegen.coverage import band, coverage_page
from sitegen.fitted import Fitted
from sitegen.lists import list_pages
from sitegen.page import Page, markdown
from sitegen.record import Record
from sitegen.rig import rig_pages
from sitegen.slug import slug_pages
from sitegen.variant import variant_pages

SLUG = "slugs/llamacpp/deepseek-flash-dual-q8"
VARIANT = "variants/deepseek-v4-flash-0731--ud-q8_k_xl"
NO_MODEL = Fitted(None)
SHELF = shipped_shelf()


def by_address(pages: Iterable[Page]) -> dict[str, str]:
    return {page.address: html.unescape(markdown(page)) for page in pages}


def test_every_slug_of_the_catalogue_has_a_page(record: Record) -> None:
    found = by_address(slug_pages(record, NO_MODEL, plan_launches(record, SHELF)))
    assert len(found) == len(record.slugs)
    assert (
        "Nobody has reported a decode rate here yet."
        in found["slugs/llamacpp/deepseek-flash-multi4-q8"]
    )


def test_a_slugs_page_tells_the_catalogues_facts_and_its_rows(record: Record) -> None:
    shown = by_address(slug_pages(record, NO_MODEL, plan_launches(record, SHELF)))[SLUG]
    own = shown.partition("other-launch")[0]
    for words in ("2 × rtx-3090", "dspark, depth 5", "146 GiB", "incubating", "11.6", "17.1"):
        assert words in own, words
    assert "four-epyc-7543" in shown.partition("other-launch")[2]


def test_a_failed_run_is_told_with_its_reason(record: Record) -> None:
    shown = by_address(rig_pages(record))["rigs/one-epyc-7543"]
    failed = shown.partition("{ #failed ")[2]
    assert "out of memory" in failed
    assert "bench" in failed


def test_every_model_and_quant_with_a_run_has_a_page_of_all_its_launches(record: Record) -> None:
    found = by_address(variant_pages(record, NO_MODEL))
    served = {(run["model"], run["quant"]) for run in record.runs}
    named = {(slug["model"], slug["quant"]) for slug in record.slugs.values()}
    assert len(found) == len(served | named)
    for name in ("one", "two", "three", "four", "five"):
        assert f"{name}-epyc-7543" in found[VARIANT]


def test_a_run_of_unmapped_weights_still_has_a_page(record: Record) -> None:
    found = by_address(variant_pages(record, NO_MODEL))
    assert "not mapped yet" in found["variants/unknown--unknown"]


def test_a_rigs_page_tells_states_bandwidth_with_method_and_sources(record: Record) -> None:
    found = by_address(rig_pages(record))
    shown = found["rigs/one-epyc-7543"]
    for words in ("ddr4-3200-8ch", "8 of 8 channels", "<b>52</b> <small>triad-v1</small>"):
        assert words in shown, words
    assert 'href="https://example.org/rigs/1"' in shown.partition("{ #sources ")[2]
    assert "No bandwidth figure has been reported" in found["rigs/three-epyc-7543"]


def test_lists_have_a_line_each(record: Record) -> None:
    found = by_address(list_pages(record))
    assert found["rigs/"].count("<tbody>") == 1
    assert found["rigs/"].count('<th scope="row"') == len(record.machines)
    assert found["slugs/"].count('<th scope="row"') == len(record.slugs)
    (line,) = re.findall(r"<tr>(?:(?!</tr>).)*deepseek-flash-dual-q8<.*?</tr>", found["slugs/"])
    assert "9.5–17.1" in line, "the flagged 99 does not count"


def test_coverage_counts_machines_by_read_bandwidth_and_lists_what_is_missing(
    record: Record,
) -> None:
    shown = by_address([coverage_page(record)])["coverage"]
    (line,) = re.findall(r"<tr>(?:(?!</tr>).)*deepseek-flash-dual-q8<.*?</tr>", shown)
    assert re.findall(r'data-sort="(\d+)"', line) == ["1", "0", "1", "0", "1"]
    assert "deepseek-flash-multi4-q8" in shown.partition("{ #missing ")[2]


@pytest.mark.parametrize(
    ("rig", "name"), [("one", "up to 70"), ("two", "140 to 280"), ("three", "not reported")]
)
def test_a_state_falls_into_the_band_of_its_reads(record: Record, rig: str, name: str) -> None:
    assert band(record, f"{rig}-epyc-7543@ddr4-3200-8ch") == name
