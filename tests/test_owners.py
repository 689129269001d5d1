import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.folder import Filed
from ingest.load import load
from ingest.owners import may_withdraw, owners
from ingest.store import opened

ROOT = Path(__file__).parents[1]


def test_handles_are_read_without_at_signs_case_and_comments(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github/CODEOWNERS").write_text("# @nobody\n* @Ada  @org/team # @no\n\n/x @bob\n")
    assert owners(tmp_path) == {"ada", "org/team", "bob"}


def test_a_checkout_without_the_file_has_no_owners(tmp_path: Path) -> None:
    assert owners(tmp_path) == frozenset()


@pytest.mark.parametrize(
    ("actor", "answer"), [("someone", "may"), ("@SomeOne", "may"), ("ada", "may"), ("eve", "no")]
)
def test_a_row_is_withdrawn_by_its_submitter_or_a_maintainer(
    document: dict[str, Any], filed: Callable[..., Filed], actor: str, answer: str
) -> None:
    assert may_withdraw(filed(document).bundle, actor, frozenset({"ada"})) is (answer == "may")


def test_without_a_submitter_only_maintainers_withdraw(
    document: dict[str, Any], filed: Callable[..., Filed]
) -> None:
    del document["submitter"]
    assert not may_withdraw(filed(document).bundle, "someone", frozenset({"ada"}))


def test_a_load_takes_over_who_the_maintainers_are_even_when_nothing_else_changed(
    tmp_path: Path,
) -> None:
    shutil.copytree(ROOT / "data/catalog", tmp_path / "data/catalog")
    (tmp_path / ".github").mkdir()
    db = tmp_path / "rigbook.duckdb"
    for named, handles in (("@Ada", [("ada",)]), ("@bob @carol", [("bob",), ("carol",)])):
        (tmp_path / ".github/CODEOWNERS").write_text(f"* {named}\n")
        assert load(tmp_path / "data", db).changed
        with opened(db) as connection:
            found = connection.execute("FROM maintainers ORDER BY handle").fetchall()
        assert found == handles
    assert not load(tmp_path / "data", db).changed
