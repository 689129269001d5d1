"""A tiny site from a hand-made database, built as users build it."""

import html
import re
import shutil
from pathlib import Path

import pytest

from sitegen.build import Built, build_site
from sitegen.links import references

ROOT = Path(__file__).parents[1]


def built(root: Path) -> Built:
    return build_site(root, root / "build/rigbook.duckdb")


def pages(root: Path) -> dict[str, str]:
    folder = root / "build/site"
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.html")}


def test_a_site_is_built_strictly_and_fetches_nothing_from_elsewhere(site: Path) -> None:
    made = built(site)
    assert made.problems == ()
    found = pages(site)
    assert made.pages == len(found)
    assert made.charts > 0
    for name in (
        "index.html",
        "method/index.html",
        "results/slugs/llamacpp/deepseek-flash-dual-q8/index.html",
        "results/variants/deepseek-v4-flash-0731--ud-q8_k_xl/index.html",
        "results/rigs/one-epyc-7543/index.html",
    ):
        assert "Content-Security-Policy" in found[name], name
    for page in found.values():
        loaded = [one.target for one in references(page) if one.loaded]
        assert [target for target in loaded if re.match(r"(https?:)?//", target)] == []
    styles = [path.read_text() for path in site.glob("build/site/**/*.css")]
    assert not [style for style in styles if re.search(r"url\(['\"]?(https?:)?//", style)]


def test_every_chart_has_its_table_and_a_summary(site: Path) -> None:
    charts = 0
    for page in pages(site).values():
        for figure in re.findall(
            r'<figure class="chart[^>]*>.*?</figure>\s*(.{0,80})', page, re.DOTALL
        ):
            charts += 1
            assert "The points of this chart" in figure
        for image in re.findall(r'<img class="(?:light|dark)"[^>]*>', page):
            assert re.search(r'alt="[^"]{40,}"', image)
    assert charts > 0


def test_the_same_weights_stand_apart_from_a_slugs_own_rows(site: Path) -> None:
    page = pages(site)["results/slugs/llamacpp/deepseek-flash-dual-q8/index.html"]
    own, _, other = page.partition('id="other-launch"')
    start = own.index("<table", own.index('id="decode"'))
    own_table = own[start : own.index("</table>", start)]
    assert "one-epyc-7543" in own_table
    assert "four-epyc-7543" not in own_table
    assert "four-epyc-7543" in other


def test_a_flagged_row_is_shown_with_its_reason(site: Path) -> None:
    found = pages(site)
    assert "⚑ flagged: paging" in html.unescape(found["results/rigs/five-epyc-7543/index.html"])
    assert "five-epyc-7543" not in found["index.html"]


def test_hostile_text_is_shown_and_never_acts(hostile_site: Path) -> None:
    seen = 0
    for page in pages(hostile_site).values():
        assert "<script>alert" not in page
        assert not re.search(r'(href|src)="\s*javascript:', html.unescape(page), re.IGNORECASE)
        assert "onclick=" not in re.sub(r'"[^"]*"', "", " ".join(re.findall(r"<[^<>]+>", page)))
        seen += "<script>alert(1)</script>" in html.unescape(page)
    assert seen > 3


def test_a_broken_page_leaves_the_old_site(site: Path) -> None:
    before = pages(site)
    glossary = site / "site/docs/glossary.md"
    kept = glossary.read_text()
    glossary.write_text("# Glossary\n\n[x](nowhere.md)\n")
    made = built(site)
    glossary.write_text(kept)
    assert any("nowhere.md" in problem.message for problem in made.problems)
    assert pages(site) == before


def test_no_checkout_and_no_database_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="not there; run inside a checkout"):
        build_site(tmp_path, tmp_path / "x.duckdb")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    with pytest.raises(FileNotFoundError, match="rigbook load"):
        build_site(tmp_path, tmp_path / "x.duckdb")


def test_a_moved_page_leads_on_and_a_wrong_redirect_stops_the_build(site: Path) -> None:
    moved = site / "site/redirects.toml"
    moved.write_text('"rigs/one-old-name" = "rigs/one-epyc-7543"\n')
    assert built(site).problems == ()
    assert "one-epyc-7543" in pages(site)["results/rigs/one-old-name/index.html"]
    moved.write_text('"rigs/one-old-name" = "rigs/nowhere"\n')
    (problem,) = built(site).problems
    assert "rigs/nowhere" in problem.message
    assert "results/rigs/one-old-name/index.html" in pages(site)
    moved.unlink()
