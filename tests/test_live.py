"""The live chart in Chromium: it takes the picture's place when scrolled to, and not before."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from sitegen.chart import DARK, LIGHT
from sitegen.live import live
from tests.browsing import chromium, served, watched

SLUG = "results/slugs/llamacpp/deepseek-flash-dual-q8/"


def test_a_statement_says_what_colours_a_dark_page_has() -> None:
    stated = json.loads(live({"mark": "point"}))
    assert stated == {"mark": "point", "usermeta": {"dark": dict(zip(LIGHT, DARK, strict=True))}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    # The worker's own requests would pass by the test.
    opened = browser.new_page(viewport={"width": 360, "height": 700}, service_workers="block")
    yield opened
    opened.close()


def fetched(page: Page) -> list[str]:
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    return seen


@pytest.mark.browser
def test_a_chart_goes_live_when_scrolled_to_and_not_before(page: Page, site: Path) -> None:
    with served(site) as address:
        complaints, seen = watched(page), fetched(page)
        page.goto(address + SLUG, wait_until="networkidle")
        assert not [url for url in seen if url.endswith(("vega.js", ".json"))
                    and "/charts/" in url]  # fmt: skip
        figure = page.locator("figure[data-chart]").first
        words = figure.locator("img").first.get_attribute("alt")
        picture = figure.locator("img.light").bounding_box()
        figure.scroll_into_view_if_needed()
        figure.locator(".live svg").wait_for()
        assert figure.locator("img").count() == 0
        assert figure.locator(".live").get_attribute("aria-label") == words
        drawn = figure.locator(".live").bounding_box()
        assert picture is not None
        assert drawn is not None
        assert drawn["width"] <= 360
        assert complaints == []


@pytest.mark.browser
def test_a_live_chart_follows_the_scheme_and_names_rigs_under_the_pointer(
    page: Page, site: Path
) -> None:
    with served(site) as address:
        page.goto(address + SLUG, wait_until="networkidle")
        figure = page.locator("figure[data-chart]").first
        figure.scroll_into_view_if_needed()
        figure.locator(".live svg").wait_for()
        figure.locator(".live .mark-symbol.role-mark path").first.hover()
        page.locator("#vg-tooltip-element.visible").get_by_text("EPYC 7543").wait_for()
        page.get_by_title("Use dark colours").click()
        figure.locator(f".live [stroke='{DARK.mark}']").first.wait_for()


@pytest.mark.browser
def test_without_its_bundle_a_chart_stays_a_picture(page: Page, site: Path) -> None:
    with served(site) as address:
        page.route("**/vega.js", lambda route: route.abort())
        page.goto(address + SLUG, wait_until="networkidle")
        figure = page.locator("figure[data-chart]").first
        with page.expect_console_message(lambda told: "the picture stays" in told.text):
            figure.scroll_into_view_if_needed()
        assert figure.locator("img.light").is_visible()
