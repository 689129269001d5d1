"""Which pages a change would change: the rigs' pages of two databases, held side by side."""

from collections.abc import Collection
from pathlib import Path

from sitegen.page import Page
from sitegen.record import read_record
from sitegen.rig import rig_pages

MAX_PAGES = 20
"""As many pages as a person looks at in a review."""


def changed_pages(before: Path, after: Path, machines: Collection[str]) -> list[Page]:
    """List the rig pages of `machines` that are new in `after` or not the same in `before`.

    A rig's page shows every row of it; pages of slugs and variants are other views of the same.
    """
    known = {one.address: one for one in rig_pages(read_record(before))}
    wanted = {f"rigs/{machine}" for machine in machines}
    pages = [one for one in rig_pages(read_record(after)) if one.address in wanted]
    return [one for one in pages if known.get(one.address) != one][:MAX_PAGES]
