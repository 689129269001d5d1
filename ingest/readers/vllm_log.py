"""vLLM's engine log → one run: windows of a single request that only decodes, and drafts."""

import statistics
from collections.abc import Iterator, Sequence

from ingest.readers.boot import BOOT
from ingest.readers.drafting import drafted_lines, numbers
from ingest.readers.item import Clue, Doubt, Item, Number, Seen, number
from ingest.readers.part import Part
from ingest.readers.pattern import scan
from ingest.readers.serving import LOG, SGLANG, Window, version_clues, windows_of
from ingest.readers.text import Line


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read the log; windows with a prompt, or with several requests, are no decode rate."""
    items: list[Item] = [*scan(lines, BOOT), *version_clues(lines)]
    windows = windows_of(lines)
    items += [Seen(window.line) for window in windows]
    alone = [one for one in windows if one.running == 1 and not one.prompt and one.generation > 0]
    if alone:
        items.append(_decode(alone))
    elif windows:
        message = "no window has one request that only decodes: the log gives no decode rate"
        items.append(Doubt(windows[0].line, message, "note"))
    drafted = drafted_lines(lines)
    items += [*(Seen(one.line) for one in drafted), *numbers(drafted)]
    sglang = not windows and any(SGLANG in line.text for line in lines)
    items.append(Clue("engine_line", "sglang" if sglang else "vllm", lines[0].number))
    yield Part(LOG, lines[0].number, lines[-1].number, (), (tuple(items),))


def _decode(alone: Sequence[Window]) -> Number:
    rates = sorted(one.generation for one in alone)
    middle = statistics.median_low(rates)
    line = next(one.line for one in alone if one.generation == middle)
    single = len(alone) == 1
    spread = {} if single else {"low": rates[0], "high": rates[-1]}
    statistic = "single" if single else "median"
    return number(
        line, "decode", middle, LOG, statistic=statistic, n=len(alone), streams=1, **spread
    )
