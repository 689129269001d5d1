"""What the built pages point at: every address inside must exist, nothing outside is loaded."""

import html
import os.path
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ingest.problem import Problem

# Elements whose address a browser fetches by itself; `a` it follows only when asked.
_LOADS = {"img", "script", "iframe", "source", "video", "audio", "embed", "object", "input"}
_TABLE = re.compile(r'<div class="frame" .*?\n</div>', re.DOTALL)
_ADDRESS = re.compile(r' (?P<name>href|src|srcset|data|poster)="(?P<target>[^"]*)"')
_ANCHOR = re.compile(r' id="([^"]*)"')
_LOADING_RELS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "modulepreload"}


class Reference(NamedTuple):
    """One address in a page: where it points and whether opening the page fetches it."""

    target: str
    loaded: bool


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Reference] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.anchors.add(values["id"])
        rels = set(values.get("rel", "").split())
        loaded = tag in _LOADS or (tag == "link" and bool(rels & _LOADING_RELS))
        for name in ("href", "src", "data", "poster"):
            if values.get(name):
                self.found.append(Reference(values[name], loaded))
        if values.get("srcset"):
            pieces = (piece.split() for piece in values["srcset"].split(","))
            self.found += [Reference(words[0], loaded=True) for words in pieces if words]


def _read(page: str) -> _Reader:
    """Read the addresses and anchors of a page.

    Our own tables are most of a large site, and every quote in them is encoded: a pattern finds
    their links in a tenth of a parser's time. One that loads something is left to the parser.
    """
    reader = _Reader()

    def take(table: re.Match[str]) -> str:
        addresses = list(_ADDRESS.finditer(table[0]))
        if any(one["name"] != "href" for one in addresses) or "<link" in table[0]:
            return table[0]
        reader.found += (Reference(html.unescape(one["target"]), loaded=False) for one in addresses)
        reader.anchors |= {html.unescape(name) for name in _ANCHOR.findall(table[0])}
        return ""

    reader.feed(_TABLE.sub(take, page))
    return reader


def references(page: str) -> list[Reference]:
    """List every address that stands in a page."""
    return _read(page).found


def link_problems(folder: Path) -> list[Problem]:
    """List addresses in a built site that lead nowhere, and whatever is fetched from elsewhere."""
    pages = {path: _read(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    anchors = {path: reader.anchors for path, reader in pages.items()}
    problems: list[Problem] = []
    for path, reader in pages.items():
        problems += _page_problems(folder, path, reader.found, anchors)
    return problems


def external(folder: Path) -> dict[str, list[str]]:
    """List the addresses outside a built site, each with the pages that point at it.

    Nothing is fetched: whether they answer is for a person to try, not for every build.
    """
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.html")):
        for target in dict.fromkeys(one.target for one in references(path.read_text("utf-8"))):
            if urlsplit(target).netloc:
                found.setdefault(target, []).append(str(path.relative_to(folder)))
    return dict(sorted(found.items()))


def _page_problems(
    folder: Path, path: Path, found: list[Reference], anchors: dict[Path, set[str]]
) -> Iterator[Problem]:
    name = str(path.relative_to(folder))
    for target, loaded in dict.fromkeys(found):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            if loaded and parts.scheme != "data":
                yield Problem(name, "", f"fetches {target!r} from elsewhere; copy it into the site")
            continue
        place = _place(folder, path, unquote(parts.path))
        if not place.exists():
            yield Problem(name, "", f"points at {target!r}, which is not in the site")
        elif parts.fragment and unquote(parts.fragment) not in anchors.get(place, {parts.fragment}):
            yield Problem(name, "", f"points at {target!r}, a page without this anchor")


def _place(folder: Path, page: Path, target: str) -> Path:
    """Find the file that an address in `page` leads to."""
    if not target:
        return page
    # 404.html is served from anywhere, so its addresses start at the root.
    base = folder / target.lstrip("/") if target.startswith("/") else page.parent / target
    place = Path(os.path.normpath(base))
    return place / "index.html" if place.is_dir() else place
