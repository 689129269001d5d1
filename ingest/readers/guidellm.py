"""GuideLLM's report and LocalScore's upload, both JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.readers.item import Clue, Fact, Item, Seen, number
from ingest.readers.jsons import Found, figure_of, objects, text_of, whole_of
from ingest.readers.part import Part
from ingest.readers.text import Line

GUIDELLM = "guidellm"
LOCALSCORE = "localscore"
MAX_BENCHMARKS = 100
"""A sweep of loads has about ten."""


def fits_guidellm(lines: Sequence[Line]) -> bool:
    """Tell whether its report is there."""
    return any('"inter_token_latency_ms"' in line.text for line in lines)


def read_guidellm(lines: Sequence[Line]) -> Iterator[Part]:
    """Read each benchmark of the report: time per token at one stream is the decode rate."""
    runs: list[tuple[Item, ...]] = []
    seen: list[Item] = []
    for found in objects(lines)[:MAX_BENCHMARKS]:
        seen += [Seen(line) for line in range(found.first, found.last + 1)]
        runs += [
            tuple(_benchmark(one.value["metrics"], one))
            for one in found.inside("benchmarks", MAX_BENCHMARKS)
            if isinstance(one.value.get("metrics"), dict)
        ]
    if runs:
        yield Part(GUIDELLM, lines[0].number, lines[-1].number, tuple(seen), tuple(runs))


def _benchmark(metrics: dict[str, Any], found: Found) -> Iterator[Item]:
    streams = _mean(metrics, "request_concurrency")
    alone = streams is not None and streams <= 1.0
    where = {"streams": 1 if alone else None, "n": _count(metrics), "statistic": "mean"}
    per_token = _mean(metrics, "inter_token_latency_ms")
    if alone and per_token and per_token > 0:
        line = found.line_of("inter_token_latency_ms")
        yield number(line, "decode", round(1000 / per_token, 4), GUIDELLM, how="inferred", **where)
    first = _mean(metrics, "time_to_first_token_ms")
    if first and first > 0:
        yield number(found.line_of("time_to_first_token_ms"), "ttft", first, GUIDELLM, **where)
    total = _mean(metrics, "output_tokens_per_second")
    if not alone and total and total > 0:
        line = found.line_of("output_tokens_per_second")
        yield number(line, "aggregate", total, GUIDELLM, **where)


def _successful(metrics: dict[str, Any], name: str) -> dict[str, Any]:
    told = metrics.get(name)
    inner = told.get("successful") if isinstance(told, dict) else None
    return inner if isinstance(inner, dict) else {}


def _mean(metrics: dict[str, Any], name: str) -> float | None:
    return figure_of(_successful(metrics, name).get("mean"))


def _count(metrics: dict[str, Any]) -> int | None:
    count = whole_of(_successful(metrics, "inter_token_latency_ms").get("count"))
    return count if count and count > 0 else None


def fits_localscore(lines: Sequence[Line]) -> bool:
    """Tell whether its upload is there."""
    return any('"gen_tps"' in line.text for line in lines)


def read_localscore(lines: Sequence[Line]) -> Iterator[Part]:
    """Read each upload: one accelerator, no offload."""
    for found in objects(lines)[:MAX_BENCHMARKS]:
        seen = [Seen(line) for line in range(found.first, found.last + 1)]
        results = found.inside("results", MAX_BENCHMARKS)
        run = tuple(item for one in results for item in _result(one.value, one))
        if run:
            rig, served = tuple(_system(found)), (*_place(found), *_runtime(found))
            yield Part(LOCALSCORE, found.first, found.last, (*rig, *seen), ((*run, *served),))


def _system(found: Found) -> Iterator[Item]:
    system, card = found.value.get("system"), found.value.get("accelerator")
    system = found.value.get("system_info") if not isinstance(system, dict) else system
    card = found.value.get("accelerator_info") if not isinstance(card, dict) else card
    if isinstance(system, dict):
        cpu, gib = text_of(system.get("cpu_name")), figure_of(system.get("ram_gb"))
        if cpu:
            yield Fact("rig.cpu.model", cpu, found.line_of("cpu_name"))
        if gib and gib > 0:
            yield Fact("rig.memory.gib", gib, found.line_of("ram_gb"), rank=2)
    if isinstance(card, dict) and card.get("type") == "GPU" and text_of(card.get("name")):
        yield Fact("rig.gpus.0.name", text_of(card["name"]), found.line_of("accelerator"))
        gb = figure_of(card.get("memory_gb"))
        if gb and gb > 0:
            yield Fact("rig.gpus.0.vram_mib", round(gb * 1024), found.line_of("memory_gb"))


def _place(found: Found) -> Iterator[Item]:
    """One accelerator takes everything: a processor means that no card was used."""
    card = found.value.get("accelerator") or found.value.get("accelerator_info")
    if isinstance(card, dict) and card.get("type") == "CPU":
        yield Fact("launch.offload.kind", "cpu-only", found.line_of("type"))


def _runtime(found: Found) -> Iterator[Item]:
    """The program that served: a name that the catalogue may not have, and its version."""
    runtime = found.value.get("runtime")
    name = text_of(runtime.get("name")) if isinstance(runtime, dict) else None
    version = text_of(runtime.get("version")) if isinstance(runtime, dict) else None
    if name:
        yield Fact("engine.spelled", name, found.line_of("runtime"), rank=1)
        yield Clue("engine_kind", name, found.line_of("runtime"))
    if version:
        yield Fact("engine.build", version, found.line_of("runtime"), rank=1)


def _result(one: dict[str, Any], found: Found) -> Iterator[Item]:
    name, quant = text_of(one.get("model_name")), text_of(one.get("model_quant_str"))
    if name:
        yield Clue("model_type", f"{name} {quant or ''}".strip(), found.line_of("model_name"))
    prompt = whole_of(one.get("n_prompt"))
    where: dict[str, Any] = {"streams": 1, "workload": "bench-prompt", "statistic": "mean"}
    if prompt and prompt > 0:
        where["prompt_tokens"] = prompt
    for key, quantity in (("gen_tps", "decode"), ("prompt_tps", "prefill"), ("ttft_ms", "ttft")):
        value = figure_of(one.get(key))
        if value and value > 0:
            yield number(found.line_of(key), quantity, value, LOCALSCORE, **where)
