"""Text and files that came out of an untrusted job: shown quietly, taken over only if plain.

The workflow of a pull request is the pull request's own, so its artifact may hold anything.
"""

import html
import re
import unicodedata
from pathlib import Path

MAX_CHARS = 60_000
"""A comment on GitHub holds 65,536 characters."""

MAX_FILE_BYTES = 5_000_000
MAX_FILES = 80

TAGS = (
    "code", "details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td", "small",
    "b", "i", "ul", "li", "dl", "dt", "dd", "div", "span", "p", "br",
)  # fmt: skip
"""Tags that a review is made of; none loads, links or runs anything, and none keeps attributes."""

_TAG = re.compile(rf"&lt;(/?)({'|'.join(TAGS)})(?:\s[^<>]*?)?&gt;")
_ENTITY = re.compile(r"&amp;(#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot);")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


def quiet(raw: str) -> str:
    """Write text for a comment: no link, picture, mention, reference or unknown tag is left."""
    text = "".join(c for c in raw if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Co"))
    text = text[:MAX_CHARS]
    text = html.escape(text, quote=False)
    text = _TAG.sub(r"<\1\2>", text)
    text = _ENTITY.sub(_kept, text)
    text = re.sub(r"([\[\]!`~@#])", _numbered, text)
    text = re.sub(r"(?i)(https?|ftp|www)(?=[:.])", r"\1&#8203;", text)
    return text if len(text) <= MAX_CHARS else text[:MAX_CHARS].rpartition("\n")[0]


def _kept(found: re.Match[str]) -> str:
    """Keep an entity, unless it is a sign that a forge reads in text: those get a gap."""
    sign = html.unescape(f"&{found[1]};")
    return f"&{found[1]};&#8203;" if sign in "@#" else f"&{found[1]};"


def _numbered(found: re.Match[str]) -> str:
    sign = found[1]
    if sign == "#" and _heads_or_entity(found):
        return sign
    gap = "&#8203;" if sign in "@#" else ""
    return f"&#{ord(sign)};{gap}"


def _heads_or_entity(found: re.Match[str]) -> bool:
    """Tell whether a # starts a heading or an entity that this module let stand."""
    text, start = found.string, found.start()
    if start and text[start - 1] == "&":
        return True
    line = text.rfind("\n", 0, start) + 1
    return re.fullmatch(r"#{0,3}", text[line:start]) is not None and bool(
        re.match(r"#{1,4} ", text[start:])
    )


def plain_files(root: Path) -> dict[str, bytes]:
    """Take over `<machine>/<bundle>/<file>` below `root`; raises ValueError for anything else."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise ValueError(f"{path.name!r} is no plain file")
        if not all(_PLAIN.fullmatch(part) and ".." not in part for part in parts):
            raise ValueError(f"{path.name!r} is no plain name")
        if path.is_dir():
            continue
        allowed = ("report.json", "report.md", "rows.jsonl", "status.jsonl")
        if len(parts) != 3 or parts[2] not in allowed:
            raise ValueError(f"{'/'.join(parts)!r} is no file of a bundle")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ValueError(f"{'/'.join(parts)!r} is too large")
        found["/".join(parts)] = path.read_bytes()
        if len(found) > MAX_FILES:
            raise ValueError(f"more than {MAX_FILES} files")
    return found
