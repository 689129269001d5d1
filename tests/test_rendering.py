"""Rendering with tables held back gives, byte for byte, what plain mkdocs gives."""

import os
import subprocess
import sys
from pathlib import Path

from sitegen.mkdocs import run_mkdocs
from sitegen.rendering import JOINED, deferred, with_one_style

RIG = "results/rigs/one-epyc-7543/index.html"


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_pages_are_those_of_plain_mkdocs(site: Path, tmp_path: Path) -> None:
    plain, held = tmp_path / "plain", tmp_path / "held"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(plain)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, cwd=site, env=env, check=True, capture_output=True)
    assert run_mkdocs(site / "mkdocs.yml", held) == []
    expected, found = files(plain), files(held)
    assert expected[RIG].count(b'<div class="frame"') > 1, "no table was held"
    assert b'<script defer src="../../../assets/javascripts/bundle.' in found[RIG]
    assert found.keys() == {*expected, JOINED}
    styles = [name for name in expected if "stylesheets/" in name or name == "assets/rigbook.css"]
    assert len(found[JOINED]) > 0.95 * sum(len(expected[n]) for n in styles if n.endswith(".css"))
    expected[JOINED] = found[JOINED]
    for name in expected:
        if name.endswith("index.html"):
            page = with_one_style(deferred(expected[name].decode()))
            assert page.count('rel="stylesheet"') <= 2
            assert page.count(f'{JOINED}">') == 1, name
            expected[name] = page.encode()
    assert [name for name in found if found[name] != expected[name]] == []


def project(tmp_path: Path, page: str) -> Path:
    (tmp_path / "docs/results").mkdir(parents=True)
    (tmp_path / "docs/results/page.md").write_text(page)
    (tmp_path / "docs/index.md").write_text("[the table](results/page.md#there)\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        "site_name: x\ndocs_dir: docs\nstrict: true\ntheme: {name: material}\n"
        "validation: {anchors: warn}\n"
    )
    return config


def test_an_anchor_inside_a_table_is_found(tmp_path: Path) -> None:
    page = '# Page\n\n<div class="frame" role="group">\n<table id="there"></table>\n</div>\n'
    config = project(tmp_path, page)
    assert run_mkdocs(config, tmp_path / "out") == []
    assert '<table id="there"></table>' in (tmp_path / "out/results/page/index.html").read_text()
    config.parent.joinpath("docs/results/page.md").write_text(page.replace("there", "elsewhere"))
    (problem,) = run_mkdocs(config, tmp_path / "out")
    assert "#there" in problem.message


def test_a_page_that_stands_is_linked_to_but_not_rendered(tmp_path: Path) -> None:
    config = project(tmp_path, "# Page {#there}\n")
    assert run_mkdocs(config, tmp_path / "out", only=[]) == []
    assert 'href="results/page/#there"' in (tmp_path / "out/index.html").read_text()
    assert not (tmp_path / "out/results").exists()
