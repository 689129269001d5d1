"""llama-bench, mainline and ik_llama.cpp: each configuration a run, each test a measurement."""

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.readers.argv import placement, split
from ingest.readers.item import Clue, Doubt, Fact, Item, Seen, number
from ingest.readers.jsons import figure_of, text_of, whole_of
from ingest.readers.llama.bench_rows import BenchRow, cells_of, is_footer, rows_of
from ingest.readers.llama.command import command_facts
from ingest.readers.part import Part
from ingest.readers.text import Line

FORMAT = "llama-bench"

# Fields that make a configuration: rows that agree in all of them are one run.
CONFIGURATION = (
    *("model_filename", "model_type", "n_batch", "n_ubatch", "n_threads", "type_k", "type_v"),
    *("n_gpu_layers", "n_cpu_moe", "tensor_buft_overrides", "override_tensor", "tensor_split"),
    *("split_mode", "flash_attn", "use_mmap", "no_op_offload", "backends", "devices", "mla_attn"),
    *("fused_moe", "repack", "ser", "use_thp", "build_number", "numa", "cpu_mask"),
)
# Keys that only the fork prints.
IK_KEYS = ("fused_moe", "mla_attn", "attn_max_batch", "ser", "grouped_er", "rcache")
WHOLE = {"n_threads": "threads", "n_batch": "batch", "n_ubatch": "ubatch"}
AXES = {"n_threads": "threads", "n_ubatch": "ubatch", "n_batch": "batch", "n_cpu_moe": "layers"}
ALL_LAYERS = 99
"""The customary "all layers"; -1 means the same."""


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether some line starts one of the outputs; llama-benchy's table is another's."""
    for line in lines:
        text = line.text.strip()
        if "avg_ts" in text or ("INSERT INTO" in text and "llama_bench" in text):
            return True
        if "t/s" in text and "test" in text and "|" in text and "ttfr" not in text:
            cells = cells_of(text)
            if "t/s" in cells and "test" in cells:
                return True
    return False


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read every row; runs in the order in which their configuration first stands."""
    rows = rows_of(lines)
    if not rows:
        return
    runs: dict[tuple[object, ...], list[BenchRow]] = {}
    for row in rows:
        key = tuple(str(row.fields.get(name)) for name in CONFIGURATION)
        runs.setdefault(key, []).append(row)
    axis = _axis(list(runs))
    rig = (*_rig(rows[0]), *(Seen(line.number) for line in lines if is_footer(line.text)))
    command = tuple(command_facts(lines, (FORMAT,)))
    items = tuple((*_run(group), *_series(axis, group), *command) for group in runs.values())
    yield Part(FORMAT, rows[0].line, rows[-1].line, rig, items, describes_rig=False)


def _axis(keys: list[tuple[object, ...]]) -> str | None:
    """Name the one field in which the runs differ; None for none or several."""
    varied = [
        name for name, values in zip(CONFIGURATION, zip(*keys, strict=True), strict=True)
        if len(set(values)) > 1
    ]  # fmt: skip
    return varied[0] if len(varied) == 1 else None


def _series(axis: str | None, rows: Sequence[BenchRow]) -> Iterator[Item]:
    if axis:
        name = AXES.get(axis, axis)
        yield Fact("series", {"name": FORMAT, "axis": name}, rows[0].line, how="inferred")


def _rig(row: BenchRow) -> Iterator[Item]:
    cpu, cards = text_of(row.fields.get("cpu_info")), text_of(row.fields.get("gpu_info"))
    if cpu:
        yield Fact("rig.cpu.model", cpu.split(", ")[0], row.line)
    for index, name in enumerate(cards.split(", ") if cards else ()):
        yield Fact(f"rig.gpus.{index}.name", name, row.line)
    date = text_of(row.fields.get("test_time"))
    if date:
        yield Clue("date", date[:10], row.line)


def _run(rows: Sequence[BenchRow]) -> Iterator[Item]:
    yield from (Seen(line) for row in rows for line in row.spans or (row.line,))
    yield from _launch(rows[0])
    yield from _weights(rows[0])
    for row in rows:
        yield from _test(row)


def _weights(row: BenchRow) -> Iterator[Item]:
    fields, line = row.fields, row.line
    path, kind = text_of(fields.get("model_filename")), text_of(fields.get("model_type"))
    if path:
        yield Clue("model_path", path, line)
    if kind:
        yield Clue("model_type", kind, line)
    size = figure_of(fields.get("model_size"))
    if size:
        yield Fact("weights.gib", round(size / 2**30, 3), line)
    fork = any(key in fields for key in IK_KEYS)
    engine = "ik_llama.cpp" if fork else "llama.cpp"
    yield Fact(
        "engine.name", engine, line, rank=2, how="inferred", note="from the fields it prints"
    )
    build = whole_of(fields.get("build_number"))
    if build:
        commit = text_of(fields.get("build_commit"))
        yield Fact("engine.build", f"b{build}" + (f" ({commit})" if commit else ""), line)


def _launch(row: BenchRow) -> Iterator[Item]:
    fields, line = row.fields, row.line
    for key, name in WHOLE.items():
        value = whole_of(fields.get(key))
        if value and value > 0:
            yield Fact(f"launch.{name}", value, line)
    kv = text_of(fields.get("type_k"))
    if kv:
        yield Fact("launch.kv", kv, line)
    yield from split(text_of(fields.get("tensor_split")) or "", line)
    yield from _offload(fields, line)
    if text_of(fields.get("ser")) not in (None, "-1,0", "0,0", "-1,1"):
        what = f"ser={fields['ser']}: fewer experts than the model's default"
        yield Fact("anomalies", [{"what": what}], line)
        yield Doubt(line, what)


def _offload(fields: dict[str, Any], line: int) -> Iterator[Item]:
    rules = text_of(fields.get("tensor_buft_overrides")) or text_of(fields.get("override_tensor"))
    on_cpu, layers = whole_of(fields.get("n_cpu_moe")), whole_of(fields.get("n_gpu_layers"))
    backends = text_of(fields.get("backends")) or ""
    ruled = list(placement(rules or "", line))
    if ruled:
        yield from ruled
    elif on_cpu:
        yield Fact("launch.offload.kind", "experts", line)
        yield Fact("launch.offload.layers_on_cpu", on_cpu, line)
    elif backends in ("CPU", "BLAS") or (layers == 0 and rules in (None, "none")):
        yield Fact("launch.offload.kind", "cpu-only", line, how="inferred")
    elif layers is not None and (layers >= ALL_LAYERS or layers < 0) and rules in (None, "none"):
        yield Fact("launch.offload.kind", "resident", line, how="inferred")


def _test(row: BenchRow) -> Iterator[Item]:
    fields, line = row.fields, row.line
    prompt, generated = whole_of(fields.get("n_prompt")) or 0, whole_of(fields.get("n_gen")) or 0
    depth, rate = whole_of(fields.get("n_depth")) or 0, figure_of(fields.get("avg_ts"))
    if not rate or rate <= 0 or min(prompt, generated, depth) < 0:
        yield Doubt(line, "the test has no rate", "note")
        return
    if prompt and generated:
        yield Doubt(line, "prompt and generation in one rate: neither decode nor prefill", "note")
        return
    samples = [figure_of(value) for value in _list(fields.get("samples_ts"))]
    known = [value for value in samples if value is not None]
    spread = {"low": min(known), "high": max(known), "n": len(known)} if len(known) > 1 else {}
    sd = figure_of(fields.get("stddev_ts"))
    if spread and not spread["low"] <= rate <= spread["high"]:
        spread = {"n": spread["n"]}
    common = {
        "workload": "bench-prompt",
        "context_tokens": depth,
        "streams": 1,
        "statistic": "mean",
        "sd": sd if sd and sd > 0 else None,
        **spread,
    }
    if generated:
        yield number(line, "decode", rate, "llama-bench-tg", **common)
    elif prompt:
        yield number(line, "prefill", rate, "llama-bench-pp", prompt_tokens=prompt, **common)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
