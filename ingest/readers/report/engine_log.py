"""Lines of the engine's log that a report repeats: rates of single requests, drafts."""

from collections.abc import Iterator, Sequence

from ingest.readers.drafting import drafted_lines, numbers
from ingest.readers.item import Item, Seen
from ingest.readers.llama.timings import times_of, timing_items
from ingest.readers.report.block import Block, lines_in


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read what the report repeats of the engine's log, but from failed boots."""
    kept = [b for b in blocks if b.section != "recent failed boot attempts"]
    lines = lines_in(kept)
    drafted = drafted_lines(lines)
    yield from (Seen(one.line) for one in drafted)
    yield from numbers(drafted)
    yield from timing_items(times_of(lines))
