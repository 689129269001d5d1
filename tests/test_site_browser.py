"""The built site in Chromium: nothing overflows, fails or breaks the policy; JS is a choice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import chromium, served, watched

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "method/",
    "glossary/",
    "explore/",
    "compare/?rig=one-epyc-7543%40ddr4-3200-8ch&rig=two-epyc-7543%40ddr4-3200-8ch",
    "results/coverage/",
    "results/data/",
    "results/slugs/",
    "results/slugs/llamacpp/deepseek-flash-dual-q8/",
    "results/variants/deepseek-v4-flash-0731--ud-q8_k_xl/",
    "results/rigs/one-epyc-7543/",
)


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=30_000)
    with chromium() as running:
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_every_page_kind_fits_and_loads_from_here_alone(
    browser: Browser, address: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    complaints = watched(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for name in PAGES:
        page.goto(address + name, wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        wanted = "slate" if scheme == "dark" else "default"
        assert page.get_attribute("body", "data-md-color-scheme") == wanted
    assert complaints == []
    local = (address, "data:", "blob:")
    assert [url for url in asked if not url.startswith(local)] == []
    context.close()


def test_the_chart_of_the_visitors_scheme_is_seen_and_sized_beforehand(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(color_scheme="dark", viewport={"width": 360, "height": 800})
    page.goto(address + "results/slugs/llamacpp/deepseek-flash-dual-q8/")
    chart = page.locator("figure.chart").first
    assert chart.locator("img.dark").is_visible()
    assert not chart.locator("img.light").is_visible()
    chart.scroll_into_view_if_needed()
    loaded = "image => image.decode().then(() => image.naturalWidth / image.naturalHeight)"
    natural = chart.locator("img.dark").evaluate(loaded)
    box = chart.locator("img.dark").bounding_box()
    assert box
    assert box["width"] / box["height"] == pytest.approx(natural, rel=0.02)
    page.close()


def test_without_javascript_tables_charts_and_folds_are_there(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "results/slugs/llamacpp/deepseek-flash-dual-q8/")
    table = page.locator("table.data").first
    assert "17.1" in table.inner_text()
    assert page.locator("figure.chart img").first.is_visible()
    fold = page.locator("details").first
    fold.locator("summary").click()
    assert fold.locator("table").first.is_visible()
    context.close()


def test_a_wide_table_scrolls_by_keyboard(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 800}, service_workers="block")
    page.goto(address + "results/slugs/llamacpp/deepseek-flash-dual-q8/")
    frame = page.locator("#decode ~ .frame").first
    frame.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('#decode ~ .frame').scrollLeft > 0")
    page.close()


def first_column(page: Page, caption: str) -> list[str]:
    rows = page.locator(f"table.data:has(caption:text-is('{caption}')) tbody tr:visible th")
    return [words.splitlines()[0] for words in rows.all_inner_texts()]


def test_a_table_is_sorted_by_value_and_filtered_and_empty_cells_stay_last(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(service_workers="block")
    page.goto(address + "results/slugs/")
    caption = "Experts in host RAM"
    table = page.locator(f"table.data:has(caption:text-is('{caption}'))")
    measured = first_column(page, caption)[0]
    sort = table.get_by_role("button", name="Decode, tokens/s")
    sort.focus()
    for direction in ("descending", "ascending"):
        page.keyboard.press("Enter")
        assert table.locator("th[aria-sort]").get_attribute("aria-sort") == direction
        assert first_column(page, caption)[0] == measured
    box = page.get_by_role("searchbox", name=f"Filter rows: {caption}")
    box.fill("GLM iq4")
    shown = first_column(page, caption)
    assert shown
    assert all("glm" in name for name in shown)
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV of what is shown").first.click()
    lines = started.value.path().read_text().splitlines()
    assert len(lines) == len(shown) + 1
    page.close()


def test_a_cell_that_would_start_a_formula_is_disarmed(browser: Browser, address: str) -> None:
    page = browser.new_page(service_workers="block")
    page.goto(address)
    given = ["=1+1", "+x", "@x", "-x", "-1.5", "a,b", 'say "x"', " 1\n2 "]
    wanted = ["'=1+1", "'+x", "'@x", "'-x", "-1.5", '"a,b"', '"say ""x"""', "1 2"]
    assert page.evaluate("cells => cells.map((cell) => csvCell(cell))", given) == wanted
    page.close()


def test_explore_keeps_what_was_chosen_in_the_address(browser: Browser, address: str) -> None:
    page = browser.new_page(service_workers="block")
    complaints = watched(page)
    page.goto(f"{address}explore/?quantity=decode&sort=value&down=1")
    rates = page.locator("#explore tbody tr")
    expect(rates).to_have_count(5)
    assert "99" in rates.first.inner_text()
    assert "flagged: paging" in rates.first.inner_text()
    page.get_by_role("combobox", name="status").select_option("active")
    expect(rates).to_have_count(4)
    page.get_by_role("searchbox", name="Words in any column").fill("two")
    page.wait_for_function("location.search.includes('words=two')")
    page.reload()
    assert page.get_by_role("combobox", name="status").input_value() == "active"
    expect(rates).to_have_count(1)
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV of these rows").click()
    lines = started.value.path().read_text().splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("someone: EPYC 7543,rigs/two-epyc-7543,")
    assert complaints == []
    page.close()


def test_explore_says_when_the_rows_cannot_be_loaded(browser: Browser, address: str) -> None:
    page = browser.new_page(service_workers="block")
    page.route("**/explore.json", lambda route: route.abort())
    page.goto(f"{address}explore/")
    page.get_by_text("The rows could not be loaded").wait_for()
    page.close()


def test_hostile_text_runs_nowhere_not_even_in_search(browser: Browser, hostile_site: Path) -> None:
    with served(hostile_site) as address:
        page = browser.new_page(service_workers="block")
        complaints = watched(page)
        for name in ("results/rigs/", "results/rigs/someone-epyc-7543/", "explore/"):
            page.goto(address + name, wait_until="networkidle")
            assert "<script>alert(1)</script>" in page.locator("main").inner_text(), name
            assert page.locator("article script:not([src]), article [onclick]").count() == 0
        page.goto(f"{address}?q=0731")
        found = page.locator(".md-search-result__item", has_text="<script>alert(1)</script>")
        found.first.wait_for()
        assert page.locator(".md-search-result script, .md-search-result [onclick]").count() == 0
        assert complaints == []
        page.close()
