"""axe-core in Chromium: no violation on any kind of page, in light and in dark, wide and narrow."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browsing import chromium, served

pytestmark = pytest.mark.browser

AXE = files("axe_playwright_python") / "axe.min.js"

PAGES = (
    "",
    "results/slugs/llamacpp/deepseek-flash-dual-q8/",
    "results/rigs/one-epyc-7543/",
    "predict/",
    "explore/",
    "compare/",
    "results/catalogue/",
    "results/coverage/",
    "method/",
)

RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))}`)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def violations(browser: Browser, address: str, **context: Any) -> list[str]:  # noqa: ANN401
    page = browser.new_page(**context)
    page.goto(address, wait_until="networkidle")
    page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = page.evaluate(RUN)
    page.close()
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_violates_a_rule(browser: Browser, site: Path, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    with served(site) as address:
        found = {
            name: broken
            for name in PAGES
            if (broken := violations(browser, address + name, viewport=size, color_scheme=scheme))
        }
    assert found == {}


def test_a_missing_label_is_seen(browser: Browser) -> None:
    (broken, *_) = violations(
        browser, "data:text/html,<html lang=en><title>x</title><main><h1>x</h1><input>"
    )
    assert broken.startswith("label:")
