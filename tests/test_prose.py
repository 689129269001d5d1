"""The hand-written pages: words spelled one way, links that lead somewhere, short sentences."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
TOP = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
SITE = sorted(path for path in (ROOT / "site/docs").rglob("*.md") if "results" not in path.parts)
PAGES = [*TOP, *SITE, ROOT / "notebooks/bandwidth_model.py"]

AMERICAN = {
    "behavior", "color", "center", "catalog", "license", "modeled", "neighbor", "optimize",
    "organize", "recognize", "quantization",
}  # fmt: skip
"""Spellings that the glossary's language does not use; `codespell` finds the slips of a finger."""

LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
FENCED = re.compile(r"```.*?```|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)|<[^>]*>", re.DOTALL)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    text = path.read_text()
    if path.suffix == ".py":
        text = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    return FENCED.sub(" ", text)


def spelled_elsewhere(text: str) -> list[str]:
    return [
        one[0]
        for word in sorted(AMERICAN)
        for one in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)
    ]


def codespell(*paths: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("codespell", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert program, "codespell is missing: make .venv/ready"
    return subprocess.run(
        [program, *map(str, paths)], cwd=ROOT, capture_output=True, text=True, check=False
    )


def doubled(text: str) -> list[str]:
    return [one[0] for one in re.finditer(r"\b([a-z]{2,}) \1\b", text) if one[1] != "that"]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_words_are_spelled_one_way_and_none_stands_twice(path: Path) -> None:
    assert spelled_elsewhere(prose(path)) == []
    assert doubled(prose(path)) == []


def test_codespell_finds_nothing_in_what_people_read() -> None:
    ran = codespell()
    assert ran.returncode == 0, ran.stdout


def test_codespell_reads_the_pages_and_finds_a_slip(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("We recieve it.")
    assert "recieve ==> receive" in codespell(page).stdout
    # What is left out by the configuration is data, tests and what is built; no page.
    skipped = re.search(r'^skip = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert skipped
    left_out = [one.removeprefix("./") for one in skipped[1].split(",")]
    assert not [one for one in PAGES if any(named(one).startswith(part) for part in left_out)]


def test_a_foreign_spelling_is_seen() -> None:
    assert spelled_elsewhere("The Color of a neighbor") == ["Color", "neighbor"]
    assert doubled("of of it") == ["of of"]


@pytest.mark.parametrize("path", [*TOP, *SITE], ids=named)
def test_every_link_inside_leads_to_a_file_and_every_link_out_is_https(path: Path) -> None:
    for found in LINK.finditer(path.read_text()):
        target = found["target"]
        if "://" in target:
            assert target.startswith("https://"), target
            continue
        place, _, _ = target.partition("#")
        # What is rendered is checked by the strict build of the site.
        if place and "results/" not in place:
            assert (path.parent / place).exists(), f"{path.name}: {target}"


SENTENCE = re.compile(r"[^.!?:]+[.!?:]")
LONGEST_MEAN = 22
"""Words a sentence: plain-language guides ask for 15 to 20 on average."""


@pytest.mark.parametrize("path", SITE, ids=named)
def test_user_pages_are_written_in_short_sentences(path: Path) -> None:
    lines = [line for line in prose(path).splitlines() if not line.startswith(("|", "#", "---"))]
    lengths = [len(one.split()) for one in SENTENCE.findall(" ".join(lines))]
    counted = [length for length in lengths if length > 2]
    assert not counted or sum(counted) / len(counted) <= LONGEST_MEAN


HARDEST_GRADE = 9
"""Flesch-Kincaid grade (Kincaid et al. 1975, CNTECHTRA 8-75): plain-language guides ask for 8."""


def grade(text: str) -> float:
    """Give the school years that a text asks for; syllables are counted as groups of vowels."""
    sentences = [one for one in SENTENCE.findall(text) if len(one.split()) > 2]
    words = [word.lower() for one in sentences for word in re.findall(r"[A-Za-z]+", one)]
    if not words:
        return 0.0
    syllables = sum(
        max(1, len(re.findall(r"[aeiouy]+", re.sub(r"(?<![l])e$", "", word)))) for word in words
    )
    return 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59


@pytest.mark.parametrize("path", SITE, ids=named)
def test_user_pages_ask_for_no_more_than_a_plain_reading_level(path: Path) -> None:
    lines = [line for line in prose(path).splitlines() if not line.startswith(("|", "#", "---"))]
    assert grade(" ".join(lines)) <= HARDEST_GRADE


def test_a_hard_text_is_told_from_an_easy_one() -> None:
    assert grade("The cat sat on the mat. The dog ran to the door.") < 1
    hard = "Notwithstanding considerable heterogeneity, characterisation necessitates calibration."
    assert grade(hard) > HARDEST_GRADE


def sections(nav: list[Any]) -> Iterator[str]:
    """List the pages that stand below another heading of the menu."""
    for entry in nav:
        for pages in entry.values() if isinstance(entry, dict) else ():
            if isinstance(pages, list):
                yield from (
                    one if isinstance(one, str) else next(iter(one.values())) for one in pages
                )


def test_pages_of_a_section_show_the_sidebar_that_leads_to_the_others() -> None:
    told = (ROOT / "mkdocs.yml").read_text()
    nav = yaml.safe_load(told.partition("\nnav:")[2].partition("\n#")[0])
    written = [name for name in sections(nav) if not name.startswith("results/")]
    assert len(written) > 10
    for name in written:
        page = (ROOT / "site/docs" / name).read_text()
        assert "hide:" not in page.partition("\n# ")[0], name
