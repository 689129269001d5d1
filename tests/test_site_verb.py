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


def test_the_links_that_lead_out_are_listed_and_not_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["site", "--external", "--root", str(tmp_path)]) == 2
    assert "run `rigbook site` first" in capsys.readouterr().err
    for name in ("a", "b"):
        page = tmp_path / "build/site" / name / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text('<a href="https://nowhere.invalid/x">x</a>')
    assert main(["site", "--external", "--root", str(tmp_path)]) == 0
    first, count = capsys.readouterr().out.splitlines()
    assert first == "https://nowhere.invalid/x  a/index.html and 1 more"
    assert count == "1 addresses outside; none was fetched"
