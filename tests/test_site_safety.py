"""Print, offline and injections: the built site in Chromium where visitors are unlucky."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browsing import chromium, served, watched

pytestmark = pytest.mark.browser

SLUG = "results/slugs/llamacpp/deepseek-flash-dual-q8/"
HOSTILE_PAGES = (
    "",
    SLUG,
    "explore/",
    "compare/",
    "results/rigs/",
    "results/rigs/someone-epyc-7543/",
    "results/variants/",
    "results/coverage/",
    "results/catalogue/",
)

# What would have to be there if any text of a report had become mark-up, a script or a template.
ACTED = """() => ({
    scripts: document.querySelectorAll("article script:not([src])").length,
    handlers: [...document.querySelectorAll("article *")]
        .flatMap((one) => [...one.attributes]).filter((one) => one.name.startsWith("on")).length,
    targets: [...document.querySelectorAll("article a[href], article [src]")]
        .map((one) => one.getAttribute("href") ?? one.src)
        .filter((target) => /^\\s*(javascript|data|vbscript):/i.test(target))
        .length,
    included: location.pathname !== "/" && document.querySelector("ul.counts") !== null,
})"""


# The last that the worker is handed is kept, and it answers for this page.
KEPT = """async () => {
    const data = new URL("../results/data/compare.json", location.href);
    const there = async () => navigator.serviceWorker.controller
        && await caches.match(location.href) && await caches.match(data);
    for (let tries = 600; !(await there()); tries -= 1) {
        if (!tries) throw new Error("not kept within 30 s");
        await new Promise((done) => setTimeout(done, 50));
    }
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def test_on_paper_the_tables_are_whole_and_controls_are_gone(browser: Browser, site: Path) -> None:
    with served(site) as address:
        page = browser.new_page(viewport={"width": 1000, "height": 1400})
        page.goto(address + SLUG)
        page.emulate_media(media="print")
        assert page.locator(".md-header").is_hidden()
        for tools in page.locator(".tools").all():
            assert tools.is_hidden()
        frame = page.locator("#decode ~ .frame").first
        assert frame.evaluate("one => getComputedStyle(one).overflowX") == "visible"
        assert frame.locator("tbody tr").first.is_visible()
        chart = page.locator("figure.chart").first
        assert chart.locator("img:visible").count() == 1
        page.close()


def test_a_loaded_page_goes_on_working_offline(browser: Browser, site: Path) -> None:
    with served(site) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}compare/", wait_until="networkidle")
        context.set_offline(True)
        for number, rig in ((1, "one"), (2, "two")):
            box = page.get_by_role("combobox", name=f"Rig {number}")
            state = "ddr4-3200-8ch"
            box.fill(f"someone: EPYC 7543, {state} [{rig}-epyc-7543@{state}]")
            box.press("Tab")
        page.get_by_role("table", name="Side by side").wait_for()
        context.set_offline(False)
        page.goto(f"{address}explore/", wait_until="networkidle")
        context.set_offline(True)
        page.get_by_role("searchbox", name="Words in any column").fill("two")
        page.get_by_role("status").get_by_text("page 1 of 1").wait_for()
        context.close()


def test_a_page_seen_once_opens_again_without_a_network(browser: Browser, site: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    with served(site) as address:
        page.goto(f"{address}compare/", wait_until="networkidle")
        page.evaluate(KEPT)
    # The server is gone now, whichever way the browser asks.
    page.goto(f"{address}compare/?rig=someone-else", wait_until="networkidle")
    page.get_by_text("Not in the record: someone-else").wait_for()
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px", "no style sheet"
    context.close()


def test_no_text_of_a_report_becomes_markup_script_or_template(
    browser: Browser, hostile_site: Path
) -> None:
    with served(hostile_site) as address:
        page = browser.new_page(service_workers="block")
        complaints = watched(page)
        for name in HOSTILE_PAGES:
            page.goto(address + name, wait_until="networkidle")
            acted = page.evaluate(ACTED)
            assert acted == {"scripts": 0, "handlers": 0, "targets": 0, "included": False}, name
        page.goto(f"{address}compare/?rig=%3Cimg%20src=x%20onerror=alert(1)%3E")
        page.get_by_text("Not in the record: <img src=x onerror=alert(1)>").wait_for()
        assert complaints == []
        page.close()
