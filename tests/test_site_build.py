"""A tiny site from a hand-made database, built as users build it."""

import copy
import html
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.folder import Filed
from sitegen.build import Built, build_site
from sitegen.links import references

ROOT = Path(__file__).parents[1]
HOSTILE = '<script>alert(1)</script>"|[x](javascript:alert(1)){: onclick=x }--8<-- "home.html"'


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
            r'<figure class="chart"[^>]*>.*?</figure>\s*(.{0,80})', page, re.DOTALL
        ):
            charts += 1
            assert "The points of this chart" in figure
        for image in re.findall(r'<img class="(?:light|dark)"[^>]*>', page):
            assert re.search(r'alt="[^"]{40,}"', image)
    assert charts > 0


def test_the_same_weights_stand_apart_from_a_slugs_own_rows(site: Path) -> None:
    page = pages(site)["results/slugs/llamacpp/deepseek-flash-dual-q8/index.html"]
    own, _, other = page.partition('id="other-launch"')
    own_table = own[own.index("<table") : own.index("</table>")]
    assert "one-epyc-7543" in own_table
    assert "four-epyc-7543" not in own_table
    assert "four-epyc-7543" in other


def test_a_flagged_row_is_shown_with_its_reason(site: Path) -> None:
    found = pages(site)
    assert "⚑ flagged: paging" in html.unescape(found["results/rigs/five-epyc-7543/index.html"])
    assert "five-epyc-7543" not in found["index.html"]


def hostile(document: dict[str, Any]) -> dict[str, Any]:
    """Put mark-up of every kind into each text field that takes free text."""
    edited = copy.deepcopy(document)
    edited["submitter"] = HOSTILE
    edited["sources"][0] |= {"url": f"https://example.org/{HOSTILE}", "author": HOSTILE}
    rig = edited["rig"]
    rig |= {"os": HOSTILE, "environment": HOSTILE}
    rig["cpu"]["model"] = HOSTILE
    rig["memory"] |= {"kind": HOSTILE, "dimms": HOSTILE, "thp": HOSTILE}
    rig["memory"]["bandwidth"][0]["note"] = HOSTILE
    rig["gpus"][0]["name"] = HOSTILE
    run = edited["runs"][0]
    run["named"] = HOSTILE
    run["engine"]["build"] = HOSTILE
    run["weights"] |= {"spelled": HOSTILE, "quant": HOSTILE}
    edited["runs"][1]["outcome"]["reason"] = HOSTILE
    return edited


def test_hostile_text_is_shown_and_never_acts(
    tmp_path: Path,
    checkout: Callable[[Path, list[Filed]], Path],
    document: dict[str, Any],
    filed: Callable[..., Filed],
) -> None:
    root = checkout(tmp_path, [filed(hostile(document))])
    assert built(root).problems == ()
    seen = 0
    for page in pages(root).values():
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
