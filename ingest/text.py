"""Text of a submission that only looks harmless. Rules like those of `rules.py`.

Pages, tables and downloads escape whatever stands in a bundle, so none of this could run there. It
is named all the same: no honest report needs it, and somebody else's tool may escape less.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.rules import Finding, rule

MAX_NUMBERS = 5_000
"""Of one bundle: a hundred times the most of the public record."""

NAMES = re.compile(
    r"^/(submitter|sources/\d+/(url|author)"
    r"|rig/(cpu/model|memory/kind|gpus/\d+/name)"
    r"|runs/\d+/(slug|weights/quant|engine/build|launch/(kv|drafter/kind)))$"
)
"""Fields that name a thing or a person: plain letters are enough for each."""

CODE = {
    "HTML": re.compile(r"<\s*/?\s*[a-zA-Z!]|&#?\w+;|javascript:", re.IGNORECASE),
    "Markdown": re.compile(r"!?\[[^\]]*\]\(|`|^\s*#+ ", re.MULTILINE),
    "a template": re.compile(r"\{\{|\{%|\$\{"),
    "SQL": re.compile(
        r"['\"]\s*;|--\s*$|\b(union\s+select|drop\s+table|insert\s+into|delete\s+from)\b",
        re.IGNORECASE,
    ),
    "a spreadsheet formula": re.compile(r"^[=+@\t]|^-(?=[A-Za-z(@=])"),
}
"""What text must hold to be read as code by a page, a table or a spreadsheet."""


LAUNCH = re.compile(r"/launch/(argv|offload/rules)$")
"""Launch lines are code, and shown as such."""


@rule("error")
def no_hidden_characters(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No text holds characters that are not seen: controls, zero widths, changes of direction."""
    for pointer, text in filed.bundle.texts:
        if text.isascii() and text.isprintable():
            continue
        for character in text:
            if unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn", "Cs"):
                yield pointer, f"holds the unseen character U+{ord(character):04X}; remove it"
                break


@rule("error")
def names_in_plain_letters(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A name is of plain letters: one of another script looks the same and is another name."""
    for pointer, text in filed.bundle.texts:
        if text.isascii():
            continue
        odd = next((c for c in text if ord(c) > 127 and c.isalpha()), None)
        if odd and NAMES.match(pointer):
            name = unicodedata.name(odd, f"U+{ord(odd):04X}")
            yield pointer, f"holds {name}, which is no letter of a-z; type the name anew"


@rule("flag")
def text_is_no_code(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No text reads as code to a page, a table or a spreadsheet."""
    for pointer, text in filed.bundle.texts:
        if LAUNCH.search(pointer):
            continue
        kind = _reads_as(text)
        if kind:
            yield pointer, f"reads as {kind}; say it in plain words (it is shown escaped)"


# Most texts are words of a list, which every run and every report repeats.
@lru_cache(maxsize=1 << 14)
def _reads_as(text: str) -> str | None:
    return next((kind for kind, pattern in CODE.items() if pattern.search(text)), None)


@rule("error")
def a_report_not_a_dump(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A bundle is one report: its runs and numbers can be read by a person."""
    numbers = sum(len(run.measurements) for run in filed.bundle.runs)
    if numbers > MAX_NUMBERS:
        text = f"at most {MAX_NUMBERS:,} numbers, got {numbers:,}; split the bundle by series"
        yield "runs", text
