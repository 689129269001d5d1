"""What the built pages point at: every address inside must exist, nothing outside is loaded."""

import html
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


def references(page: str) -> list[Reference]:
    """List every address that stands in a page.

    Our own tables are most of a large site, and every quote in them is encoded: a pattern finds
    their links in a tenth of a parser's time. One that loads something is left to the parser.
    """
    found: list[Reference] = []

    def take(table: re.Match[str]) -> str:
        addresses = list(_ADDRESS.finditer(table[0]))
        if any(one["name"] != "href" for one in addresses) or "<link" in table[0]:
            return table[0]
        found.extend(Reference(html.unescape(one["target"]), loaded=False) for one in addresses)
        return ""

    reader = _Reader()
    reader.feed(_TABLE.sub(take, page))
    return [*reader.found, *found]


def link_problems(folder: Path) -> list[Problem]:
    """List addresses in a built site that lead nowhere, and whatever is fetched from elsewhere."""
    problems: list[Problem] = []
    for path in sorted(folder.rglob("*.html")):
        problems += _page_problems(folder, path)
    return problems


def _page_problems(folder: Path, path: Path) -> Iterator[Problem]:
    name = str(path.relative_to(folder))
    for target, loaded in dict.fromkeys(references(path.read_text("utf-8"))):
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            if loaded and parts.scheme != "data":
                yield Problem(name, "", f"fetches {target!r} from elsewhere; copy it into the site")
        elif parts.path and not _exists(folder, path, unquote(parts.path)):
            yield Problem(name, "", f"points at {target!r}, which is not in the site")


def _exists(folder: Path, page: Path, target: str) -> bool:
    # 404.html is served from anywhere, so its addresses start at the root.
    base = folder / target.lstrip("/") if target.startswith("/") else page.parent / target
    return (base / "index.html").exists() if base.is_dir() else base.exists()
