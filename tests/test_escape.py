import html
import re

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.escape import href, link, text

HOSTILE = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "a | b | c",
    '--8<-- "home.html"',
    ";--8<--",
    "{: onclick=alert(1) }",
    "{ #id .cls onload=x }",
    "![x](http://evil.example/x.png)",
    "<http://evil.example>",
    "# heading",
    "1. list",
    "    code",
    "```\ncode\n```",
    "{{ config }} {% include 'x' %}",
    "&lt;img src=x onerror=alert(1)&gt;",
    "\x02klzzwxh:0000\x03",
    "</td></tr></table>",
    "x\u202egnp.exe",
    "*[HTML]: abbreviation",
    "[ref]: http://evil.example",
]
EXTENSIONS = ["admonition", "attr_list", "def_list", "tables", "toc", "pymdownx.snippets"]
hostile = st.one_of(
    st.text(),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, *"<>|[](){}:#*_`~!&\\\n\"'= -"])).map("".join),
)


def rendered(source: str) -> str:
    return str(markdown.markdown(source, extensions=EXTENSIONS))


def plain(page: str) -> str:
    return html.unescape(re.sub(r"<[^<>]*>", "", page))


@given(hostile)
def test_any_text_comes_out_of_markdown_as_text_and_adds_no_tag(raw: str) -> None:
    shown = text(raw)
    page = rendered(f"before {shown} after")
    assert re.findall(r"<[^<>]*>", page) == ["<p>", "</p>"]
    assert plain(page).split() == f"before {html.unescape(shown)} after".split()


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_what_can_be_seen_is_shown_as_written(raw: str) -> None:
    assert html.unescape(text(raw)).split() == raw.split()


@given(hostile)
def test_any_text_stays_in_its_cell(raw: str) -> None:
    page = rendered(f"| a | b |\n|---|---|\n| {text(raw)} | 1 |\n")
    assert (page.count("<td>"), page.count("<tr>"), page.count("<table>")) == (2, 2, 1)


@given(hostile)
def test_any_text_stays_in_its_heading_and_attribute(raw: str) -> None:
    shown = text(raw)
    tags = re.findall(r"<[^<>]*>", rendered(f'## x {shown}\n\n<p title="{shown}">y</p>'))
    assert [tag.split()[0].strip("<>") for tag in tags] == ["h2", "/h2", "p", "/p"]
    assert "on" not in re.sub(r'"[^"]*"', "", tags[0])


@given(hostile)
def test_any_address_is_http_or_no_link(raw: str) -> None:
    target = href(raw)
    if target is not None:
        assert re.match(r"https?://", html.unescape(target))
        assert not re.search(r"[\s\"'<>`]", target)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "/local",
        "https://",
        "https://user@evil.example/",
        "https://[broken",
        "words",
        "",
    ],
)
def test_other_addresses_are_shown_but_not_linked(url: str) -> None:
    assert href(url) is None
    assert "<" not in link(url, "the words")


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org/a?b=1&c=2#d", "https://example.org/a?b=1&c=2#d"),
        ("example.org/rigs/1", "https://example.org/rigs/1"),
        ('http://example.org/a"><x> b', "http://example.org/a%22%3E%3Cx%3E"),
        ("github.com/x/y FILE.md@2026", "https://github.com/x/y"),
    ],
)
def test_addresses_of_sources_are_linked(url: str, target: str) -> None:
    assert html.unescape(str(href(url))) == target
    assert f'href="{href(url)}"' in link(url, "words")


def test_what_cannot_be_seen_is_marked() -> None:
    assert html.unescape(text("a\u202eb\x00c")) == "a\ufffdb\ufffdc"
