"""One collected row: where it stands, what it means in catalogue terms, what it merges with."""

import json
import re
from collections.abc import Iterable
from datetime import date as Date  # noqa: N812 - like the bundle's
from pathlib import Path
from typing import Any, NamedTuple

from ingest.bundle import Source
from ingest.catalog import Alias, Catalog, ModelEntry, Variant, fold
from ingest.problem import Problem

CLUB = "github.com/noonghunna/club-3090"
"""The project whose rows are club rows: its addresses are written short in the collection."""

# Address → kind of source, first match wins.
_KINDS: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"/issues/\d+"), "issue"),
    (re.compile(r"/(?:discussions|pull)/\d+"), "thread"),
    (re.compile(r"BENCHMARKS\.md|OFFLOAD_MATRIX"), "table"),
    (re.compile(r"comment\)$"), "comment"),
)


class Collected(NamedTuple):
    """A row as it stands in a file of the collection."""

    file: str
    line: int
    text: str
    row: dict[str, Any]

    @property
    def club(self) -> bool:
        """Tell whether the row is of the club's own files."""
        return self.file.startswith("club")


def collected(paths: Iterable[Path]) -> tuple[list[Collected], list[Problem]]:
    """Read every row of the files; a line that is no JSON object is a problem."""
    rows: list[Collected] = []
    problems: list[Problem] = []
    for path in paths:
        for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if not text.strip():
                continue
            row = _object(text)
            if row is None or not row.get("source"):
                wanted = "should be one JSON object with a source; mend the line"
                problems.append(Problem(str(path), f"line {number}", wanted))
            else:
                rows.append(Collected(path.stem, number, text, row))
    return _spelled_out(rows), problems


_SAME = re.compile(r"^same\b(?: (?:plus|with|but))?\s*", re.IGNORECASE)


def _spelled_out(rows: Iterable[Collected]) -> list[Collected]:
    """Write out offloads that only say how they differ from the row before of the same source."""
    last: dict[tuple[object, ...], str] = {}
    full = []
    for one in rows:
        key = (one.file, one.row["source"], one.row.get("rig"), one.row.get("model"))
        told = one.row.get("offload")
        if isinstance(told, str) and _SAME.search(told) and key in last:
            rest = _SAME.sub("", told)
            one = one._replace(row=one.row | {"offload": f"{last[key]} {rest}".strip()})  # noqa: PLW2901
        if isinstance(told, str):
            last[key] = one.row["offload"]
        full.append(one)
    return full


def _object(text: str) -> dict[str, Any] | None:
    try:
        row = json.loads(text)
    except json.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


def address(source: str, *, club: bool) -> str:
    """Write a row's source the one way: with its repository, issues and pull requests as paths.

    The line of a table stays in the raw row alone: a table's section is one source.
    """
    short = re.match(r"^(issue|PR) #(\d+)$", source)
    if short:
        return f"{CLUB}/{'issues' if short.group(1) == 'issue' else 'pull'}/{short.group(2)}"
    if source.startswith("club-3090 "):
        return f"{CLUB} {source.removeprefix('club-3090 ')}"
    source = re.sub(r" \((?:row line|ref) [^)]*\)$", "", source)
    known = "github.com/" in source or "huggingface.co/" in source
    return f"{CLUB} {source}" if club and not known else source


def source_of(one: Collected) -> Source:
    """Name the source of a row; a date that is no full day is left to the raw row."""
    url = address(str(one.row["source"]), club=one.club)
    kind = next((kind for pattern, kind in _KINDS if pattern.search(url)), "document")
    handle = plain_handle(one.row.get("handle"))
    return Source(kind=kind, url=url, author=handle, date=day(one.row.get("date")))


def plain_handle(handle: object) -> str | None:
    """Strip what the collector wrote behind a handle: `milano (Discord)` is milano."""
    text = re.sub(r"\s*\(.*$", "", str(handle or "")).strip()
    return text or None


def day(text: object) -> Date | None:
    """Read a full ISO date; None for a month or for nothing."""
    found = re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(text or ""))
    return Date.fromisoformat(found.group()) if found else None


class Named(NamedTuple):
    """A row's names in catalogue ids, None where nothing is meant; `unmapped` lists spellings."""

    model: ModelEntry | None
    quant: str | None
    engine: str | None
    slug: str | None
    unmapped: tuple[str, ...]

    @property
    def variant(self) -> Variant | None:
        """The catalogue's variant of model and quant."""
        return self.model.variant(self.quant) if self.model and self.quant else None


def named(row: dict[str, Any], catalog: Catalog) -> Named:
    """Map a row's spellings through the alias tables."""
    unmapped: list[str] = []

    def known(field: str, aliases: tuple[Alias, ...], table: Iterable[str]) -> str | None:
        spelled = row.get(field)
        found = mapped(spelled, aliases, table) if spelled else ""
        if found is None:
            unmapped.append(f"{field} {spelled!r}")
        return found or None

    model = known("model", catalog.model_aliases, catalog.models)
    quant = known("quant", catalog.quant_aliases, catalog.quants)
    engine = known("engine", catalog.engine_aliases, catalog.engines)
    slug = known("slug", catalog.slug_aliases, catalog.slugs)
    entry = catalog.slugs.get(slug or "")
    if entry and quant is None and not row.get("quant") and model == entry.model:
        quant = entry.quant
    if entry and (entry.model, entry.quant) != (model, quant):
        slug = None
    return Named(catalog.models.get(model or ""), quant, engine, slug, tuple(unmapped))


def mapped(spelled: str, aliases: Iterable[Alias], table: Iterable[str]) -> str | None:
    """Find the catalogue id of a spelling: "" where it names none, None where it is not mapped."""
    wanted = fold(spelled)
    for alias in aliases:
        if fold(alias.spelled) == wanted:
            return alias.to
    return next((one for one in table if fold(one) == wanted), None)


class Merged(NamedTuple):
    """One public number set: the rows that tell of it, fullest first, and their fields joined."""

    rows: tuple[Collected, ...]
    row: dict[str, Any]
    named: Named

    @property
    def club(self) -> bool:
        """Tell whether it is of the club's files."""
        return self.rows[0].club


def merged(rows: Iterable[Collected], catalog: Catalog) -> list[Merged]:
    """Join rows of different club files that tell of the same public run.

    The same run is: one handle, model, protocol, workload and figure. A row without any figure is
    the same where address, handle and model agree. Rows of one file are never joined.
    """
    groups: list[list[Collected]] = []
    at: dict[tuple[object, ...], list[list[Collected]]] = {}
    for one in sorted(rows, key=lambda one: (_FULLEST.get(one.file, 0), one.file, one.line)):
        key = _identity(one, catalog) if one.club else None
        open_groups = at.setdefault(key, []) if key else []
        home = next((g for g in open_groups if one.file not in {o.file for o in g}), None)
        if home is not None:
            home.append(one)
            continue
        group = [one]
        groups.append(group)
        open_groups.append(group)
    return [_join(tuple(group), catalog) for group in groups]


# Threads tell most of a rig, tables of offload least; the first row of a group leads.
_FULLEST = {"club-threads": 0, "club-tables": 1, "club-tables-resident": 2}


def _identity(one: Collected, catalog: Catalog) -> tuple[object, ...]:
    row = one.row
    handle = (plain_handle(row.get("handle")) or "").casefold()
    model = mapped(str(row.get("model") or ""), catalog.model_aliases, catalog.models)
    figure = row.get("decode_tps") or row.get("wall_tps")
    if figure is None:
        return ("none", address(str(row["source"]), club=True), handle, model, row.get("slug"))
    return (handle, model, row.get("protocol"), row.get("workload"), float(figure))


def _join(rows: tuple[Collected, ...], catalog: Catalog) -> Merged:
    row: dict[str, Any] = {}
    for one in rows:
        row |= {key: value for key, value in one.row.items() if row.get(key) is None}
    row["inferred"] = [word for one in rows for word in one.row.get("inferred", [])]
    cache = [one.row["moe_cache"] for one in rows if isinstance(one.row.get("moe_cache"), dict)]
    if cache:
        # The wordier cell says what its number counts.
        row["moe_cache"] = max(cache, key=lambda told: (len(str(told.get("mib"))), str(told)))
        hits = [told["hit"] for told in cache if told.get("hit") is not None]
        row["moe_cache"] = {**row["moe_cache"], "hit": hits[0] if hits else None}
    return Merged(rows, row, named(row, catalog))
