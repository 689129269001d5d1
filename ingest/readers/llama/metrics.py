"""`/metrics` of llama.cpp's server: counters since its start → rates over all of its requests."""

import re
from collections.abc import Iterable, Iterator

from ingest.readers.item import Clue, Item, Seen, number
from ingest.readers.jsons import figure_of
from ingest.readers.text import Line

PROTOCOL = "server-timings"
PREFIX = "llamacpp:"
# quantity → (tokens, the seconds that they took), both counters since the start
RATES = {
    "decode-engine": ("tokens_predicted_total", "tokens_predicted_seconds_total"),
    "prefill-engine": ("prompt_tokens_total", "prompt_seconds_total"),
}
ACCEPTED = "spec_decode_num_accepted_tokens_total"
DRAFTED = "spec_decode_num_draft_tokens_total"
PASSES = "spec_decode_num_drafts_total"
_METRIC = re.compile(rf"{PREFIX}([a-z_]{{3,60}}) ([0-9.e+]{{1,24}})$", re.ASCII)

Metrics = dict[str, tuple[float, int]]


def metrics_of(lines: Iterable[Line]) -> Metrics:
    """Collect value and line of each counter; of several scrapes the last one counts all."""
    found: Metrics = {}
    for line in lines:
        metric = _METRIC.match(line.text.strip()[:120]) if PREFIX in line.text else None
        value = figure_of(metric[2]) if metric else None
        if metric and value is not None:
            found[metric[1]] = (value, line.number)
    return found


def metric_items(lines: Iterable[Line], *, drafts_told: bool) -> Iterator[Item]:
    """Read rates and, where the log's own lines do not tell of them, drafts."""
    found = metrics_of(lines)
    yield from (Seen(line) for _, line in found.values())
    for quantity, (tokens, seconds) in RATES.items():
        rate = _ratio(found, tokens, seconds)
        if rate:
            line = found[tokens][1]
            yield number(line, quantity, round(rate, 4), PROTOCOL, statistic="mean", how="inferred")
    if not drafts_told:
        yield from _drafts(found)


def _ratio(found: Metrics, over: str, under: str) -> float | None:
    """Divide two counters; a counter that stands at zero has counted nothing."""
    if over not in found or not found.get(under, (0.0, 0))[0]:
        return None
    return found[over][0] / found[under][0] or None


def _drafts(found: Metrics) -> Iterator[Item]:
    share, passes = _ratio(found, ACCEPTED, DRAFTED), _ratio(found, ACCEPTED, PASSES)
    if DRAFTED in found and found[DRAFTED][0]:
        yield Clue("drafted", "yes", found[DRAFTED][1])
    fields = {"statistic": "mean", "how": "inferred"}
    if share is not None and share <= 1:
        yield number(found[ACCEPTED][1], "acceptance", round(share, 6), PROTOCOL, **fields)
    if passes is not None:
        yield number(found[PASSES][1], "tokens_per_pass", round(1 + passes, 4), PROTOCOL, **fields)
