"""Text of reports → text that Markdown and HTML show and never act on. Nothing else escapes.

One encoding serves Markdown, HTML text and quoted attributes: everything but letters, digits,
spaces and a few signs without meaning there becomes a numeric entity. Markdown sees no mark-up in
it, mkdocs' snippets and attribute lists see none of their signs, and a browser shows what was
written.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NewType
from urllib.parse import quote, urlsplit

Html = NewType("Html", str)
"""Text that is safe to put into a page. Only this module and what builds on it make any."""

NOTHING = Html("")

# Controls, invisible format marks (they can reverse a line), surrogates and private use. Markdown
# keeps its own place-holders among the controls.
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

# Every sign that Markdown, HTML or mkdocs could act on. Signs beyond ASCII, commas, slashes and per
# cents are harmless anywhere; dots and hyphens inside a word, too ("1." and "--" are not).
_MEANT = re.compile(r"(?![a-zA-Z0-9 ,/%]|(?<=[a-zA-Z0-9])[.-][a-zA-Z0-9])[\x00-\x7f]")

_URL_SAFE = "/?&=#:@!$'()*+,;~%-._[]"
_BARE_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(/|$)", re.IGNORECASE)


def text(raw: object) -> Html:
    """Encode `raw` for any place in a page; runs of white space become one space."""
    return _encoded(str(raw))


@lru_cache(maxsize=100_000)
def _encoded(raw: str) -> Html:
    words = " ".join(_shown(raw).split())
    return Html(_MEANT.sub(lambda sign: f"&#{ord(sign[0])};", words))


def _shown(raw: str) -> str:
    """Replace what cannot be seen by a mark that can, so that nothing hides in a name."""
    if raw.isascii() and raw.isprintable():
        return raw
    return "".join(
        letter if letter.isspace() or unicodedata.category(letter) not in _HIDDEN else "\ufffd"
        for letter in raw
    )


def outside(url: str) -> str | None:
    """Clean an address outside this site, or None unless it is plain http(s) with a host.

    Sources in bundles are written without scheme ("github.com/…"): they are read as https. An
    address ends at the first white space; what follows are words about the place in it.
    """
    address = next(iter(url.split()), "")
    if _BARE_HOST.match(address):
        address = f"https://{address}"
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        return None
    return quote(address, safe=_URL_SAFE)


def href(url: str) -> Html | None:
    """Encode an address outside for a quoted `href`, or None where it may not be linked."""
    address = outside(url)
    return None if address is None else text(address)


def link(url: str, words: object) -> Html:
    """Link `words` to a source outside, or give the words alone when the address will not do."""
    target = href(url)
    shown = text(words)
    if target is None:
        return shown
    return Html(f'<a href="{target}" rel="nofollow noopener ugc">{shown}</a>')


def inside(target: str, words: object) -> Html:
    """Link `words` to a page of this site; `target` is an address that this program made."""
    return Html(f'<a href="{text(target)}">{text(words)}</a>')


def joined(parts: list[Html], between: str = " ") -> Html:
    """Join pieces that are safe already; `between` is this program's own text."""
    return Html(between.join(part for part in parts if part))


def verbatim(raw: str) -> Html:
    """Keep the lines and spaces of a text, which `text` folds."""
    return Html("\n".join(_kept(line) for line in raw.splitlines()))


def _kept(line: str) -> str:
    # An empty line would end the block in Markdown's eyes.
    return "&#32;".join(text(word) for word in line.split(" ")) if line.strip() else "&#32;"
