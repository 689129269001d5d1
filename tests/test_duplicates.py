import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.bundle import bundle_id
from ingest.catalog import Catalog
from ingest.duplicates import duplicate_problems, of_bundles
from ingest.filing import draft, write_draft
from ingest.folder import Filed
from ingest.load import load
from ingest.problem import has_errors
from ingest.store import create, fill, opened

ROOT = Path(__file__).parents[1]

Edit = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
File = Callable[..., Filed]

REPOST: dict[str, Any] = {
    "/id": "1" * 64,
    "/sources/0": {"kind": "table", "url": "example.org/table", "date": "2026-09-01"},
}
DECODE = "/runs/0/measurements/0"


@pytest.fixture
def two(document: dict[str, Any], filed: File, edit: Edit) -> Callable[..., list[Filed]]:
    def make(*changes: dict[str, Any]) -> list[Filed]:
        merged: dict[str, Any] = {}
        for change in changes:
            merged |= change
        return [filed(document), filed(edit(document, REPOST | merged))]

    return make


def test_a_copy_under_another_source_is_an_exact_repeat_of_the_earlier(
    two: Callable[..., list[Filed]], catalog: Catalog
) -> None:
    found = of_bundles(reversed(two()), catalog)
    assert [(one.run_id, one.duplicate_of, one.kind) for one in found] == [
        ("111111111111/q8", "000000000000/q8", "exact")
    ]
    (problem,) = duplicate_problems(found)
    assert problem.severity == "flag"
    assert problem.where == "runs[0]"
    assert "repeats runs[0] of someone-epyc-7543/" in problem.message
    assert "it counts once, with both sources" in problem.message


@pytest.mark.parametrize(
    "change",
    [{f"{DECODE}/value": 17.08}, {"/runs/0/launch/threads": None}],
    ids=["rounded", "less told"],
)
def test_a_re_post_that_rounds_or_tells_less_is_a_near_repeat(
    two: Callable[..., list[Filed]], catalog: Catalog, change: dict[str, Any]
) -> None:
    assert [one.kind for one in of_bundles(two(change), catalog)] == ["near"]


@pytest.mark.parametrize(("ttft_ms", "kinds"), [(812, ["near"]), (None, [])])
def test_under_another_machine_name_three_figures_must_agree(
    document: dict[str, Any], filed: File, edit: Edit, catalog: Catalog,
    ttft_ms: int | None, kinds: list[str],
) -> None:  # fmt: skip
    if ttft_ms:
        document["runs"][0]["measurements"].append(
            {"quantity": "ttft", "protocol": "club-canonical", "value": ttft_ms, "unit": "ms"}
        )
    moved = {"/rig/machine": "another-name", "/runs/0/launch/threads": None}
    both = [filed(document), filed(edit(document, REPOST | moved))]
    assert [one.kind for one in of_bundles(both, catalog)] == kinds


@pytest.mark.parametrize(
    "change",
    [
        {f"{DECODE}/value": 17.3},
        {f"{DECODE}/workload": "code", "/runs/0/measurements/1/workload": "code"},
        {"/runs/0/launch/threads": 24},
        {"/runs/0/engine/build": "b10300"},
        {"/rig/machine": "someone-else", "/rig/cpu/model": "AMD EPYC 7502"},
    ],
    ids=["another value", "another workload", "more threads", "another build", "another CPU"],
)
def test_a_run_that_differs_in_anything_told_is_no_repeat(
    two: Callable[..., list[Filed]], catalog: Catalog, change: dict[str, Any]
) -> None:
    assert of_bundles(two(change), catalog) == []


def test_two_runs_of_one_bundle_are_never_repeats(
    document: dict[str, Any], filed: File, edit: Edit, catalog: Catalog
) -> None:
    twin = {**document["runs"][0], "id": "again"}
    assert of_bundles([filed(edit(document, {"/runs/1": twin}))], catalog) == []


def test_what_a_repeat_adds_still_counts(
    document: dict[str, Any], filed: File, edit: Edit, catalog: Catalog
) -> None:
    code = {"quantity": "decode", "workload": "code", "protocol": "club-canonical", "value": 26.9,
            "unit": "tokens/s"}  # fmt: skip
    with duckdb.connect() as connection:
        create(connection)
        again = edit(document, REPOST)
        again["runs"][0]["measurements"].append(code)
        fill(connection, [filed(document), filed(again)], catalog)
        counted = connection.execute(
            "SELECT workload, run_id FROM comparable WHERE quantity = 'decode' ORDER BY 1"
        ).fetchall()
    assert counted == [("code", "111111111111/q8"), ("narrative", "000000000000/q8")]


def test_a_size_of_memory_in_common_is_no_repeat(
    document: dict[str, Any], filed: File, edit: Edit, catalog: Catalog
) -> None:
    vram = {"quantity": "vram", "protocol": "club-canonical", "value": 23.6, "unit": "GiB"}
    one = edit(document, {"/runs/0/measurements": [vram]})
    other = edit(document, REPOST | {"/runs/0/measurements": [vram], "/runs/0/named": "x"})
    assert of_bundles([filed(one), filed(other)], catalog) == []


def test_a_repeat_counts_once_and_the_first_has_both_sources(
    two: Callable[..., list[Filed]], catalog: Catalog
) -> None:
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, two(), catalog)
        counted = connection.execute("SELECT DISTINCT run_id FROM comparable").fetchall()
        kept = connection.execute("SELECT count(*) FROM measurements").fetchall()
        urls = connection.execute(
            "SELECT url FROM run_sources WHERE run_id = '000000000000/q8' ORDER BY url"
        ).fetchall()
    assert counted == [("000000000000/q8",)]
    assert kept == [(4,)]
    assert urls == [("example.org/rigs/1",), ("example.org/table",)]


def test_a_repeat_that_comes_with_a_later_load_is_found_and_goes_with_it(
    two: Callable[..., list[Filed]], tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "data/catalog", tmp_path / "data/catalog")
    first, second = two({"/rig/machine": "other-name", "/sources/0/url": "example.org/2"})
    # Under another name three figures must agree: an exact copy needs one.
    folders = [_written(tmp_path / "data/reports", one) for one in (first, second)]
    db = tmp_path / "rigbook.duckdb"
    away = tmp_path / "away"
    folders[1].parent.rename(away)
    found = []
    for step in (None, lambda: away.rename(folders[1].parent), lambda: shutil.rmtree(folders[1])):
        if step:
            step()
        loaded = load(tmp_path / "data", db)
        assert not has_errors(loaded.problems), loaded.problems
        with opened(db) as connection:
            found.append(connection.execute("SELECT count(*) FROM duplicates").fetchall())
    assert found == [[(0,)], [(1,)], [(0,)]]


def _written(reports: Path, one: Filed) -> Path:
    text = one.bundle.sources[0].url
    bundle = one.bundle.model_copy(update={"id": bundle_id([text], text)})
    made = draft(bundle, "x", ("report.md", text))
    write_draft(reports, made)
    return reports / made.folder
