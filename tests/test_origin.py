"""What stands in the source cell of a row: who, who else, and how far it can be trusted."""

import html
import re
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import create, fill
from sitegen.address import rig_page
from sitegen.origin import origin
from sitegen.record import Record, Row, read, rows_of
from sitegen.rig import rig_pages

FIRST, AGAIN = "octo-epyc-7543", "again-epyc-7543"
URL = "github.com/else/where/issues/2"


@pytest.fixture
def reposted(
    document: dict[str, Any], filed: Callable[..., Filed], edit: Callable[..., Any],
    catalog: Catalog,
) -> Record:  # fmt: skip
    """A bundle, and a later one that tells the same runs of the same machine in another place."""
    first = edit(document, {"/rig/machine": FIRST, "/id": "1" * 64})
    later = {"/id": "2" * 64, "/sources/0/url": URL, "/sources/0/author": "poster",
             "/sources/0/date": "2026-11-20"}  # fmt: skip
    with duckdb.connect() as connection:
        create(connection)
        one, two = filed(first), filed(edit(first, later))
        fill(connection, [one, two._replace(path=f"{AGAIN}/undated-test-22222222")], catalog)
        return read(connection)


def run_of(record: Record, bundle: str) -> Row:
    return next(run for run in record.runs if run["bundle_id"] == bundle * 64 and run["slug"])


def cell(record: Record, run: Row) -> str:
    shown = origin(record, rig_page(run["rig_id"]), run, rows_of(record, [run]))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def test_the_row_that_counts_names_both_places(reposted: Record) -> None:
    run = run_of(reposted, "1")
    assert "also poster" in cell(reposted, run)
    (page,) = rig_pages(reposted)
    assert URL in "".join(page.blocks[-1:])
    rows = rows_of(reposted, [run])
    assert any(row["counts"] for row in rows)


def test_the_row_that_repeats_says_which_and_does_not_count(reposted: Record) -> None:
    run = run_of(reposted, "2")
    assert "repeats" in cell(reposted, run)
    assert "also" not in cell(reposted, run)
    assert not any(row["counts"] for row in rows_of(reposted, [run]) if row["quantity"] == "decode")


def test_a_row_told_once_has_one_source_and_its_trust(record: Record) -> None:
    run = next(run for run in record.runs if run["rig_id"] == "one-epyc-7543" and run["slug"])
    assert cell(record, run).endswith("statement")
    assert "also" not in cell(record, run)


def test_a_run_that_did_not_end_well_says_so(record: Record) -> None:
    run = next(run for run in record.runs if run["rig_id"] == "one-epyc-7543" and run["slug"])
    shown = origin(record, "rigs/x", {**run, "outcome": "partial"}, rows_of(record, [run]))
    assert "run partial" in shown
