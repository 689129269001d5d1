"""The config section of slug pages: its line is `rigbook plan`'s, its basis is said."""

import html
import re

import pytest

from launch.ask import Ask, Shelf, plan_for, shipped_shelf
from launch.formats import FORMATS
from launch.line import UNNAMED
from launch.plan import launch_of
from sitegen.config import NAMES, Launches, config, differences, plan_launches, reference
from sitegen.record import Record, Row

SLUG = "llamacpp/deepseek-flash-dual-q8"
PAGE = f"slugs/{SLUG}"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return shipped_shelf()


@pytest.fixture(scope="module")
def launches(record: Record, shelf: Shelf) -> Launches:
    return plan_launches(record, shelf)


def shown(record: Record, launches: Launches, slug: str) -> str:
    runs = [run for run in record.runs if run["slug"] == slug]
    return "\n".join(config(record, launches, f"slugs/{slug}", record.slugs[slug], runs))


def words(part: str) -> str:
    return html.unescape(re.sub("<[^>]+>", "", part))


def test_every_format_is_shown_exactly_as_plan_writes_it(
    record: Record, shelf: Shelf, launches: Launches
) -> None:
    section = words(shown(record, launches, SLUG))
    launch = launch_of(plan_for(Ask(slug=SLUG), shelf), shelf.launchers)
    assert set(NAMES) == set(FORMATS)
    for write in FORMATS.values():
        for line in write(launch).splitlines():
            assert " ".join(line.split()) in " ".join(section.split()), line


def test_the_basis_and_the_runs_measured_on_it_are_told(record: Record, launches: Launches) -> None:
    section = shown(record, launches, SLUG)
    assert 'class="basis measured"' in section
    assert "rigbook plan --slug llamacpp/deepseek-flash-dual-q8" in words(section)
    table = words(section.partition("Measured on this config")[2])
    for rig in ("one-epyc-7543", "two-epyc-7543", "three-epyc-7543"):
        assert f"../../../rigs/{rig}/" in html.unescape(section)
    assert "17.1" in table
    assert "four-epyc-7543" not in section


def test_a_slug_of_unnamed_files_shows_what_to_put_in_and_a_resident_one_has_no_section(
    record: Record, launches: Launches
) -> None:
    unnamed = words(shown(record, launches, "llamacpp-club3090/glm53-flash-dual-iq4xs-moecache"))
    assert "extrapolated" in unnamed
    assert UNNAMED in unnamed
    assert "--weights FIRST-FILE" in unnamed
    assert "this line drafts nothing" in unnamed
    resident = next(slug for slug, one in record.slugs.items() if one["offload"] == "none")
    assert config(record, launches, PAGE, record.slugs[resident], []) == []


def test_only_what_a_run_states_can_differ(record: Record, shelf: Shelf) -> None:
    plan = reference(shelf, record.slugs[SLUG]).plan
    assert plan is not None
    silent: Row = dict.fromkeys(record.runs[0])
    assert differences(plan, silent) == []
    told = silent | {"ubatch": 2048, "drafter": "none", "ctx": plan.shape.ctx, "kv": "q8_0"}
    assert differences(plan, told) == [
        "ubatch 2,048, not 4,096",
        "cache q8_0, not f16",
        "drafter off, not on",
    ]


def test_every_slug_that_can_be_planned_has_a_line_or_says_why_not(
    record: Record, shelf: Shelf, launches: Launches
) -> None:
    lines = 0
    for slug, entry in record.slugs.items():
        if entry["offload"] != "none":
            section = shown(record, launches, slug)
            lines += "llama-server" in section
            assert "llama-server" in section or "No l" in section, slug
    assert lines == len(shelf.launchers.configs)
