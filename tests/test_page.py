from pathlib import Path

import pytest
import yaml

from sitegen.escape import Html, text
from sitegen.page import Picture, facts, heading, markdown, page, picture, section, write_pages

HOSTILE = 'x" onload="y\n---\ntemplate: evil.html'


def test_a_page_has_front_matter_heading_and_its_blocks(tmp_path: Path) -> None:
    one = page("rigs/x", "A rig", "Its numbers.", ["block", "", "other"])
    assert one.blocks == ("block", "other")
    write_pages([one, page("rigs/", "Rigs", "All.", [])], tmp_path)
    assert (tmp_path / "rigs/x.md").read_text() == markdown(one)
    assert (tmp_path / "rigs/index.md").exists()


def test_a_hostile_title_stays_a_title() -> None:
    head = markdown(page("x", HOSTILE, HOSTILE, [])).split("---\n")[1]
    front = yaml.safe_load(head)
    assert set(front) == {"title", "description", "hide"}
    assert front["title"] == text(HOSTILE)
    assert '"' not in front["title"]


def test_two_pages_of_one_address_are_a_bug(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        write_pages([page("x", "A", "", []), page("x", "B", "", [])], tmp_path)


def test_a_pages_charts_are_written_with_it(tmp_path: Path) -> None:
    drawn = picture("a.svg", '<svg class="marks" width="640" height="340" viewBox="0">')
    assert drawn == Picture("a.svg", drawn.svg, 640, 340)
    write_pages([page("x", "A", "", [], [drawn])], tmp_path)
    assert (tmp_path / "charts/a.svg").read_text() == drawn.svg


def test_a_chart_without_a_size_is_refused() -> None:
    with pytest.raises(ValueError, match="width and height"):
        picture("a.svg", "<svg>")


def test_headings_keep_their_anchor_and_facts_their_order() -> None:
    assert heading("Decode {: x }", "decode") == "## Decode &#123;&#58; x &#125; { #decode }"


def test_a_section_of_many_pages_stays_out_of_the_search_index() -> None:
    assert section("Decode", "decode") == "## Decode { #decode data-search-exclude }"
    shown = facts([("Engine", Html("a")), ("Context", Html("b"))])
    assert shown.index("Engine") < shown.index("Context")


def test_a_page_may_be_left_out_of_the_search() -> None:
    one = page("x", "A", "B", [])
    front = yaml.safe_load(markdown(one._replace(searched=False)).split("---\n")[1])
    assert front["search"] == {"exclude": True}
    assert "search" not in markdown(one)
