import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from launch.ask import shipped_shelf
from sitegen.catalogue import catalogue_page
from sitegen.config import plan_launches
from sitegen.record import Record
from tests.browsing import chromium, served

SLUG = "llamacpp/deepseek-flash-dual-q8"


@pytest.fixture(scope="module")
def shown(record: Record) -> str:
    launches = plan_launches(record, shipped_shelf())
    return html.unescape("\n".join(catalogue_page(record, launches).blocks))


def test_every_slug_is_a_row_with_worst_and_expected_memory(record: Record, shown: str) -> None:
    assert shown.count('<th scope="row"') == len(record.slugs)
    (line,) = re.findall(rf"<tr>(?:(?!</tr>).)*{SLUG}<.*?</tr>", shown)
    words = re.sub("<[^>]+>", " ", line)
    for part in ("146", "143", "dspark, depth 5", "b10236", "incubating", "experts", "204,800"):
        assert part in words, part
    assert line.endswith('<td class="number" data-sort="4">4</td></tr>'), "rigs"


def test_resident_slugs_stand_apart(record: Record, shown: str) -> None:
    resident = shown.partition("{ #resident }")[2]
    assert SLUG not in resident
    wanted = sum(entry["offload"] == "none" for entry in record.slugs.values())
    assert resident.count('<th scope="row"') == wanted


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.mark.browser
def test_what_a_rig_has_hides_what_needs_more(browser: Browser, site: Path) -> None:
    with served(site) as address:
        page = browser.new_page()
        page.goto(f"{address}results/catalogue/")
        caption = "Slugs with experts in host RAM"
        table = page.get_by_role("table", name=caption)
        every = table.locator("tbody tr:visible").count()
        page.get_by_role("spinbutton", name=f"My host RAM, GiB: {caption}").fill("100")
        page.get_by_role("spinbutton", name=f"My cards: {caption}").fill("2")
        needs = table.locator("tbody tr:visible td:nth-child(3)").all_inner_texts()
        assert 0 < len(needs) < every
        assert all(float(need) <= 100 for need in needs if need != "–")
        page.get_by_role("searchbox", name=f"Filter rows: {caption}").fill("iq2")
        assert table.locator("tbody tr:visible").count() == 1
        page.get_by_role("spinbutton", name=f"My host RAM, GiB: {caption}").fill("10")
        assert table.locator("tbody tr:visible").count() == 0
        page.close()
