"""Boot lines of an engine's log: threads, context, drafter, weights; llama.cpp and vLLM."""

import re
from collections.abc import Callable, Iterable

from ingest.readers.argv import drafter_kind
from ingest.readers.item import Clue, Fact, Item
from ingest.readers.pattern import pattern


def _threads(found: re.Match[str], line: int) -> Iterable[Item]:
    yield Fact("launch.threads", int(found[1]), line, rank=2)
    if found[2]:
        yield Fact("launch.threads_batch", int(found[2]), line, rank=2)


def _system_info(found: re.Match[str], line: int) -> Iterable[Item]:
    yield from _threads(found, line)
    # The fork ik_llama.cpp prints the same words without the name of the function.
    if "common_param: " in found[0]:
        yield Clue("engine_line", "llama.cpp", line)


def _spec(found: re.Match[str], line: int) -> Iterable[Item]:
    kind, state, rest = found[1].strip(), found[2], found[3]
    if state == "OFF":
        yield Fact("launch.drafter", {"kind": "none"}, line, rank=1)
        return
    depth = re.search(r"(?:SPEC_N|n_max|depth|n)=([0-9]{1,3})\b", rest[:200], re.ASCII)
    if kind != "drafter":
        yield Fact("launch.drafter.kind", drafter_kind(kind), line, rank=1)
    else:
        yield Clue("drafter_on", "yes", line)
    if depth:
        yield Fact("launch.drafter.depth", int(depth[1]), line, rank=1)


def _kernel_args(found: re.Match[str], line: int) -> Iterable[Item]:
    text = found[1]
    yield Clue("engine_line", "vllm", line)
    for key, at in (
        ("max_model_len", "launch.ctx"),
        ("tensor_parallel_size", "launch.tensor_parallel"),
    ):
        value = re.search(rf"'{key}': ([0-9]{{1,9}})\b", text, re.ASCII)
        if value and int(value[1]):
            yield Fact(at, int(value[1]), line)
    if re.search(r"'cpu_offload_gb': (?:[1-9]|0\.[0-9]*[1-9])", text, re.ASCII):
        experts = "'experts'" in text
        yield Fact("launch.offload.kind", "experts" if experts else "layers", line)
    kv = re.search(r"'kv_cache_dtype': '([a-z0-9_]{1,20})'", text)
    if kv:
        yield Fact("launch.kv", kv[1], line)
    model = re.search(r"'model(?:_tag)?': '([^']{1,300})'", text)
    if model:
        yield Clue("model_path", model[1], line)
    yield from _speculative(text, line)


def _log_of(engine: str) -> Callable[["re.Match[str]", int], Iterable[Item]]:
    return lambda _, line: [Clue("engine_line", engine, line)]


def _speculative(text: str, line: int) -> Iterable[Item]:
    method = re.search(r"'method': '([a-z0-9_-]{1,30})'", text)
    depth = re.search(r"'num_speculative_tokens': ([0-9]{1,3})", text, re.ASCII)
    if method:
        yield Fact("launch.drafter.kind", drafter_kind(method[1]), line)
    if depth:
        yield Fact("launch.drafter.depth", int(depth[1]), line)


_CLOCK = r"(?:[0-9.]{6,16} [IWED] )?"

BOOT = (
    pattern(r"\[threads\] -t ([0-9]{1,4})\b()", _threads),
    pattern(
        rf"{_CLOCK}(?:cmn +common_param: )?system_info: n_threads = ([0-9]{{1,4}})"
        r" \(n_threads_batch = ([0-9]{1,4})\)",
        _system_info,
    ),
    pattern(r"\[spec\] ([A-Za-z0-9_-]{1,30}) (ON|OFF)\b(.*)", _spec),
    pattern(
        rf"{_CLOCK}(?:srv +)?load_model: loading model '([^']{{1,500}})'",
        lambda found, line: [Clue("model_path", found[1], line)],
    ),
    pattern(
        rf"{_CLOCK}(?:srv +)?load_model: initializing, n_slots = [0-9]+,"
        r" n_ctx_slot = ([0-9]{1,9})",
        lambda found, line: [Fact("launch.ctx", int(found[1]), line, rank=2)],
    ),
    pattern(
        rf"{_CLOCK}llama_context: n_(ctx|batch|ubatch) += ([0-9]{{1,9}})",
        lambda found, line: (
            [Fact(f"launch.{found[1]}", int(found[2]), line, rank=1)] if int(found[2]) else []
        ),
    ),
    pattern(
        rf"{_CLOCK}print_info: file size += ([0-9]{{1,7}}(?:\.[0-9]{{1,4}})?) (GiB|MiB)",
        lambda found, line: [
            Fact("weights.gib", float(found[1]) / (1 if found[2] == "GiB" else 1024), line)
        ],
    ),
    pattern(
        rf"{_CLOCK}print_info: file type += (.{{1,60}})",
        lambda found, line: [Clue("ftype", found[1], line)],
    ),
    pattern(
        rf"{_CLOCK}(?:llama_model_loader|print_info): .{{0,60}}general\.name .{{0,40}}="
        r" (.{1,120})",
        lambda found, line: [Clue("general_name", found[1], line)],
    ),
    pattern(
        rf"{_CLOCK}\[moe-cache\] enabled: reserve=([0-9]{{1,7}}) MiB",
        lambda found, line: [Fact("launch.expert_cache.reserve_mib", int(found[1]), line, rank=1)],
    ),
    pattern(
        r".{0,120}?Maximum concurrency for ([0-9,]{1,12}) tokens per request",
        lambda found, line: (
            [Fact("launch.ctx", int(found[1].replace(",", "") or 0), line, rank=2)]
            if found[1].strip(",0")
            else []
        ),
    ),
    pattern(rf"{_CLOCK}slot print_timing: ", _log_of("llama.cpp")),
    pattern(r" *layer 3 +engine custom-AR : engine: llama\.cpp", _log_of("llama.cpp")),
    pattern(
        rf"{_CLOCK}.{{0,60}}?loading draft model ",
        lambda _, line: [Fact("launch.drafter.kind", "draft-model", line, 4, "inferred")],
    ),
    # Only the fork has an expert cache.
    pattern(
        r"MoE cache: mode=auto",
        lambda _, line: [
            Clue("cache_on", "auto", line),
            Clue("fork_line", "llamacpp-club3090", line),
        ],
    ),
    pattern(r"\s{0,4}(?:INFO .{0,80})?non-default args: (\{.{1,4000})", _kernel_args),
)
