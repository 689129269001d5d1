"""A page of the results: front matter, a heading and blocks of Markdown or safe HTML."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sitegen.escape import Html, text

CHARTS = "charts"

NOT_SEARCHED = "search: { exclude: true }\n"


class Picture(NamedTuple):
    """A chart's file below `charts/`, with its size in CSS pixels, so that nothing jumps."""

    name: str
    svg: str
    width: int
    height: int
    spec: str = ""  # what a browser draws the same chart of, if it may

    def files(self) -> dict[str, str]:
        """Name its files, with what is in them."""
        spec = {self.name.removesuffix(".svg") + ".json": self.spec} if self.spec else {}
        return {self.name: self.svg, **spec}


_SIZE = re.compile(r'<svg[^>]* width="(?P<width>[0-9]+)" height="(?P<height>[0-9]+)"')


def picture(name: str, svg: str) -> Picture:
    """Name a drawing; raises ValueError when it states no size."""
    size = _SIZE.match(svg)
    if size is None:
        raise ValueError(f"{name}: an SVG should state width and height, got {svg[:80]!r}")
    return Picture(name, svg, int(size["width"]), int(size["height"]))


class Page(NamedTuple):
    """One page; `address` lies below the results, and a final slash means a folder's index."""

    address: str
    title: str
    description: str
    blocks: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()
    searched: bool = True  # the index of all pages is fetched with each


def page(
    address: str,
    title: str,
    description: str,
    blocks: Iterable[str],
    pictures: Iterable[Picture] = (),
) -> Page:
    """Make a page, leaving out blocks that say nothing."""
    kept = tuple(block for block in blocks if block)
    return Page(address, title, description, kept, tuple(pictures))


def markdown(one: Page) -> str:
    """Write a page as Markdown. The theme puts title and description into HTML as they are."""
    head = (
        f'---\ntitle: "{text(one.title)}"\ndescription: "{text(one.description)}"\n'
        f"hide: [navigation, toc]\n{'' if one.searched else NOT_SEARCHED}---\n"
    )
    return "\n\n".join([head, f"# {text(one.title)}", *one.blocks]) + "\n"


def write_pages(pages: Iterable[Page], folder: Path) -> dict[str, int]:
    """Write every page below `folder`; give each address and how many pictures its page has.

    Two pages of one address are a bug.
    """
    written = {}
    for one in pages:
        written[one.address] = len(one.pictures)
        stem = f"{one.address}index" if one.address.endswith("/") else one.address
        path = folder / f"{stem}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as opened:
            opened.write(markdown(one))
        for drawn in one.pictures:
            for name, content in drawn.files().items():
                chart = folder / CHARTS / name
                chart.parent.mkdir(exist_ok=True)
                chart.write_text(content, encoding="utf-8")
    return written


def heading(words: str, anchor: str, level: int = 2) -> str:
    """Write a heading whose anchor never changes."""
    return f"{'#' * level} {text(words)} {{ #{anchor} }}"


def section(words: str, anchor: str) -> str:
    """Write the heading of a section that many pages have: it would only fill the search index."""
    return f"## {text(words)} {{ #{anchor} data-search-exclude }}"


def paragraph(shown: Html | str, kind: str = "") -> Html:
    """Write a paragraph of safe HTML."""
    return Html(f'<p class="{kind}">{shown}</p>' if kind else f"<p>{shown}</p>")


def facts(pairs: Iterable[tuple[str, Html]]) -> Html:
    """Write what is known of one thing as a list of terms."""
    items = "".join(f"<div><dt>{text(term)}</dt><dd>{shown}</dd></div>" for term, shown in pairs)
    return Html(f'<dl class="facts" data-search-exclude>{items}</dl>')
