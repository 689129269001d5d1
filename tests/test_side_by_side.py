"""The compare page's rows and its guard, which must be the command's."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.comparable import FIELDS, STRICT, TOLD, WITHIN, Comparison, compare
from sitegen.record import Record
from sitegen.side_by_side import COLUMNS, packed, side_by_side_json
from tests.browsing import chromium, served, watched

FIELDS_OF_PAGE = {"strict": STRICT, "told": TOLD, "within": WITHIN}
ONE, TWO = "one-epyc-7543@ddr4-3200-8ch", "two-epyc-7543@ddr4-3200-8ch"


def unpacked(document: dict[str, Any]) -> list[dict[str, Any]]:
    columns = document["columns"]
    return [
        {name: columns[name]["values"][columns[name]["index"][at]] for name in COLUMNS}
        for at in range(document["rows"])
    ]


def test_every_rate_that_counts_is_there_with_the_guards_fields(record: Record) -> None:
    document = json.loads(side_by_side_json(record))
    assert {name: document[name] for name in FIELDS_OF_PAGE} == json.loads(
        json.dumps(FIELDS_OF_PAGE)
    )
    rows = unpacked(document)
    counting = [row for row in record.measurements if row["counts"]]
    assert len(rows) == len(counting)
    assert set(FIELDS) <= set(rows[0])
    (one,) = [row for row in rows if row["state"] == TWO and row["quantity"] == "decode"]
    assert (one["central"], one["sampling"], one["bandwidth_method"]) == (
        17.1, record.protocols["club-canonical"]["sampling"], "triad-v1",
    )  # fmt: skip
    assert not any(row["central"] == 99 for row in rows), "flagged"


def test_a_column_keeps_kinds_apart() -> None:
    assert packed([1, True, None, 1, "1"]) == {
        "values": [1, True, None, "1"],
        "index": [0, 1, 2, 0, 3],
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def page(browser: Browser, site: Path) -> Iterator[Page]:
    with served(site) as address:
        opened = browser.new_page()
        opened.goto(f"{address}compare/")
        yield opened
        opened.close()


def drawn(rng: random.Random) -> dict[str, Any]:
    """Draw a row of the guard's fields: few values, so that many agree."""
    values: dict[str, Any] = dict.fromkeys(FIELDS, "same") | {"central": rng.choice([0.0, 2.5])}
    for field in rng.sample(FIELDS, rng.choice([0, 0, 1, 2])):
        values[field] = rng.choice([None, True, False, 4096, "other"])
    return values | {"measurement_id": "x", "gpus": rng.choice([None, "rtx-3090", "rtx-5090"])}


@pytest.mark.browser
def test_the_page_refuses_what_the_command_refuses(page: Page) -> None:
    rng = random.Random(3)  # noqa: S311 - repeatable, not secret
    cases = [
        ([drawn(rng) for _ in range(rng.choice([2, 2, 3, 4]))],
         rng.choice([[], [], ["thinking"], [*TOLD]]))
        for _ in range(2000)
    ]  # fmt: skip
    answer_all = "cases.map(([rows, anyway]) => guard(rows, fields, anyway))"
    script = f"text => {{ const [cases, fields] = JSON.parse(text); return {answer_all}; }}"
    # As one text each way: the driver takes seconds to copy so many objects.
    script = script.replace("return ", "return JSON.stringify(").replace("; }", "); }")
    answers = json.loads(page.evaluate(script, json.dumps([cases, FIELDS_OF_PAGE])))
    allowed = 0
    for (rows, anyway), answer in zip(cases, answers, strict=True):
        wanted = compare(rows, anyway)
        if isinstance(wanted, Comparison):
            allowed += 1
            assert answer["refused"] == []
            assert fields(answer["overridden"]) == [d.field for d in wanted.overridden]
            assert fields(answer["doubts"]) == [d.field for d in wanted.doubts]
        else:
            assert [(one["field"], tuple(one["values"])) for one in answer["refused"]] == [
                (d.field, d.values) for d in wanted.differences
            ]
    assert 300 < allowed < 1800


def fields(differences: list[dict[str, Any]]) -> list[str]:
    return [one["field"] for one in differences]


@pytest.mark.browser
def test_rigs_stand_side_by_side_and_the_address_keeps_them(browser: Browser, site: Path) -> None:
    with served(site) as address:
        page = browser.new_page()
        complaints = watched(page)
        page.goto(f"{address}compare/?rig={ONE}&rig={TWO}")
        table = page.get_by_role("table", name="Side by side")
        line = table.locator("tbody tr", has_text="decode").first
        for told in ("11.6 tokens/s", "17.1 tokens/s", "× 1.47"):
            expect(line).to_contain_text(told)
        page.get_by_role("combobox", name="Rig 2").fill("")
        page.get_by_role("combobox", name="Rig 2").press("Tab")
        page.get_by_text("Choose two rigs or more").wait_for()
        assert "two-epyc" not in page.url
        page.get_by_role("combobox", name="Rig 3").fill(
            f"someone: EPYC 7543, ddr4-3200-8ch [{TWO}]"
        )
        page.get_by_role("combobox", name="Rig 3").press("Tab")
        table.wait_for()
        page.reload()
        expect(table).to_contain_text("× 1.47")
        assert complaints == []
        page.close()


@pytest.mark.browser
def test_unlike_protocols_are_refused_with_the_fields_that_differ(
    browser: Browser, site: Path
) -> None:
    with served(site) as address:
        page = browser.new_page()
        page.route("**/compare.json", lambda route: route.fulfill(json=unlike(site)))
        page.goto(f"{address}compare/?rig={ONE}&rig={TWO}&rig=nobody@x")
        refused = page.get_by_role("table", name="Refused")
        line = refused.locator("tbody tr", has_text="decode").first
        expect(line).to_contain_text("protocol: club-canonical / greedy-completion")
        expect(line).not_to_contain_text("17.1")
        assert page.get_by_text("Not in the record: nobody@x.").count() == 1
        page.close()


def unlike(site: Path) -> dict[str, Any]:
    """Put rig two's rates under another protocol, in the published file."""
    path = site / "build/site/results/data/compare.json"
    document: dict[str, Any] = json.loads(path.read_text())
    protocol, state = document["columns"]["protocol"], document["columns"]["state"]
    protocol["values"].append("greedy-completion")
    at = state["values"].index(TWO)
    protocol["index"] = [
        len(protocol["values"]) - 1 if state["index"][row] == at else value
        for row, value in enumerate(protocol["index"])
    ]
    return document


@pytest.mark.browser
def test_without_javascript_the_page_leads_to_tables(browser: Browser, site: Path) -> None:
    with served(site) as address:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{address}compare/")
        told = page.locator("noscript p")
        assert told.is_visible()
        assert "needs JavaScript" in told.inner_text()
        told.locator("a", has_text="rig").click()
        assert page.url.endswith("/results/rigs/")
        context.close()
