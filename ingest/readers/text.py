"""A pasted text as numbered lines, with the damage of copying repaired.

Numbers are those of the text as stored: a line keeps its number whatever is repaired in it, and a
line joined from several has the number of its first. Terminal colours, quote marks, bullets,
zero-width characters, mojibake and copied escapes go; nothing else is touched.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MAX_BYTES = 2_000_000
"""Fifty whole reports. A longer log has to be cut: any paste is answered in two seconds."""

MAX_LINES = 30_000
"""A 40 kB report has 700 lines."""

MAX_LINE_CHARS = 4_000
"""The longest known line, a serving argv with placement rules, has about 2,000 characters.

What stands behind is not matched, so that no pattern can meet a line of megabytes. Lines that
start a JSON document are kept whole: they are decoded, not matched.
"""


class Line(NamedTuple):
    """One repaired line and its number in the stored text, counted from 1."""

    number: int
    text: str


class OversizedError(ValueError):
    """The text is larger than any report; the message says what to do."""


def decode(content: bytes) -> str:
    """Turn bytes into text, whatever they are: UTF-16 by its mark, else UTF-8 with replacement."""
    if len(content) > MAX_BYTES:
        raise OversizedError(
            f"should be at most {MAX_BYTES:,} bytes, got {len(content):,}; cut the log"
        )
    utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    return content.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")


def one_newline(raw: str) -> str:
    """Write every line end as a newline and drop NULs; the rule that line numbers rest on."""
    return raw.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def sized(text: str) -> str:
    """Give `text` back; raises `OversizedError` when it is larger than any report."""
    chars, count = len(text), text.count("\n")
    if chars > MAX_BYTES:
        raise OversizedError(
            f"should have at most {MAX_BYTES:,} characters, got {chars:,}; cut the log"
        )
    if count > MAX_LINES:
        raise OversizedError(f"should have at most {MAX_LINES:,} lines, got {count:,}; cut the log")
    return text


_ESCAPES = re.compile(
    r"\x1b\[[0-9;?]{0,20}[A-Za-z]"  # a real escape
    r"|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)"  # a terminal title or link
    r"|\\033\[[0-9;]{0,12}m"  # printed as text by a plain echo
    r"|\[(?:[012]|3[0-7]|9[0-7])(?:;[0-9]{1,3}){0,3}m"  # the escape character was lost
)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\ufe0e\x1b\x08"))
_BLANKS = {ord(c): " " for c in "\u00a0\u2007\u202f\u2009\u200a\u2002\u2003\t\x0b\x0c\x85"}
_TRANSLATION = {**_INVISIBLE, **_BLANKS, ord("\u2212"): "-", ord("\u2011"): "-"}

# UTF-8 read as Windows-1252, the usual double encoding, and what it was.
_MOJIBAKE = {sign.encode().decode("cp1252", errors="ignore"): sign for sign in "—–→✓✗⚠⊘×·±≥≤"}
_MOJIBAKE_PATTERN = re.compile("|".join(map(re.escape, _MOJIBAKE)))
_JSON_START = re.compile(r" {0,40}(?:data: )?(?:\{|\[ {0,40}(?:\{|\[|$))")
_QUOTE = re.compile(r"(?: {0,3}> ?){1,20}")
_BULLET = re.compile(r"( *)[•◦▪‣*] +")
_NOT_PLAIN = re.compile(r"[^\x20-\x7e\n]")


def lines_of(raw: str) -> tuple[Line, ...]:
    """Split `raw` into repaired lines, blank ones included.

    Raises `OversizedError` when it is larger than any report.
    """
    text = sized(one_newline(raw))
    if _NOT_PLAIN.search(text):
        if "â" in text or "Ã" in text or "Â" in text:
            text = _MOJIBAKE_PATTERN.sub(lambda found: _MOJIBAKE[found[0]], text)
        text = _ESCAPES.sub("", text).translate(_TRANSLATION)
    else:
        text = _ESCAPES.sub("", text)
    return tuple(_lines(text))


def _lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), start=1):
        whole = len(line) > MAX_LINE_CHARS and _JSON_START.match(line)
        repaired = (line if whole else line[:MAX_LINE_CHARS]).rstrip()
        if ">" in repaired[:4]:
            repaired = repaired[_quote_width(repaired) :]
        bullet = _BULLET.match(repaired)
        if bullet:
            repaired = f"{bullet[1]}- {repaired[bullet.end() :]}"
        yield Line(number, repaired)


def _quote_width(line: str) -> int:
    found = _QUOTE.match(line)
    return found.end() if found else 0


_STARTS = ("-", "#", "|", "=", "[", "`", "<", "_", "**", "+", "•", "✓", "✗", "⚠", "ℹ")
_WRAP_FROM_CHARS = 60
"""Terminals and renderers wrap near 80 columns; a shorter line was ended by its writer."""


def unwrapped(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Join bullets that a terminal or renderer wrapped over several lines."""
    joined: list[Line] = []
    last_chars = 0
    for line in lines:
        stripped = line.text.strip()
        continues = (
            joined
            and last_chars >= _WRAP_FROM_CHARS
            and joined[-1].text.lstrip().startswith("- ")
            and line.text.startswith(" ")
            and stripped
            and not stripped.startswith(_STARTS)
        )
        if continues:
            joined[-1] = Line(joined[-1].number, f"{joined[-1].text} {stripped}"[:MAX_LINE_CHARS])
        else:
            joined.append(line)
        last_chars = len(line.text)
    return tuple(joined)


# Lines that a report always has: they tell which name a redaction replaced inside words.
ANCHORS = (
    "# club-3090 rig report",
    "## System",
    "## CPU + RAM",
    "## Disk",
    "## GPU hardware",
    "## Display / desktop state",
    "## Container runtime",
    "## Stack version",
    "## Profile state",
    "## Active container",
    "## Recent failed boot attempts",
    "## verify-full.sh output",
    "## verify-stress.sh output",
    "## bench.sh output",
    "## bench-agentic.sh output",
    "## Check summary",
    "## Soak status",
    "### Topology",
    "=== warmups (3) ===",
    "=== measured (5) ===",
    "=== GPU state ===",
    "=== summary [narrative] (n=5) ===",
    "=== summary [code] (n=5) ===",
)
TAGS = ("<USER>", "<HOST>")
_MAX_NAME_CHARS = 12


def restored(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Undo a redaction that ate ordinary words, where the fixed lines of a report tell its name.

    Only the tag inside a word is undone; one that stands alone stays a redacted name.
    """
    for tag in TAGS:
        name = _eaten(lines, tag)
        if name:
            inside = re.compile(rf"(?<=[A-Za-z0-9]){tag}|{tag}(?=[A-Za-z0-9])")
            lines = tuple(Line(line.number, inside.sub(name, line.text)) for line in lines)
    return lines


def _eaten(lines: Sequence[Line], tag: str) -> str | None:
    votes: Counter[str] = Counter()
    for line in lines:
        if tag in line.text and line.text[:1] in "#=":
            votes.update(_candidates(line.text.strip(), tag))
    return max(votes, key=lambda name: votes[name]) if votes else None


def _candidates(damaged: str, tag: str) -> Iterator[str]:
    parts = damaged.split(tag)
    kept = sum(map(len, parts))
    for anchor in ANCHORS:
        chars, rest = divmod(len(anchor) - kept, len(parts) - 1)
        if rest or not 1 <= chars <= _MAX_NAME_CHARS or not anchor.startswith(parts[0]):
            continue
        name = anchor[len(parts[0]) : len(parts[0]) + chars]
        if name.join(parts) == anchor:
            yield name
