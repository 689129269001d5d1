"""Can the numbers of a run be trusted? One panel, each line with what was seen and a remedy."""

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from capture.answered import Answered, answers, is_fresh, usable


class Finding(NamedTuple):
    """One line of the panel."""

    name: str
    state: Literal["pass", "advisory", "fail", "unknown"]
    text: str


MOST_CV, MOST_DIVERGENCE, MOST_TREND = 0.05, 0.05, 0.05
"""5 %: what a quiet rig never reaches within a boot (club-3090 reports: CV 0.3 to 2.3 %)."""
MOST_OTHERS = 0.5
"""Processors that others keep busy: one spinning neighbour stalls every thread of a pass."""
MOST_SWAP_MIB = 16
"""Pages of a server's start-up that the kernel put aside are no model weights."""


def panel(lines: Sequence[dict[str, Any]], run: str) -> list[Finding]:
    """List all findings about one run."""
    found = answers(lines, run)
    measured = [one for one in found if one.phase == "measured"]
    bench = [one for one in measured if one.stage in ("bench", "greedy")]
    watched = _watched(lines, run, soak=False)
    return [
        _status(measured), _swap(watched), _usable(bench), *_spreads(bench), *_trends(bench),
        _contention(watched), _divergence(bench), _windows(bench), _caches(measured),
        *_soak(lines, run, measured), *_busy(lines, run), *_expert_cache(lines, run),
    ]  # fmt: skip


def _watched(lines: Sequence[dict[str, Any]], run: str, *, soak: bool) -> dict[str, Any]:
    """Find the last samples beside the soak, or beside the other stages."""
    found = (
        line
        for line in reversed(lines)
        if line["kind"] == "watch" and line["run"] == run and line.get("soak", False) is soak
    )
    return next(found, {})


def _status(measured: list[Answered]) -> Finding:
    failed = [one for one in measured if one.reply is None]
    silent = [one for one in measured if one.reply and not one.reply.answered]
    if not measured:
        return Finding("status", "fail", "no measured request; see the reason of the stage")
    if failed:
        # A stage beside the bench that fails says nothing against the bench's own numbers.
        inside = any(one.stage == "bench" for one in failed)
        state: Literal["fail", "advisory"] = "fail" if inside else "advisory"
        return Finding("status", state, f"{len(failed)} of {len(measured)} requests failed")
    if silent:
        return Finding(
            "status", "advisory",
            f"{len(silent)} of {len(measured)} answers were thoughts alone; --room 2000 gives space"
            " to answer",
        )  # fmt: skip
    return Finding("status", "pass", f"all {len(measured)} requests were answered")


def _swap(watched: dict[str, Any]) -> Finding:
    paged, grown = watched.get("server_swap_mib"), watched.get("swap_growth_mib")
    if paged is None and grown is None:
        return Finding("swap", "unknown", "the server's process is not known; --pid names it")
    if (paged or 0) > MOST_SWAP_MIB or (grown or 0) > MOST_SWAP_MIB:
        return Finding(
            "swap", "fail",
            f"{paged or 0:.0f} MiB of the server are paged out, swap grew by {grown or 0:.0f} MiB:"
            " the model does not fit; free memory or offload less",
        )  # fmt: skip
    return Finding("swap", "pass", "nothing of the server is paged out")


def _usable(bench: list[Answered]) -> Finding:
    kept = sum(usable(one) for one in bench)
    if kept == len(bench):
        return Finding("n-usable", "pass", f"{kept} of {len(bench)} runs are long enough")
    return Finding(
        "n-usable", "advisory",
        f"{len(bench) - kept} of {len(bench)} runs ended before a quarter of their tokens;"
        " the spread is of fewer runs than it seems",
    )  # fmt: skip


def _by_shape(bench: list[Answered]) -> Iterator[tuple[str, list[float]]]:
    for key in dict.fromkeys((one.stage, one.workload) for one in bench):
        rates = [
            one.reply.decode_tokens_per_s
            for one in bench
            if (one.stage, one.workload) == key and one.reply
        ]
        yield " ".join(key), [rate for rate in rates if rate]


def _spreads(bench: list[Answered]) -> Iterator[Finding]:
    for name, rates in _by_shape(bench):
        if len(rates) > 1:
            cv = statistics.stdev(rates) / statistics.fmean(rates)
            state: Literal["pass", "advisory"] = "pass" if cv <= MOST_CV else "advisory"
            remedy = "" if cv <= MOST_CV else "; run again on a quiet host"
            yield Finding("spread", state, f"{name}: CV {cv:.1%} over {len(rates)} runs{remedy}")


def _trends(bench: list[Answered]) -> Iterator[Finding]:
    """See a cache that is still warming: each run faster than the one before."""
    for name, rates in _by_shape(bench):
        rising = all(later > earlier for earlier, later in pairwise(rates))
        if len(rates) > 2 and rising and rates[-1] > rates[0] * (1 + MOST_TREND):
            yield Finding(
                "warming", "advisory",
                f"{name}: each run was faster than the one before ({rates[0]:.1f} to"
                f" {rates[-1]:.1f}): a cache still warms; run again on the warm server",
            )  # fmt: skip


def _contention(watched: dict[str, Any]) -> Finding:
    others = watched.get("cpu_others")
    if others is None:
        return Finding("contention", "unknown", "the server's process is not known; --pid names it")
    if others > MOST_OTHERS:
        return Finding(
            "contention", "advisory",
            f"others kept {others:.1f} processors busy: a waiting thread holds up all; stop them",
        )  # fmt: skip
    return Finding("contention", "pass", f"others used {others:.1f} processors")


def _divergence(bench: list[Answered]) -> Finding:
    """Hold the client's mean against the engine's, shape by shape; the widest gap counts."""
    gaps = [
        (abs(client - engine) / engine, name, client, engine)
        for name, client, engine in _both(bench)
    ]
    if not gaps:
        return Finding("divergence", "unknown", "the server gives no rate of its own")
    apart, name, client, engine = max(gaps)
    text = f"{name}: client {client:.2f} against engine {engine:.2f} tokens/s: {apart:.1%} apart"
    if apart > MOST_DIVERGENCE:
        return Finding("divergence", "advisory", f"{text}; the run is marked")
    return Finding("divergence", "pass", text)


def _both(bench: list[Answered]) -> Iterator[tuple[str, float, float]]:
    """List mean rates of client and engine over the runs that have both."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for one in bench:
        reply = one.reply
        if reply and reply.decode_tokens_per_s and reply.timings.decode_tokens_per_s:
            rates = (reply.decode_tokens_per_s, reply.timings.decode_tokens_per_s)
            pairs.setdefault(f"{one.stage} {one.workload}", []).append(rates)
    for name, rates_of in pairs.items():
        client, engine = (statistics.fmean(side) for side in zip(*rates_of, strict=True))
        yield name, client, engine


def _windows(bench: list[Answered]) -> Finding:
    short = [one for one in bench if one.reply and one.reply.decode_tokens_per_s is None]
    if not short:
        return Finding("decode window", "pass", "every run has one")
    return Finding(
        "decode window", "advisory",
        f"{len(short)} of {len(bench)} answers came in one piece: they have no decode rate",
    )  # fmt: skip


MOST_GROWTH_MIB = 200
"""What a soak of 25 turns may take more (club-3090 `soak-test.sh`)."""
LEAST_RETENTION = 0.9


def _soak(lines: Sequence[dict[str, Any]], run: str, measured: list[Answered]) -> Iterator[Finding]:
    """Look for memory that grows, answers that are empty and speed that fades over many turns."""
    turns = [one for one in measured if one.stage == "soak"]
    if not turns:
        return
    watched = _watched(lines, run, soak=True)
    vram = (watched.get("vram_end_mib") or 0) - (watched.get("vram_start_mib") or 0)
    grown = max(vram, watched.get("rss_growth_mib") or 0)
    empty = sum(one.reply is None or not one.reply.answered for one in turns)
    rates = [one.reply.decode_tokens_per_s for one in turns if one.reply]
    known = [rate for rate in rates if rate]
    half = len(known) // 2
    kept = statistics.fmean(known[-half:]) / statistics.fmean(known[:half]) if half else 1.0
    good = grown <= MOST_GROWTH_MIB and not empty and kept >= LEAST_RETENTION
    yield Finding(
        "soak", "pass" if good else "advisory",
        f"memory grew by {grown:.0f} MiB, {empty} of {len(turns)} answers were empty, the second"
        f" half ran at {kept:.0%} of the first",
    )  # fmt: skip


def _busy(lines: Sequence[dict[str, Any]], run: str) -> Iterator[Finding]:
    for line in lines:
        if line["kind"] == "busy" and line["run"] == run:
            yield Finding(
                "server", "advisory",
                f"it was answering {line['slots']} requests of others when the run began: stop"
                " them and run again",
            )  # fmt: skip


def _expert_cache(lines: Sequence[dict[str, Any]], run: str) -> Iterator[Finding]:
    """See a cache that is only half there, is passed by, or fails, though the server is healthy."""
    for line in lines:
        if line["kind"] != "cache" or line["run"] != run:
            continue
        if line["failed"]:
            text = f"{line['failed']} fills, dispatches or collects failed; see the server's log"
            yield Finding("expert cache", "fail", text)
        if line["uncached"]:
            text = f"{', '.join(line['uncached'])} has no room for it: leave more memory free there"
            yield Finding("expert cache", "advisory", text)
        if line["bypassed"]:
            text = f"{line['bypassed']} batches were too large for it: draft fewer tokens a pass"
            yield Finding("expert cache", "advisory", text)
        if line["lookups"] == 0:
            text = "it served no look-up in the run: it may be off, or a drafter holds the card"
            yield Finding("expert cache", "advisory", text)


def _caches(measured: list[Answered]) -> Finding:
    deep = [one.reply for one in measured if one.reply and one.stage.startswith("prefill")]
    cached = [reply for reply in deep if not is_fresh(reply)]
    if not deep:
        return Finding("prefill cache", "unknown", "no prefill stage")
    if cached:
        text = f"{len(cached)} of {len(deep)} prompts came from a cache and are left out"
        return Finding("prefill cache", "advisory", text)
    return Finding("prefill cache", "pass", "every prompt was read afresh")
