"""llama-bench's five outputs → rows of one shape: keys of its JSON, values as text or number."""

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ingest.readers.jsons import objects
from ingest.readers.text import Line


class BenchRow(NamedTuple):
    """One test: its fields by llama-bench's own keys, its line, and all lines it spans."""

    line: int
    fields: dict[str, Any]
    spans: tuple[int, ...] = ()


# Column of the Markdown table → key of the other outputs, both forks.
COLUMNS = {
    "ngl": "n_gpu_layers",
    "sm": "split_mode",
    "threads": "n_threads",
    "nkvo": "no_kv_offload",
    "fa": "flash_attn",
    "mmap": "use_mmap",
    "ot": "tensor_buft_overrides",
    "ts": "tensor_split",
    "dev": "devices",
    "ncmoe": "n_cpu_moe",
    "mla": "mla_attn",
    "amb": "attn_max_batch",
    "fmoe": "fused_moe",
    "rtr": "repack",
    "thp": "use_thp",
    "model": "model_type",
    "backend": "backends",
}
MAX_ROWS = 5_000
"""A sweep over every flag has some hundreds."""

_TEST = re.compile(
    r"(?:pp([0-9]{1,8}))?(\+)?(?:tg([0-9]{1,8}))?(?:@pp([0-9]{1,8}))?(?: *@ *d([0-9]{1,9}))?$",
    re.ASCII,
)
_RATE = re.compile(
    r"([0-9]{1,9}(?:[.,][0-9]{1,6})?)(?: *(?:±|\+/-|\+-) *([0-9]{1,9}(?:[.,][0-9]{1,6})?))?$",
    re.ASCII,
)
_SIZE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,4})?) (MiB|GiB)$", re.ASCII)
_BUILD = re.compile(r"build: ([0-9a-z]{4,40}) \(([0-9]{1,6})\)", re.ASCII)
BYTES = {"MiB": 2**20, "GiB": 2**30}


def rows_of(lines: Sequence[Line]) -> tuple[BenchRow, ...]:
    """Collect the rows of every table and document among `lines`."""
    found = [*_json(lines), *_markdown(lines), *_csv(lines), *_sql(lines)]
    return tuple(sorted(found, key=lambda row: row.line)[:MAX_ROWS])


def _json(lines: Sequence[Line]) -> Iterator[BenchRow]:
    for found in objects(lines):
        if "n_prompt" in found.value and "n_gen" in found.value and "avg_ts" in found.value:
            seen = tuple(range(found.first, found.last + 1))
            yield BenchRow(found.line_of("avg_ts"), found.value, seen)


def cells_of(text: str) -> list[str]:
    """Split a table row into its cells, without the bold marks that people add."""
    return [cell.strip().strip("*") for cell in text.strip().strip("|").split("|")]


def _markdown(lines: Sequence[Line]) -> Iterator[BenchRow]:
    header: list[str] = []
    waiting: list[BenchRow] = []
    for line in lines:
        if "|" not in line.text:
            build = _BUILD.match(line.text.strip())
            if build:
                yield from (_built(row, build) for row in waiting)
                waiting = []
            continue
        cells = cells_of(line.text)
        if "t/s" in cells and "test" in cells:
            yield from waiting
            header, waiting = cells, []
        elif header and len(cells) == len(header):
            row = _row(dict(zip(header, cells, strict=True)))
            if row:
                waiting.append(BenchRow(line.number, row))
    yield from waiting


def is_footer(text: str) -> bool:
    """Tell whether a line is the footer that names the build, or the fork's note on repacking."""
    return _BUILD.match(text.strip()) is not None or text.startswith("============ Repacked ")


def _built(row: BenchRow, build: re.Match[str]) -> BenchRow:
    more = {"build_commit": build[1], "build_number": int(build[2])}
    return BenchRow(row.line, {**row.fields, **more})


def _row(cells: dict[str, str]) -> dict[str, Any] | None:
    """Turn one row of the table into fields; None for the ruler and for what is no test."""
    test, rate = _TEST.match(cells.pop("test")), _RATE.match(cells.pop("t/s"))
    if not test or not rate or not (test[1] or test[3]):
        return None
    size = _SIZE.match(cells.pop("size", ""))
    fields: dict[str, Any] = {COLUMNS.get(name, name): value for name, value in cells.items()}
    if size:
        fields["model_size"] = float(size[1]) * BYTES[size[2]]
    fields |= {
        "n_prompt": int(test[1] or 0),
        "n_gen": int(test[3] or 0),
        "n_depth": int(test[5] or test[4] or 0),
        "avg_ts": float(rate[1].replace(",", ".")),
    }
    if rate[2]:
        fields["stddev_ts"] = float(rate[2].replace(",", "."))
    return fields


def _csv(lines: Sequence[Line]) -> Iterator[BenchRow]:
    header: list[str] = []
    for line in lines:
        if "," not in line.text:
            header = header if line.text.strip() else []
            continue
        if line.text.startswith(("build_commit,", '"build_commit"')) and "avg_ts" in line.text:
            header = [name.strip('" ') for name in line.text.split(",")]
        elif header and line.text.startswith('"'):
            values = next(csv.reader([line.text]))
            if len(values) == len(header):
                yield BenchRow(line.number, dict(zip(header, values, strict=True)))


_INSERT = re.compile(r"INSERT INTO \S{1,40} \(([a-z0-9_, ]{1,3000})\) VALUES \('(.{1,4000})'\);?$")


def _sql(lines: Sequence[Line]) -> Iterator[BenchRow]:
    for line in lines:
        found = _INSERT.match(line.text.strip()) if "INSERT INTO" in line.text[:20] else None
        if not found:
            continue
        names = [name.strip() for name in found[1].split(",")]
        # Values are not escaped: only the separators between them are sure.
        values = re.split(r"', ?'", found[2])
        if len(names) == len(values) and "avg_ts" in names:
            yield BenchRow(line.number, dict(zip(names, values, strict=True)))
