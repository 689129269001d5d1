"""The hand-written pages: words spelled one way, links that lead somewhere, short sentences."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
TOP = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
SITE = sorted(path for path in (ROOT / "site/docs").rglob("*.md") if "results" not in path.parts)
PAGES = [*TOP, *SITE, ROOT / "notebooks/bandwidth_model.py"]

WRONG = {
    "behavior", "color", "center", "catalog", "license", "modeled",
    "neighbor", "optimize", "organize", "recognize", "quantization", "teh", "recieve", "seperate",
    "occured", "accomodate", "occurence", "definately", "untill", "wich", "lenght", "mesure",
    "existant", "refered", "begining", "succesful", "writting", "explicitely", "preceed",
}  # fmt: skip
"""Common slips, and spellings that the glossary's language does not use."""

LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
FENCED = re.compile(r"```.*?```|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)|<[^>]*>", re.DOTALL)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    text = path.read_text()
    if path.suffix == ".py":
        text = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    return FENCED.sub(" ", text)


def spelled_wrong(text: str) -> list[str]:
    return [
        one[0] for word in sorted(WRONG) for one in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)
    ]


def doubled(text: str) -> list[str]:
    return [one[0] for one in re.finditer(r"\b([a-z]{2,}) \1\b", text) if one[1] != "that"]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_words_are_spelled_right_and_none_stands_twice(path: Path) -> None:
    assert spelled_wrong(prose(path)) == []
    assert doubled(prose(path)) == []


def test_a_slip_is_seen() -> None:
    assert spelled_wrong("We recieve the Color") == ["Color", "recieve"]
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
