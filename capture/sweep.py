"""Sweep one setting of a server that is started by a given command: arms interleaved, boots paired.

Pools are laid out anew at each boot and swing speeds by a fifth between boots of one command
(club-3090 `scripts/bench.sh`), so an arm has at least two boots, and no arm runs all of its own
together: a rig that warms up would favour one.
"""

import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from capture.bench import Named, Options, Timing, bench, run_facts
from capture.client import Target
from capture.endpoint import Server, Unusable, is_alive
from capture.journal import Journal
from capture.process import Process, public_argv, value_of
from capture.runner import Ended
from ingest.misuse import Misuse

LEAST_BOOTS = 2
MOST_ARMS = 7
AXES = {"threads": "launch.threads", "depth": "launch.drafter.depth", "ub": "launch.ubatch"}
"""What can be swept, and the field of the run that it is."""


class Sweep(NamedTuple):
    """One setting, its values, and the command with `{setting}` in it."""

    name: str
    values: tuple[int, ...]
    command: str
    boots: int
    log: Path


def parse_sweep(text: str, command: str | None, boots: int, log: Path) -> Sweep:
    """Read `threads=8..32`, `threads=8..32:4` or `depth=0,2,5`."""
    found = re.fullmatch(r"([a-z]+)=(?:([0-9]{1,6})\.\.([0-9]{1,6})(?::([0-9]{1,6}))?|"
                         r"([0-9]{1,6}(?:,[0-9]{1,6})*))", text)  # fmt: skip
    if not found or found[1] not in AXES:
        raise Misuse(
            f"--sweep {text!r}: write {' or '.join(AXES)}=A..B, A..B:STEP or A,B,C,"
            " such as threads=8..32"
        )
    if not command or f"{{{found[1]}}}" not in command:
        raise Misuse(
            f"a sweep restarts the server: --server gives its command with {{{found[1]}}} in it"
        )
    if boots < LEAST_BOOTS:
        raise Misuse(f"--boots takes {LEAST_BOOTS} or more: one boot cannot tell arm from chance")
    values = _values(found) if found[5] is None else [int(part) for part in found[5].split(",")]
    if not values:
        raise Misuse(f"--sweep {text!r} has no values")
    return Sweep(found[1], tuple(dict.fromkeys(values)), command, boots, log)


def _values(found: "re.Match[str]") -> list[int]:
    low, high = int(found[2]), int(found[3])
    step = int(found[4]) if found[4] else max(-(-(high - low) // (MOST_ARMS - 1)), 1)
    return list(range(low, high + 1, max(step, 1)))


def order(sweep: Sweep) -> Iterator[tuple[int, int]]:
    """List (value, boot): each boot goes through all arms, there and back again."""
    for boot in range(1, sweep.boots + 1):
        arms = sweep.values if boot % 2 else sweep.values[::-1]
        yield from ((value, boot) for value in arms)


def run_sweep(
    sweep: Sweep, target: Target, journal: Journal, options: Options, timing: Timing
) -> list[Ended]:
    """Boot and bench each arm; an arm that does not boot is a failed run, not the sweep's end."""
    ended: list[Ended] = []
    series = {"name": f"{sweep.name}-sweep", "axis": AXES[sweep.name]}
    for value, boot in order(sweep):
        run = _run_name(journal, f"{sweep.name}-{value}-boot-{boot}")
        if run is None:
            continue
        timing.say(f"{run} of {len(sweep.values) * sweep.boots} boots")
        words = [word.replace(f"{{{sweep.name}}}", str(value))
                 for word in shlex.split(sweep.command)]  # fmt: skip
        try:
            with booted(words, target, sweep.log) as load_s:
                ended += bench(target, journal, options, timing, Named(run, series))
                journal.write("boot", run=run, load_s=round(load_s, 1))
        except Unusable as error:
            ended.append(_not_booted(journal, options, words, Named(run, series), str(error)))
    return ended


def _run_name(journal: Journal, name: str) -> str | None:
    """Name an arm's run; None where it was ended before. What was cut is begun anew.

    Requests of two boots are never put together: a boot is what differs.
    """
    if any(line["run"] == name for line in journal.of("end")):
        return None
    begun = any(line["run"] == name for line in journal.of("run"))
    return _run_name(journal, f"{name}-again") if begun else name


def _not_booted(
    journal: Journal, options: Options, words: list[str], named: Named, reason: str
) -> Ended:
    """Write down an arm that did not boot: its command is known, and that it failed."""
    if not any(line["run"] == named.run for line in journal.of("run")):
        file = public_argv([value_of(words, ("-m", "--model")) or "unknown"])[0]
        server = Server(None, None, file, None, None, None, None, None, has_metrics=False)
        process = Process(0, tuple(words))
        journal.write("run", **run_facts(journal, options, server, process, named))
    ended = Ended("boot", "server", reason, alive=False)
    journal.write("stage", run=named.run, **ended._asdict())
    journal.write("end", run=named.run)
    return ended


BOOT_S = 1800
"""150 GB from a slow disk take ten minutes and more."""
POLL_S = 0.5


@contextmanager
def booted(words: list[str], target: Target, log: Path) -> Iterator[float]:
    """Start a server without a shell, wait until it answers, stop it at the end."""
    if is_alive(target):
        raise Unusable(f"something answers at {target.url} already; stop it, or sweep another port")
    with log.open("ab") as file:
        try:
            process = subprocess.Popen(words, stdout=file, stderr=file)  # noqa: S603 - the owner's own command
        except OSError as error:
            raise Unusable(f"{words[0]} does not start: {error}") from error
        try:
            yield _answers(process, target, log)
        finally:
            _stop(process)


def _answers(process: "subprocess.Popen[bytes]", target: Target, log: Path) -> float:
    start = time.perf_counter()
    while time.perf_counter() - start < BOOT_S:
        if process.poll() is not None:
            raise Unusable(f"the server ended with code {process.returncode}; see {log}")
        if is_alive(target):
            return time.perf_counter() - start
        time.sleep(POLL_S)
    raise Unusable(f"the server did not answer within {BOOT_S} s; see {log}")


STOP_S = 30


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
