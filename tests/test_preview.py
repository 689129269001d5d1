"""What a change would show: rig pages whole, of the pages of many machines the lines concerned."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build
from sitegen.page import Page
from sitegen.preview import changed_pages

MINE, OTHER = "octo-epyc-7543", "another-epyc-7543"


@pytest.fixture
def shown(
    document: dict[str, Any], filed: Callable[..., Filed], edit: Callable[..., Any],
    catalog: Catalog, tmp_path: Path,
) -> Callable[..., dict[str, Page]]:  # fmt: skip
    """Preview a change from a record of another machine to one that has mine too."""
    figures = {"/runs/0/measurements/0/value": 11.2, "/runs/0/measurements/0/low": 11}
    other = filed(edit(document, {"/rig/machine": OTHER, "/id": "1" * 64, **figures}))
    mine = edit(document, {"/rig/machine": MINE, "/id": "2" * 64})

    def database(name: str, *bundles: Filed) -> Path:
        build(tmp_path / name, bundles, catalog)
        return tmp_path / name

    def preview(*statuses: Status, had: bool = False) -> dict[str, Page]:
        before = database("before", other, *([filed(mine)] if had else []))
        after = database("after", other, filed(mine, statuses))
        return {one.address: one for one in changed_pages(before, after, {MINE})}

    return preview


def test_a_new_machine_shows_on_its_page_its_slugs_and_its_variants(
    shown: Callable[..., dict[str, Page]], document: dict[str, Any]
) -> None:
    pages = shown()
    slug = document["runs"][0]["slug"]
    assert {address.partition("/")[0] for address in pages} == {"rigs", "slugs", "variants"}
    assert set(pages) >= {f"rigs/{MINE}", f"slugs/{slug}"}
    lines = "".join(pages[f"slugs/{slug}"].blocks)
    assert f"rigs/{MINE}/" in lines
    assert OTHER not in lines


def test_what_stays_as_it_is_is_not_shown(shown: Callable[..., dict[str, Page]]) -> None:
    assert shown(had=True) == {}


def test_a_retraction_changes_the_pages_of_its_machine(
    shown: Callable[..., dict[str, Page]], document: dict[str, Any]
) -> None:
    told = {"state": "retracted", "reason": "a DIMM was missing", "date": "2026-11-30", "by": "me"}
    pages = shown(Status.model_validate({**told, "target": ""}), had=True)
    assert "a DIMM was missing" in "".join(pages[f"rigs/{MINE}"].blocks)
    assert f"slugs/{document['runs'][0]['slug']}" in pages
