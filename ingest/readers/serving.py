"""`vllm bench serve` and SGLang's bench_serving: the saved JSON, or the block on the console."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ingest.readers.item import Clue, Item, Seen, number
from ingest.readers.jsons import figure_of, objects, text_of, whole_of
from ingest.readers.part import Part
from ingest.readers.text import Line

FORMAT = "vllm-bench"

# Label on the console → key of the saved JSON.
LABELS = {
    "successful requests": "completed",
    "maximum request concurrency": "max_concurrency",
    "max request concurrency": "max_concurrency",
    "total input tokens": "total_input_tokens",
    "output token throughput (tok/s)": "output_throughput",
    "mean ttft (ms)": "mean_ttft_ms",
    "median ttft (ms)": "median_ttft_ms",
    "mean tpot (ms)": "mean_tpot_ms",
    "median tpot (ms)": "median_tpot_ms",
    "acceptance rate (%)": "acceptance_percent",
    "acceptance length": "spec_decode_acceptance_length",
    "accepted tokens": "spec_decode_accepted_tokens",
    "draft tokens": "spec_decode_draft_tokens",
    "backend": "backend",
}
KEYS = (*LABELS.values(), "model_id", "date")
_LABEL = re.compile(r"([A-Za-z][A-Za-z ()/%]{3,40}): {1,60}(\S{1,40})$", re.ASCII)
TITLE = "Serving Benchmark Result"


class Result(NamedTuple):
    """One result: its values by key, and the line of each."""

    values: dict[str, Any]
    lines: dict[str, int]
    first: int


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether a saved result or the console's block is there."""
    return any(TITLE in line.text or '"mean_tpot_ms"' in line.text for line in lines)


def results_of(lines: Sequence[Line]) -> Iterator[Result]:
    """Collect every result among `lines`."""
    for found in objects(lines):
        if "mean_tpot_ms" in found.value:
            keys = {key: found.line_of(key) for key in KEYS if key in found.value}
            yield Result(found.value, keys, found.first)
    current: Result | None = None
    for line in lines:
        if TITLE in line.text:
            if current:
                yield current
            current = Result({}, {}, line.number)
        label = _LABEL.match(line.text.strip()) if current and ":" in line.text else None
        key = LABELS.get(label[1].strip().casefold()) if label else None
        if current and label and key:
            current.values.setdefault(key, label[2])
            current.lines.setdefault(key, line.number)
    if current:
        yield current


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read each result into a run."""
    runs = tuple(tuple(_run(result)) for result in results_of(lines))
    if runs:
        yield Part(FORMAT, lines[0].number, lines[-1].number, (), runs)


def _run(result: Result) -> Iterator[Item]:
    values, lines = result.values, result.lines
    yield from (Seen(line) for line in lines.values())
    yield from (Seen(line) for line in (result.first,))
    model, backend = text_of(values.get("model_id")), text_of(values.get("backend"))
    if model:
        yield Clue("model_path", model, lines["model_id"])
    if backend:
        name = backend.partition("-")[0]
        yield Clue("engine_kind", "vllm" if name == "openai" else name, lines["backend"])
    date = text_of(values.get("date")) or ""
    if re.match(r"20[0-9]{6}-", date):
        yield Clue("date", f"{date[:4]}-{date[4:6]}-{date[6:8]}", lines["date"])
    yield from _rates(values, lines, result.first)
    yield from _drafts(values, lines)


def _rates(values: dict[str, Any], lines: dict[str, int], first: int) -> Iterator[Item]:
    """At one stream the time per token is the decode rate; at several only the sum is known."""
    streams, n = whole_of(values.get("max_concurrency")), whole_of(values.get("completed"))
    per_token, ttft = figure_of(values.get("mean_tpot_ms")), figure_of(values.get("mean_ttft_ms"))
    through = figure_of(values.get("output_throughput"))
    streams = streams if streams and streams > 0 else None
    where: dict[str, Any] = {"streams": streams, "n": n if n and n > 0 else None}
    at = {
        key: lines.get(key, first) for key in ("mean_tpot_ms", "mean_ttft_ms", "output_throughput")
    }
    if streams == 1 and per_token and per_token > 0:
        yield number(
            at["mean_tpot_ms"], "decode", round(1000 / per_token, 4), FORMAT, statistic="mean",
            how="inferred", **where,
        )  # fmt: skip
    if ttft and ttft > 0:
        yield number(at["mean_ttft_ms"], "ttft", ttft, FORMAT, statistic="mean", **where)
    if through and through > 0:
        quantity = "wall" if streams == 1 else "aggregate"
        yield number(at["output_throughput"], quantity, through, FORMAT, statistic="mean", **where)


def _drafts(values: dict[str, Any], lines: dict[str, int]) -> Iterator[Item]:
    accepted = whole_of(values.get("spec_decode_accepted_tokens"))
    drafted = whole_of(values.get("spec_decode_draft_tokens"))
    length = figure_of(values.get("spec_decode_acceptance_length"))
    if accepted is not None and drafted and 0 <= accepted <= drafted:
        line = lines["spec_decode_accepted_tokens"]
        yield Clue("drafted", "yes", line)
        yield number(line, "acceptance", round(accepted / drafted, 6), FORMAT, statistic="mean")
    if length and length >= 1:
        line = lines["spec_decode_acceptance_length"]
        yield number(line, "tokens_per_pass", length, FORMAT, statistic="mean")


LOG = "vllm-log"
_WINDOW = re.compile(
    r"Avg prompt throughput: ([0-9]{1,7}(?:\.[0-9]{1,3})?) tokens/s,"
    r" Avg generation throughput: ([0-9]{1,7}(?:\.[0-9]{1,3})?) tokens/s,"
    r" Running: ([0-9]{1,5}) reqs",
    re.ASCII,
)
_VERSION = re.compile(r"vLLM (?:API server )?version (v?[0-9][A-Za-z0-9.+]{2,50})", re.ASCII)


class Window(NamedTuple):
    """Ten seconds of the engine's log: an average over all requests."""

    line: int
    prompt: float
    generation: float
    running: int


SGLANG = "Decode batch"
"""Of SGLang's periodic line, which tells of drafts as vLLM's does."""

LOG_MARKS = ("Avg generation throughput", "SpecDecoding metrics")


def fits_log(lines: Sequence[Line]) -> bool:
    """Tell whether the engine's periodic line is there."""
    return any(
        any(mark in line.text for mark in LOG_MARKS)
        or (SGLANG in line.text and "accept len: " in line.text)
        for line in lines
    )


def windows_of(lines: Sequence[Line]) -> tuple[Window, ...]:
    """Read the periodic lines."""
    found = []
    for line in lines:
        match = _WINDOW.search(line.text[:1000]) if "Avg prompt throughput" in line.text else None
        if match:
            found.append(Window(line.number, float(match[1]), float(match[2]), int(match[3])))
    return tuple(found)


def version_clues(lines: Sequence[Line]) -> Iterator[Item]:
    """Read the version that the server prints as it starts."""
    for line in lines:
        found = _VERSION.search(line.text[:300]) if "vLLM" in line.text else None
        if found:
            yield Seen(line.number)
            yield Clue("vllm_version", found[1], line.number)
