"""`read`: any text that people paste → `Reading`. The only way in."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ingest.bundle import Bundle, Source
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.misuse import Misuse
from ingest.problem import Problem
from ingest.readers.assemble import Context, assemble
from ingest.readers.formats import FORMATS, Format
from ingest.readers.item import Doubt, Fact, Item, Number
from ingest.readers.missing import missing
from ingest.readers.part import Part
from ingest.readers.post import Post, Stretch, posts_of, stretches
from ingest.readers.quality import FORMAT as QUALITY
from ingest.readers.reading import Inferred, Reading, Understood, Unread
from ingest.readers.report.block import HEADER
from ingest.readers.report.soak import dropdown
from ingest.readers.report.whole import is_report, read_report
from ingest.readers.text import Line, OversizedError, decode, lines_of, one_newline, restored, sized
from ingest.redact import redact
from ingest.rules import rule_problems

REPORT = "club-report"
MAX_UNREAD = 200
"""More than a person looks through; the count of the rest is told."""


def format_names() -> list[str]:
    """List what `--as` may name."""
    return [REPORT, *(one.name for one in FORMATS)]


def read(
    content: bytes | str, source: Source, catalog: Catalog, forced: str | None = None
) -> Reading:
    """Read `content`, which came from `source`; `forced` names its format where it is known.

    Whatever stands there, the answer is a `Reading`: what cannot be read is a problem in it.
    """
    if forced is not None and forced not in format_names():
        raise Misuse(f"no format {forced!r}; one of {', '.join(format_names())}")
    try:
        raw = content if isinstance(content, str) else decode(content)
        redacted = redact(sized(one_newline(raw)))
        lines = restored(lines_of(redacted.text))
    except OversizedError as error:
        problem = Problem(source.url, "", str(error))
        return Reading("", (), (), (), (problem,))
    groups = _groups(lines, forced, source.author)
    understood, problems = [], []
    for parts in groups:
        others = [part for group in groups if group is not parts for part in group]
        text = _own_text(redacted.text, parts, others) if others else redacted.text
        found, doubts = _understood(_joined(parts), Context(catalog, source, text))
        understood += found
        problems += doubts
    problems += _attachments(source, lines)
    seen = {item.line for group in groups for part in group for item in _items(part)}
    unread, rest = _unread(lines, seen)
    problems += _nothing(source, understood) + _too_many(source, rest)
    return Reading(redacted.text, tuple(understood), unread, redacted.taken, tuple(problems))


def _items(part: Part) -> Iterator[Item]:
    yield from part.rig
    for run in part.runs:
        yield from run


def _groups(lines: Sequence[Line], forced: str | None, author: str | None) -> list[list[Part]]:
    """Find the parts of a text and put together those that are about one rig state."""
    groups: list[list[Part]] = []
    writer = author
    for post in posts_of(lines):
        other = post.other_author or post.author not in (None, writer)
        for index, part in enumerate(_parts(post, forced)):
            if part.describes_rig or (other and index == 0) or not groups:
                writer = None if post.other_author else post.author or writer
                groups.append([part._replace(author=writer)])
            else:
                groups[-1].append(part)
    return [group for group in groups if any(_says_anything(part) for part in group)]


def _says_anything(part: Part) -> bool:
    return any(isinstance(item, Fact | Number) for item in _items(part))


def _parts(post: Post, forced: str | None) -> Iterator[Part]:
    found = list(stretches(post))
    reports = [one for one in found if forced in (None, REPORT) and is_report(one.lines)]
    headed = [one for one in reports if any(HEADER in line.text for line in one.lines)]
    rest = [one for one in found if one not in reports]
    pieces = [one for one in reports if one not in headed]
    chosen = tuple(item for one in rest for item in dropdown(one.lines))
    if headed:
        extra = [line for piece in pieces for line in piece.lines]
        first, *others = headed
        whole = tuple(sorted((*first.lines, *extra)))
        yield _with_items(_report(whole), chosen)
        yield from (_report(other.lines) for other in others)
    elif pieces:
        yield _with_items(_report([line for piece in pieces for line in piece.lines]), chosen)
    beside = list(_of_other_formats(rest, forced))
    if beside and not reports:
        beside[0] = _with_items(beside[0], chosen)
    yield from beside


def _report(lines: Sequence[Line]) -> Part:
    return _covering(read_report(lines), lines)


def _covering(part: Part, lines: Iterable[Line]) -> Part:
    return part._replace(covers=frozenset(line.number for line in lines))


def _with_items(part: Part, items: tuple[Item, ...]) -> Part:
    return part._replace(runs=((*part.runs[0], *items), *part.runs[1:])) if part.runs else part


def _of_other_formats(rest: Iterable[Stretch], forced: str | None) -> Iterator[Part]:
    lines = [line for one in rest for line in one.lines]
    seen: set[int] = set()
    for one in FORMATS:
        # What people write by hand is looked for last, in what no program printed.
        left = [line for line in lines if line.number not in seen] if one.last else lines
        if forced in (None, one.name) and left and _fits(one, left, forced):
            for part in one.read(left):
                seen.update(item.line for item in _items(part))
                yield _covering(part, left)


def _fits(one: Format, lines: Sequence[Line], forced: str | None) -> bool:
    return forced is not None or one.fits(lines)


class _Joined(NamedTuple):
    part: Part
    notes: tuple[Doubt, ...]


def _joined(parts: Sequence[Part]) -> _Joined:
    """Make one part of several about one rig; say where the later ones do not describe it."""
    first, *others = parts
    notes = tuple(
        Doubt(
            other.first,
            "no hardware is described here: taken as the same rig as before",
            "note",
        )
        for other in others
        if first.describes_rig and other.format == REPORT
    )
    whole = first._replace(
        format=next((part.format for part in parts if part.runs), first.format),
        last=max(part.last for part in parts),
        rig=tuple(item for part in parts for item in part.rig),
        runs=_runs(parts),
    )
    return _Joined(whole, notes)


def _runs(parts: Sequence[Part]) -> tuple[tuple[Item, ...], ...]:
    """Collect the runs; scores of a quality pack belong to the one run beside them."""
    scores = [run for part in parts if part.format == QUALITY for run in part.runs]
    runs = [run for part in parts if part.format != QUALITY for run in part.runs]
    if len(runs) == 1 and scores:
        return ((*runs[0], *(item for run in scores for item in run)),)
    return (*runs, *scores)


def _understood(joined: _Joined, context: Context) -> tuple[list[Understood], list[Problem]]:
    bundle, doubts = assemble(joined.part, context)
    url = context.source.url
    problems = [
        Problem(url, f"line {doubt.line}" if doubt.line else "", doubt.message, doubt.severity)
        for doubt in sorted({*doubts, *joined.notes}, key=lambda one: (one.line, one.message))
    ]
    if bundle is None:
        problems.append(
            Problem(url, f"line {joined.part.first}", "no bundle could be made of this")
        )
        return [], problems
    filed = Filed(url, bundle, (), "")
    problems += rule_problems(filed, context.catalog)
    problems += [Problem(url, at, message, "note") for at, message in missing(bundle)]
    found = Understood(joined.part.format, bundle, context.text, tuple(_inferred(bundle)))
    return [found], problems


def _inferred(bundle: Bundle) -> Iterator[Inferred]:
    for at, entry in sorted(bundle.provenance.items()):
        if entry.how == "inferred":
            yield Inferred(at, entry.note)
    for i, run in enumerate(bundle.runs):
        for j, measurement in enumerate(run.measurements):
            if measurement.how == "inferred":
                note = f"{measurement.quantity} computed from figures of the text"
                yield Inferred(f"/runs/{i}/measurements/{j}", note)


def _own_text(text: str, own: Sequence[Part], others: Iterable[Part]) -> str:
    """Blank the lines of other bundles, so that numbers hold and reading it again gives one."""
    mine = frozenset().union(*(part.covers for part in own))
    foreign = frozenset().union(*(part.covers for part in others)) - mine
    lines = text.split("\n")
    return "\n".join("" if n in foreign else line for n, line in enumerate(lines, start=1))


def _unread(lines: Iterable[Line], seen: set[int]) -> tuple[tuple[Unread, ...], int]:
    """List lines that hold a figure and were not understood."""
    found = [
        Unread(line.number, line.text.strip()[:200])
        for line in lines
        if line.number not in seen and any("0" <= c <= "9" for c in line.text)
    ]
    return tuple(found[:MAX_UNREAD]), max(0, len(found) - MAX_UNREAD)


def _nothing(source: Source, understood: Sequence[Understood]) -> list[Problem]:
    if understood:
        return []
    known = ", ".join(format_names())
    message = f"nothing was recognised; known formats: {known}; name one with --as"
    return [Problem(source.url, "", message)]


_ATTACHED = re.compile(r"https://github\.com/user-attachments/files/[0-9]{1,12}/[\w.-]{1,100}")
MAX_ATTACHMENTS = 20


def _attachments(source: Source, lines: Iterable[Line]) -> list[Problem]:
    """Name the reports that are only linked: the person can give them as well."""
    found = [
        (line.number, link[0])
        for line in lines
        if "user-attachments" in line.text and (link := _ATTACHED.search(line.text))
    ]
    return [
        Problem(source.url, f"line {number}", f"a file is attached; rigbook read {link}", "note")
        for number, link in found[:MAX_ATTACHMENTS]
    ]


def _too_many(source: Source, rest: int) -> list[Problem]:
    if not rest:
        return []
    return [Problem(source.url, "", f"{rest} more lines with figures were not read", "note")]
