"""Answers as people read them (one screen) and as programs do (`rigbook.predict/1`)."""

from typing import Any

from models.answer import Answer, Ceiling
from models.record import FittedModel
from models.request import Request
from models.what_if import Change

SCHEMA = "rigbook.predict/1"

ASSUMED = {
    "cpu": "CPU generation unknown (--cpu narrows the interval)",
    "triad_method": "triad taken as stream (--triad-method narrows the interval)",
    "gpus": "GPUs = the slug's reference cards",
    "threads": "threads = the knee",
    "acceptance": "acceptance = the record's for that drafter and workload",
    "hit_rate": "cache hits = the record's for that pool",
}
"""What each assumption means, in words."""


def document(
    model: FittedModel,
    request: Request,
    answers: list[Answer],
    changes: list[Change] | None = None,
) -> dict[str, Any]:
    """Give the published JSON; `what_if` stands in it where a change was asked about."""
    rig = {
        field: value
        for field, value in request._asdict().items()
        if field in _RIG_FIELDS and value is not None
    }
    rig["gpus"] = [f"{gpu.name} x{gpu.cards}" for gpu in request.gpus]
    errors = model.evaluation["scores"]["Rigbook"]["all"]
    levels = model.evaluation["coverage"].items()
    asked = {} if changes is None else {"what_if": [change._asdict() for change in changes]}
    return {
        "schema": SCHEMA,
        **asked,
        "rig": {**rig, "inferred": assumed(answers)},
        "predictions": [answer.as_json() for answer in answers],
        "model": {
            "version": model.version,
            "fitted_on": model.fitted_on,
            "error": {
                "median_ape": errors["median_ape"],
                "p80_ape": errors["p80_ape"],
                "coverage": {level: by["all"]["by_rig"] for level, by in levels},
            },
        },
    }


_RIG_FIELDS = {
    "triad_gbps", "triad_method", "channels", "mts", "cores", "sockets", "threads", "smt", "cpu",
    "ram_gib", "vram_gib",
}  # fmt: skip


def assumed(answers: list[Answer]) -> list[str]:
    """List what was assumed in any of the answers, each once."""
    return list(dict.fromkeys(name for answer in answers for name in answer.inferred))


def lines(request: Request, answers: list[Answer], *, whole: bool) -> list[str]:
    """Lay out answers: a line a slug, best first; with `whole`, everything about each."""
    level = f"{request.level:.0%}"
    told = [line for answer in answers for line in _whole(answer)] if whole else _table(answers)
    notes = "; ".join(ASSUMED[name] for name in assumed(answers))
    head = f"decode, {request.workload}, {level} interval on rigs never seen:"
    return [head, *told, *([f"assumed: {notes}"] if notes else [])]


def change_lines(request: Request, changes: list[Change], text: str) -> list[str]:
    """Lay out what a change does, a line a slug, the largest gain first."""
    width = max((len(_name(change)) for change in changes), default=0)
    return [
        f"decode, {request.workload}, with {text} ({request.level:.0%} interval of the ratio):",
        *(
            f"{_name(change):<{width}}  {change.before:5.1f} -> {change.after:5.1f} tokens/s"
            f"  x{change.ratio:.2f} ({change.low:.2f}-{change.high:.2f})"
            for change in changes
        ),
    ]


def _name(answer: Answer | Change) -> str:
    return answer.slug or f"{answer.model} {answer.quant}"


def _table(answers: list[Answer]) -> list[str]:
    width = max((len(_name(answer)) for answer in answers), default=0)
    return [f"{_name(answer):<{width}}  {_quote(answer)}{_fit(answer)}" for answer in answers]


def _quote(answer: Answer) -> str:
    rigs = f"{answer.rigs} rig{'s' if answer.rigs != 1 else ''}"
    return (
        f"{answer.tokens_per_s:5.1f} tokens/s ({answer.low:.1f}-{answer.high:.1f})"
        f"  {rigs}, {answer.basis}, limit {answer.limit}"
    )


def _fit(answer: Answer) -> str:
    ram = f"  RAM {answer.host_ram_gib:.0f} GiB"
    marks = "" if answer.fits is None else " fits" if answer.fits else " DOES NOT FIT"
    far = "  ! outside the data" if any(w.code == "outside-data" for w in answer.warnings) else ""
    return ram + marks + far


def _whole(answer: Answer) -> list[str]:
    shares = sorted(answer.time_share.items(), key=lambda item: -item[1])
    parts = ", ".join(f"{name} {share:.0%}" for name, share in shares if share >= 0.005)
    told = [
        f"{_name(answer)}",
        f"  {_quote(answer)}",
        f"  wall {answer.wall_tokens_per_s:.1f} tokens/s; time: {parts}",
        f"  {_launch(answer)}",
        f"  host RAM {answer.host_ram_gib:.0f} GiB{_verdict(answer)}; {answer.rows} own rows",
    ]
    told += [
        f"  near: {near.rig} {near.tokens_per_s:.1f} tokens/s, distance {near.distance:.2f}"
        f" ({near.url})"
        for near in answer.nearest
    ]
    told += [f"  {line}" for line in _advice(answer)]
    if answer.own_run_factor is not None:
        told.append(f"  your own run moves this by x{answer.own_run_factor:.2f}")
    told += [f"  ! {warning.message}; {warning.remedy}" for warning in answer.warnings]
    return told


def _launch(answer: Answer) -> str:
    return (
        f"{answer.threads} threads, {answer.layers_on_cpu} layers of experts on the CPU,"
        f" {answer.tokens_per_pass:.2f} tokens a pass{_extras(answer)}"
    )


def _advice(answer: Answer) -> list[str]:
    told = []
    if answer.threads_enough:
        fewest, most = answer.threads_enough
        told.append(f"{fewest} to {most} threads come within 3 % of the best")
    if answer.drafting:
        plan = answer.drafting
        best = f"depth {plan.best_depth} is the fastest ({plan.tokens_per_s[plan.best_depth]:.1f})"
        pays = (
            f"depth {plan.depth} pays above acceptance {plan.pays_above:.2f}"
            if plan.pays_above is not None
            else f"depth {plan.depth} pays at no acceptance"
        )
        told.append(f"drafting: {best}, without {plan.tokens_per_s[0]:.1f} tokens/s; {pays}")
    if answer.prefill:
        read = answer.prefill
        told.append(
            f"prefill {read.tokens_per_s:.0f} tokens/s ({read.low:.0f}-{read.high:.0f}) at ubatch"
            f" {read.ubatch}: {read.ttft_s:.0f} s to the first token of {read.prompt_tokens:,}"
        )
    if answer.context:
        told.append(_room(answer.context))
    return told


def _room(room: Ceiling) -> str:
    """Say how much context the cards leave room for."""
    if not room.boots_tokens:
        return "context: none boots, what is placed on the cards fills them; place less there"
    return (
        f"context: about {room.boots_tokens:,} tokens boot, {room.survives_tokens:,} survive"
        " the first deep prefill"
    )


def _extras(answer: Answer) -> str:
    drafted = (
        f", depth {answer.depth} at acceptance {answer.acceptance:.2f}" if answer.depth else ""
    )
    hits = f", cache hits {answer.hit_rate:.0%}" if answer.hit_rate is not None else ""
    return drafted + hits


def _verdict(answer: Answer) -> str:
    if answer.fits is None:
        return " (give --ram to see whether it fits)"
    return ", fits" if answer.fits else ", DOES NOT FIT"
