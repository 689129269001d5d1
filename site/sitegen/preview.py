"""Which pages a change would change: two databases, held side by side.

A machine's page is shown whole. Of the pages of slugs and variants, which list every machine, the
lines of the machines concerned are.
"""

from collections.abc import Collection
from pathlib import Path

from sitegen import sections
from sitegen.address import rig_page, slug_page, variant_page
from sitegen.page import Page, page
from sitegen.record import Record, Row, read_record, rows_of
from sitegen.rig import rig_pages

MAX_PAGES = 20
"""As many pages as a person looks at in a review."""


def changed_pages(before: Path, after: Path, machines: Collection[str]) -> list[Page]:
    """List what is new in `after`, or not the same in `before`, of what shows `machines`.

    A page that is there no more is listed without a block.
    """
    old, new = (_shown(read_record(path), machines) for path in (before, after))
    gone = [one._replace(blocks=()) for address, one in old.items() if address not in new]
    changed = [one for address, one in new.items() if old.get(address) != one]
    return [*changed, *gone][:MAX_PAGES]


def _shown(record: Record, machines: Collection[str]) -> dict[str, Page]:
    wanted = {rig_page(machine) for machine in machines}
    pages = [one for one in rig_pages(record) if one.address in wanted]
    runs: dict[str, list[Row]] = {}
    for machine in sorted(machines):
        for run in record.runs_by_rig.get(machine, ()):
            for address in _addresses(run):
                runs.setdefault(address, []).append(run)
    pages += [_lines(record, address, found) for address, found in runs.items()]
    return {one.address: one for one in pages}


def _addresses(run: Row) -> list[str]:
    """List the pages that a run stands on besides its rig's."""
    slug = [slug_page(run["slug"])] if run["slug"] else []
    return [*slug, variant_page(run["model"], run["quant"])]


def _lines(record: Record, address: str, runs: list[Row]) -> Page:
    """Write the lines of some runs as they stand on a page of many machines."""
    rows = rows_of(record, runs)
    blocks = [
        sections.decode(record, address, rows),
        *sections.quantities(record, address, rows),
        *sections.failures(record, address, runs),
    ]
    labels = sorted({record.machines[run["rig_id"]]["label"] for run in runs})
    return page(address, f"the lines of {', '.join(labels)}", "", blocks)
