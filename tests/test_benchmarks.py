import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import create, fill
from sitegen.benchmarks import HEADS, escaped, read, table

ROOT = Path(__file__).parents[1]
SLUG = "llamacpp/deepseek-flash-dual-q8"


def cells(text: str) -> list[list[str]]:
    lines = text.splitlines()
    return [re.split(r"(?<!\\) ?\| ?", line)[1:-1] for line in (lines[0], *lines[2:])]


def rows(catalog: Catalog, *filed: Filed) -> list[dict[str, Any]]:
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, filed, catalog)
        return read(connection, SLUG)


@pytest.fixture
def capped(document: dict[str, Any]) -> dict[str, Any]:
    for gpu in document["rig"]["gpus"]:
        gpu |= {"power_w": 230, "power_default_w": 350, "link": "gen4 x16"}
    document["runs"][0]["stages"] = {"verify": {"outcome": "pass"}, "soak": {"outcome": "fail"}}
    return document


def test_a_run_is_one_row_with_rig_cell_and_verdicts(
    capped: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    heads, row = cells(table(rows(catalog, filed(capped))))
    told = dict(zip(heads, row, strict=True))
    assert tuple(heads) == HEADS
    assert told["Rig"] == (
        "2x RTX 3090 @ 230 W; gen4 x16; EPYC 7543; 252 GiB 8ch DDR4 3200; 116 GB/s triad-v1"
    )
    assert told["Narr / code decode, tok/s"] == "17.1 / –"
    assert told["Verify · stress · soak"] == "pass · – · fail"
    assert told["Acceptance"] == "33.0% / –"
    assert told["Trust"] == "statement"
    assert told["By, date"] == "someone, 2026-08-11"


def test_a_flagged_run_says_so_and_a_retracted_one_is_left_out(
    capped: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    def marked(state: str) -> Filed:
        line = {"state": state, "reason": "hot", "date": "2026-12-01", "by": "me"}
        return filed(capped, (Status.model_validate(line),))

    assert "flagged: hot" in table(rows(catalog, marked("flagged")))
    assert rows(catalog, marked("retracted")) == []


@given(st.text())
def test_no_text_leaves_its_cell_or_mentions_anybody(raw: str) -> None:
    shown = escaped(raw)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[|<`]", shown)
    assert not re.search(r"@[A-Za-z0-9]", shown)


def rigbook(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}
    return subprocess.run(
        [sys.executable, "-m", "rigbook", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_verb_prints_the_table_of_the_record_and_names_near_slugs(tmp_path: Path) -> None:
    db = str(tmp_path / "rigbook.duckdb")
    assert rigbook("load", "--db", db).returncode == 0
    printed = rigbook("table", "--slug", SLUG, "--format", "benchmarks-md", "--db", db).stdout
    assert len(printed.splitlines()) > 2
    assert all(line.startswith("| ") and line.endswith(" |") for line in printed.splitlines())
    wrong = rigbook("table", "--slug", "llamacpp/deepseek-flash-dual-q9", "--db", db)
    assert wrong.returncode == 2
    assert f"nearest: {SLUG}" in wrong.stderr
