"""The public record as collected (JSONL rows, the seed thread's table) → committed bundles."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ingest.catalog import Catalog, load_catalog
from ingest.filing import Draft, Parts, sealed, stray_folders, write_draft
from ingest.problem import Problem, has_errors
from ingest.record.bundles import parts_of
from ingest.record.machine import Machine, machine_of, states
from ingest.record.overlap import absorbed
from ingest.record.row import Collected, Merged, address, collected, merged
from ingest.seed import read_seed, seed_parts
from ingest.shipped import shipped

Group = tuple[Machine, str, str]
"""Machine, rig state, address of the source: what makes one bundle."""


def import_record(paths: Iterable[Path], seed: Path | None, out: Path) -> list[Problem]:
    """Write a bundle for each rig state and source of the rows and the seed.

    The same input gives the same bytes. Nothing is written when a row or a table cannot be read.
    Raises RuntimeError if a row would be lost: that is a fault of this module.
    """
    catalog, problems = load_catalog(Path(shipped("catalog")))
    rows, found = collected(paths)
    told, doubts = read_seed(seed) if seed else (None, [])
    problems += found + doubts
    if has_errors(problems):
        return problems
    seeded = seed_parts(told) if told else []
    drafts = drafted(rows, seeded, catalog)
    for one in drafts:
        write_draft(out, one)
    return [*problems, *stray_folders(out, drafts)]


def drafted(rows: Sequence[Collected], seeded: Sequence[Parts], catalog: Catalog) -> list[Draft]:
    """Lay out every bundle of the record, in the order of their folders."""
    placed = [(one, machine_of(one, catalog)) for one in merged(rows, catalog)]
    joined, rest = absorbed(seeded, placed)
    drafts = [sealed(parts, _short(parts.sources[0].url))[1] for parts in joined]
    for (machine, state, url), group in _grouped(rest).items():
        drafts.append(sealed(parts_of(group, machine, state, catalog), _short(url))[1])
    _assert_none_lost(rows, drafts)
    return sorted(drafts, key=lambda one: one.folder)


def _grouped(rows: Iterable[tuple[Merged, Machine]]) -> dict[Group, list[Merged]]:
    of_machine: dict[str, list[tuple[Merged, Machine]]] = {}
    for one, machine in rows:
        of_machine.setdefault(machine.key, []).append((one, machine))
    groups: dict[Group, list[Merged]] = {}
    for members in of_machine.values():
        keys = states(one.row for one, _ in members)
        machine = members[0][1]
        for (one, _), state in zip(members, keys, strict=True):
            url = address(str(one.rows[0].row["source"]), club=one.club)
            groups.setdefault((machine, state, url), []).append(one)
    return groups


def _short(url: str) -> str:
    """Name a source in a folder's name: without its host, the end where it is long."""
    parts = url.replace("#", "/").split("/")
    return "-".join(parts[1:] or parts)[-MAX_SHORT_CHARS:]


MAX_SHORT_CHARS = 40
"""Enough to tell sources of one machine apart; the id does the rest."""


def _assert_none_lost(rows: Sequence[Collected], drafts: Sequence[Draft]) -> None:
    filed = {
        line for one in drafts for line in one.files["rows.jsonl"].decode("utf-8").splitlines()
    }
    lost = [f"{row.file}:{row.line}" for row in rows if row.text not in filed]
    if lost:
        raise RuntimeError(f"rows that reached no bundle: {', '.join(lost)}")
