from pathlib import Path

import pytest

from rigbook.__main__ import main


def test_the_verb_tells_what_it_made_and_how_to_look_at_it(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["site", "--root", str(site), "--db", str(site / "build/rigbook.duckdb")])
    told = capsys.readouterr()
    assert code == 0
    assert str(site / "build/site") in told.out
    assert " pages, " in told.out
    assert "make serve" in told.out
    assert told.err.startswith("built in ")


def test_a_page_that_does_not_hold_is_listed_and_counted(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    glossary = site / "site/docs/glossary.md"
    kept = glossary.read_text()
    glossary.write_text(f"{kept}\n[x](nowhere.md)\n")
    code = main(["site", "--root", str(site), "--db", str(site / "build/rigbook.duckdb")])
    glossary.write_text(kept)
    *problems, count = capsys.readouterr().out.splitlines()
    assert code == 1
    assert any(line.startswith("site/docs/glossary.md: ") for line in problems)
    assert count.endswith("the site before this one stays as it was")


def test_no_database_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mkdocs.yml").touch()
    assert main(["site", "--root", str(tmp_path), "--db", str(tmp_path / "x.duckdb")]) == 2
    assert "rigbook load" in capsys.readouterr().err
