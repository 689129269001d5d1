from pathlib import Path

import pytest

from sitegen.links import Reference, external, link_problems, references


def site(tmp_path: Path, body: str) -> Path:
    (tmp_path / "a").mkdir(parents=True)
    (tmp_path / "a/index.html").write_text(f"<html><body>{body}</body></html>")
    (tmp_path / "b.css").touch()
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "body",
    [
        '<a href="../b.css">x</a>',
        '<a href="../a/">x</a>',
        '<a href="./#here" id="here">x</a>',
        '<a href="#caf%C3%A9" id="café">x</a>',
        '<a href="../b.css#any">x</a>',
        '<a href="/b.css?x=1">x</a>',
        '<a href="https://example.org/">x</a>',
        '<img src="data:image/png;base64,xx">',
    ],
)
def test_links_that_lead_somewhere_and_links_out_are_fine(tmp_path: Path, body: str) -> None:
    assert link_problems(site(tmp_path, body)) == []


@pytest.mark.parametrize("target", ["#nowhere", "./#nowhere", "../a/#nowhere", "/a/#nowhere"])
def test_an_anchor_that_its_page_lacks_is_a_problem(tmp_path: Path, target: str) -> None:
    (problem,) = link_problems(site(tmp_path, f'<a href="{target}" id="here">x</a>'))
    assert problem.message == f"points at {target!r}, a page without this anchor"


@pytest.mark.parametrize("target", ["../c.css", "../empty/", "/a/b/", "..%2Fb.css/x"])
def test_a_link_into_nothing_is_a_problem(tmp_path: Path, target: str) -> None:
    (problem,) = link_problems(site(tmp_path, f'<a href="{target}">x</a>'))
    assert problem.path == "a/index.html"
    assert repr(target) in problem.message


@pytest.mark.parametrize(
    "body",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<img src="../b.css" srcset="https://cdn.example/x.png 2x">',
        '<iframe src="http://example.org"></iframe>',
    ],
)
def test_whatever_is_fetched_from_elsewhere_is_a_problem(tmp_path: Path, body: str) -> None:
    (problem,) = link_problems(site(tmp_path, body))
    assert "from elsewhere" in problem.message


def test_a_link_out_is_not_fetched_and_a_picture_is() -> None:
    found = references('<a href="https://a.example/">x</a><img src="b.png">')
    assert [(one.target, one.loaded) for one in found] == [
        ("https://a.example/", False),
        ("b.png", True),
    ]


TABLE = """<p><a href="before/">x</a></p>
<div class="frame" role="group" data-search-exclude>
<table><tr><td title="a &gt; b">
<a href="&#46;&#46;/rigs/x/" rel="nofollow">x</a>{}</td></tr></table>
</div>
<p><a href="after/">x</a></p>"""


def test_links_of_a_table_are_found_and_what_it_loads_is_loaded() -> None:
    found = references(TABLE.format(""))
    assert [one.target for one in found] == ["../rigs/x/", "before/", "after/"]
    assert not any(one.loaded for one in found)
    loading = references(TABLE.format('<img src="https://elsewhere.example/x.png">'))
    assert Reference("https://elsewhere.example/x.png", loaded=True) in loading
    assert Reference("../rigs/x/", loaded=False) in loading


def test_addresses_outside_are_listed_with_the_pages_that_point_at_them(tmp_path: Path) -> None:
    folder = site(tmp_path, '<a href="https://b.example/x">x</a><a href="../b.css">in</a>')
    twice = '<a href="https://b.example/x">x</a>' * 2
    (folder / "index.html").write_text(
        f'{twice}<a href="https://a.example/">y</a><a href="#z">z</a>'
    )
    assert external(folder) == {
        "https://a.example/": ["index.html"],
        "https://b.example/x": ["a/index.html", "index.html"],
    }
