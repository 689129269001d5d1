"""The predictor page in Chromium: form, address, keys alone, no script, no network, phones."""

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from ingest.folder import Filed
from models.predict import predict
from models.record import load_model
from models.request import GpuRequest, Request
from sitegen.build import build_site
from tests.browsing import FLAGS, served, watched

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "models/fitted/model.json"
KIB = 1024
EPYC = "predict/?cpu=AMD+EPYC+7543&cores=32&channels=8&mts=3200&gpu=RTX+3090x2"
SLUG = "llamacpp/deepseek-flash-dual-q8"
ASKED = Request(
    cpu="AMD EPYC 7543", cores=32, channels=8, mts=3200, gpus=(GpuRequest("RTX 3090", 2),)
)


@pytest.fixture(scope="module")
def built(
    tmp_path_factory: pytest.TempPathFactory,
    checkout: Callable[[Path, list[Filed]], Path],
    rigs: list[Filed],
) -> Path:
    """A checkout whose site was built with the model that ships."""
    root = checkout(tmp_path_factory.mktemp("predictor"), rigs)
    assert build_site(root, root / "build/rigbook.duckdb", MODEL).problems == ()
    return root


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    with served(built) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    fresh = browser.new_page(reduced_motion="reduce", service_workers="block")
    complaints = watched(fresh)
    yield fresh
    assert complaints == []
    fresh.close()


def asked(page: Page) -> dict[str, list[str]]:
    """Read the address once it holds what was typed."""
    page.wait_for_timeout(300)
    return parse_qs(urlsplit(page.url).query)


def row(page: Page, slug: str) -> str:
    """Read a line, also below the fold, where nothing is laid out."""
    return page.locator(f"details[data-key='{slug}'] > summary").text_content() or ""


def test_the_page_shows_what_predict_says_best_first(page: Page, address: str) -> None:
    page.goto(address + EPYC)
    answers = predict(load_model(MODEL), None, ASKED)
    names = page.locator("#predictor ol .name").all_text_contents()
    assert names == [answer.slug for answer in answers]
    for answer in answers:
        shown = row(page, answer.slug or "")
        assert f"{answer.tokens_per_s:.1f}" in shown
        assert f"{answer.low:.1f}–{answer.high:.1f}" in shown


def test_typing_changes_answers_and_address_and_the_address_brings_all_back(
    page: Page, address: str
) -> None:
    page.goto(address + "predict/")
    page.get_by_label("Processor", exact=True).fill("EPYC 7543")
    assert page.get_by_label("Memory channels").input_value() == "8"
    assert page.get_by_label("Cores", exact=True).input_value() == "32"
    page.get_by_label("RAM GiB", exact=True).fill("130")
    page.get_by_role("button", name="Add a kind of card").click()
    page.get_by_label("Card", exact=True).fill("RTX 3090")
    page.get_by_label("Number of cards").fill("2")
    page.get_by_text("The run", exact=True).click()
    page.get_by_label("Workload", exact=True).select_option("code")
    page.get_by_text("My own measurement").click()
    page.get_by_role("button", name="Add a measurement").click()
    page.get_by_label("Slug measured").select_option(SLUG)
    page.get_by_label("Tokens per second").fill("15")
    page.locator(f"details[data-key='{SLUG}'] > summary").click()
    found = asked(page)
    assert found["cpu"] == ["EPYC 7543"]
    assert found["gpu"] == ["RTX 3090x2"]
    assert found["mine"] == [f"{SLUG}=15"]
    assert found["workload"] == ["code"]
    assert found["open"] == [SLUG]
    before = page.locator("#predictor").text_content() or ""
    page.goto(page.url)
    expect(page.locator("#predictor details[open] .inside")).to_be_visible()
    assert page.locator("#predictor").text_content() == before
    assert "your own measurement moves this by" in before


def test_what_does_not_fit_stands_apart_and_says_how_much_is_missing(
    page: Page, address: str
) -> None:
    page.goto(address + EPYC + "&ram=100")
    answers = predict(load_model(MODEL), None, ASKED._replace(ram_gib=100))
    short = [one for one in answers if not one.fits]
    assert short
    expect(page.get_by_role("heading", name="Does not fit in 100 GiB")).to_be_visible()
    assert page.locator("ol.bad .name").all_text_contents() == [one.slug for one in short]
    missing = (short[0].host_ram_gib or 0) - 100
    assert f"✗ {missing:.0f} GiB short" in row(page, short[0].slug or "")


def test_an_answer_unfolds_into_time_neighbours_slopes_and_commands(
    page: Page, address: str
) -> None:
    page.goto(f"{address}{EPYC}&ram=256&open={SLUG}")
    inside = page.locator("details[open] .inside")
    expect(inside.locator("svg.stack rect").first).to_be_attached()
    told = inside.text_content() or ""
    assert re.search(r"\+10 % RAM bandwidth gives \+\d", told)
    assert "within 3 % of the best" in told
    assert f"--gpu 'RTX 3090x2' --slug {SLUG}" in told
    assert f"rigbook plan --slug {SLUG}" in told
    near = predict(load_model(MODEL), None, ASKED._replace(slugs=(SLUG,)))[0].nearest[0]
    assert f"{near.rig}: {near.tokens_per_s:.1f} tokens/s" in told
    source = inside.get_by_role("link", name="source").first
    assert source.get_attribute("href") == f"https://{near.url.removeprefix('https://')}"
    own = inside.get_by_role("link", name="Every measurement of this slug")
    assert page.request.get(str(own.evaluate("link => link.href"))).ok


def test_a_change_stands_beside_each_answer(page: Page, address: str) -> None:
    page.goto(address + EPYC + "&ram=100")
    page.get_by_text("What if …").click()
    page.get_by_role("button", name="Add a change").click()
    page.get_by_label("What changes").select_option("ram")
    page.get_by_label("New value").fill("512")
    assert "then fits" in (page.locator("ol.bad .gain").first.text_content() or "")
    page.get_by_label("What changes").select_option("mts")
    page.get_by_label("New value").fill("1600")
    assert re.search(
        r"→ \d+\.\d, ×0\.\d\d", page.locator("#predictor .gain").last.text_content() or ""
    )
    assert asked(page)["what-if"] == ["mts=1600"]
    page.get_by_label("What changes").select_option("gpu")
    page.get_by_label("New value").fill("RTX 3090x4")
    assert asked(page)["what-if"] == ["gpu=RTX 3090x4"]
    assert "×1." in (page.locator("#predictor .gain").first.text_content() or "")
    page.get_by_label("What changes").select_option("mts")
    page.get_by_label("New value").fill("9")
    expect(page.locator("#predictor .wrong:visible")).to_contain_text("should be 400 to 16000")


@pytest.mark.parametrize(
    ("label", "typed", "told"),
    [
        ("Cores", "0", "should be 1 to 1024 physical cores, got 0"),
        ("Cores", "many", "should be a number, got many"),
        ("Memory channels", "2.5", "should be a whole number, got 2.5"),
        ("Processor", "Abacus 9", "no one processor of the catalogue has this name"),
        ("Transfer rate MT/s", "", "give --triad GBPS, or --channels N with --mts N"),
    ],
)
def test_what_no_rig_can_be_is_told_at_its_field_and_the_answers_dim(
    page: Page, address: str, label: str, typed: str, told: str
) -> None:
    page.goto(address + EPYC)
    field = page.get_by_label(label, exact=True)
    field.fill(typed)
    expect(page.locator("#predictor .told")).to_contain_text(told)
    assert "stale" in (page.locator(".ranking").get_attribute("class") or "")
    page.goto(address + EPYC)
    assert "stale" not in (page.locator(".ranking").get_attribute("class") or "")


def test_hostile_addresses_stay_text(page: Page, address: str) -> None:
    attack = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"
    keys = ("cpu", "gpu", "mine", "what-if", "workload", "cores", "open", "level", "triad-method")
    for key in keys:
        page.goto(f"{address}predict/?channels=8&mts=3200&cores=8&{key}={attack}")
        expect(page.locator("#predictor .told")).not_to_be_empty()
        assert page.locator("#predictor img").count() == 0


def test_an_open_answer_stays_open_while_somebody_types(page: Page, address: str) -> None:
    page.goto(f"{address}{EPYC}&open={SLUG}")
    page.get_by_label("Transfer rate MT/s").press_sequentially("00", delay=5)
    page.get_by_label("Transfer rate MT/s").fill("2400")
    page.wait_for_timeout(200)
    expect(page.locator("#predictor ol details[open]")).to_have_count(1)
    assert asked(page)["open"] == [SLUG]


def test_keys_alone_fill_the_form_and_unfold_an_answer(page: Page, address: str) -> None:
    page.goto(address + EPYC)
    page.get_by_label("Processor", exact=True).focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "cores"
    page.keyboard.type("1")
    assert asked(page)["cores"] in (["1"], ["321"])
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#predictor ol summary')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("details[open] .inside")).to_be_visible()
    assert page.evaluate("document.activeElement.matches('#predictor ol summary')")
    page.keyboard.press("Enter")
    expect(page.locator("#predictor ol details[open]")).to_have_count(0)


def test_removing_a_row_leaves_the_focus_in_its_list(page: Page, address: str) -> None:
    page.goto(address + EPYC)
    page.get_by_role("button", name="Remove").click()
    assert page.evaluate("document.activeElement.textContent") == "Add a kind of card"
    assert "gpu" not in asked(page)


def test_once_loaded_it_needs_no_network(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + EPYC, wait_until="networkidle")
    before = row(page, SLUG)
    context.set_offline(True)
    complaints = watched(page)
    page.get_by_label("Transfer rate MT/s").fill("2133")
    page.locator(f"details[data-key='{SLUG}'] > summary").click()
    expect(page.locator("details[open] .inside")).to_contain_text("Nearest measured rigs")
    assert row(page, SLUG) != before
    assert complaints == []
    context.close()


def test_without_javascript_the_command_and_a_table_of_answers_stand_there(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "predict/")
    shown = page.locator("noscript pre code")
    assert shown.is_visible()
    assert "predict --triad 52 --cores 16 --slug" in shown.inner_text()
    table = page.locator("table.data")
    assert table.locator("tbody tr").count() >= 8
    assert "EPYC 7543" in table.inner_text()
    box = page.locator("#predictor").bounding_box()
    assert box is None or box["height"] < 50
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_nothing_overflows_and_nothing_comes_from_elsewhere(
    browser: Browser, address: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    complaints = watched(page)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    url = f"{EPYC}&ram=100&what-if=channels%3D4&mine={SLUG}%3D12&open={SLUG}&variants=1"
    page.goto(address + url, wait_until="networkidle")
    expect(page.locator("details[open] .inside")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    assert [one for one in requested if not one.startswith((address, "data:"))] == []
    context.close()


def test_in_print_the_answers_stay(page: Page, address: str) -> None:
    page.goto(address + EPYC)
    page.emulate_media(media="print")
    assert page.locator("#predictor ol .speed").first.is_visible()
    assert not page.get_by_role("button", name="Add a kind of card").is_visible()


def test_an_answer_comes_within_ten_milliseconds_of_a_keystroke(page: Page, address: str) -> None:
    """The best of many: what else the machine does is not the page's."""
    page.goto(f"{address}{EPYC}&open={SLUG}")
    expect(page.locator("details[open] .inside")).to_be_visible()
    fastest = page.evaluate(
        """() => {
          const box = document.querySelector("#ask-mts");
          const spent = Array.from({ length: 200 }, (_, turn) => {
            box.value = String(2000 + turn);
            const start = performance.now();
            box.dispatchEvent(new Event("input"));
            document.documentElement.scrollHeight; // the layout counts
            return performance.now() - start;
          });
          return Math.min(...spent);
        }"""
    )
    assert fastest < 10


def test_page_scripts_style_and_model_weigh_sixty_kib_at_most(built: Path) -> None:
    """Beyond the theme: the page's own part of its HTML, its script, style and model."""
    site = built / "build/site"
    article = (site / "predict/index.html").read_text().split("<article", 1)[1]
    parts = [
        article.split("</article>")[0].encode(),
        (site / "results/data/predictor.json").read_bytes(),
        (site / "assets/predictor.css").read_bytes(),
        (site / "assets/predictor.js").read_bytes(),
    ]
    assert not (site / "assets/predictor").exists()
    weights = [len(gzip.compress(part, 9)) for part in parts]
    assert sum(weights) <= 60 * KIB, weights
