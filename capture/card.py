"""One card for a finished run: numbers with spread, the model's view, what limits, what to try."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from capture.arms import arm_lines
from capture.figure import figure
from capture.integrity import Finding
from capture.report import Drafted
from ingest.bundle import Bundle, Gpu, Off, Rig, Run


class Expected(NamedTuple):
    """What the model says of one run and workload; `nearest` are (rig, tokens/s)."""

    tokens_per_s: float
    low: float
    high: float
    level: float
    limit: str
    wall_tokens_per_s: float
    nearest: tuple[tuple[str, float], ...]
    remedies: tuple[str, ...]


Expectations = Mapping[tuple[str, str], Expected]
"""By run id and workload."""

TRY = {
    "ram-bandwidth": "faster or more memory channels, a smaller quant, or more experts on the GPUs",
    "cpu-compute": "more threads up to all cores, or a quant with a cheaper kernel",
    "threads": "more threads: rigbook bench --sweep threads=A..B finds the knee",
    "gpu": "more experts on the CPU if it idles, or a card with faster memory",
    "hand-off": "fewer, longer passes: a drafter, or fewer layers split",
    "drafter": "a smaller draft depth: --sweep depth=0,2,5",
    "paging": "free memory until the experts fit: nothing else helps",
}
"""What to try for each limit that a prediction names."""


def card(made: Drafted, expected: Expectations) -> list[str]:
    """Write the card of all runs of a bundle."""
    lines = rig_lines(made.bundle)
    for run in made.bundle.runs:
        lines += ["", *_run_lines(run), *_expected_lines(run, expected)]
        lines += _panel_lines(made.panels.get(run.id, []))
    return [*lines, *arm_lines(made.bundle.runs)]


def rig_lines(bundle: Bundle) -> list[str]:
    """Describe the rig in two or three lines."""
    rig = bundle.rig
    cpu, memory = rig.cpu, rig.memory
    guest = ", a guest" if cpu.guest else ""
    channels = ""
    if memory.channels_populated and memory.channels_total:
        channels = f", {memory.channels_populated} of {memory.channels_total} channels"
    size = f"{memory.gib:.0f} GiB" if memory.gib else "memory of unknown size"
    rate = f" {memory.kind or ''}{f'-{memory.mts:.0f}' if memory.mts else ''}".rstrip()
    counts = ", ".join(
        counted(number, word)
        for number, word in ((cpu.sockets, "socket"), (cpu.cores, "core"), (cpu.threads, "thread"))
    )
    lines = [
        f"{cpu.model or 'unknown processor'}: {counts}{guest}",
        f"{size}{rate}{channels}{_bandwidth(rig)}",
    ]
    return [*lines, _cards(rig)] if rig.gpus is not None else lines


def counted(number: int | None, word: str) -> str:
    """Write a count with its word: `1 socket`, `64 threads`, `? cores`."""
    return f"{'?' if number is None else number} {word}{'' if number == 1 else 's'}"


def _bandwidth(rig: Rig) -> str:
    best = next(iter(rig.memory.bandwidth), None)
    if best is None or best.gbps is None:
        return ""
    threads = f" with {counted(best.threads, 'thread')}" if best.threads else ""
    return f", {best.gbps:.1f} GB/s {best.method}{threads}"


def _cards(rig: Rig) -> str:
    if isinstance(rig.gpus, Off) or not rig.gpus:
        return "no graphics card"
    return "; ".join(_gpu(gpu) for gpu in rig.gpus)


def _gpu(gpu: Gpu) -> str:
    capped = gpu.power_w and gpu.power_default_w and gpu.power_w < gpu.power_default_w
    cap = f", capped to {gpu.power_w:.0f} of {gpu.power_default_w:.0f} W" if capped else ""
    return f"{gpu.name}{cap}"


def _run_lines(run: Run) -> Iterator[str]:
    served = run.weights.spelled or run.weights.model or "unknown weights"
    state = "" if run.outcome.state == "ok" else f": {run.outcome.state}, {run.outcome.reason}"
    yield f"{run.id}: {served} on {run.engine.name or 'an unknown engine'}{state}"
    for one in run.measurements:
        if one.quantity in SHOWN and one.protocol != "rigbook-agentic":
            depth = one.context_tokens or one.prompt_tokens
            at = f" at {depth:,} tokens" if depth else ""
            what = f"{one.quantity:<16} {one.workload or '':<13}"
            yield f"  {what}{figure(one)}{at}  [{one.protocol}]"


SHOWN = frozenset(
    ("decode", "ttft", "prefill", "acceptance", "tokens_per_pass", "hit_rate", "vram_peak",
     "host_ram", "retention")
)  # fmt: skip


def _expected_lines(run: Run, expected: Expectations) -> Iterator[str]:
    """Set decode figures beside the model's interval; say what limits and what to try, once."""
    told: list[str] = []
    for one in run.measurements:
        is_shape = one.quantity == "decode" and one.context_tokens is None
        model = expected.get((run.id, one.workload or ""))
        if model is None or not is_shape or one.value is None:
            continue
        place = "inside" if model.low <= one.value <= model.high else "outside"
        share = one.value / model.wall_tokens_per_s
        yield (
            f"  model {one.workload}: {model.tokens_per_s:.3g} tokens/s ({model.low:.3g} to"
            f" {model.high:.3g}, {model.level:.0%}); yours is {place}, {share:.0%} of the wall"
        )
        told += _advice(model)
    yield from dict.fromkeys(told)


def _advice(model: Expected) -> Iterator[str]:
    yield f"  limit: {model.limit}; try {TRY.get(model.limit, 'nothing that the model knows')}"
    near = ", ".join(f"{rig} {speed:.3g}" for rig, speed in model.nearest)
    if near:
        yield f"  nearest rigs: {near}"
    yield from (f"  {remedy}" for remedy in model.remedies)


def _panel_lines(panel: list[Finding]) -> Iterator[str]:
    marks = {"pass": "ok", "advisory": "!", "fail": "FAIL", "unknown": "?"}
    yield from (f"  {marks[one.state]:<5}{one.name}: {one.text}" for one in panel)
