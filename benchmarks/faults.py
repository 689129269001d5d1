"""Break what can break, and see that the old state or the new one stands, never a third.

    python -m benchmarks.faults --times 100 --seed 9

Every fault gets a workplace and raises AssertionError when something else than the old or the new
state is found, or when the message does not say what to do.
"""

import argparse
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.workplace import (
    MACHINES,
    Ended,
    Workplace,
    change,
    contents,
    ended,
    hold,
    left_beside,
    load,
    pages,
    started,
    verb,
    wanted,
    workplace,
)

MEMORY_KIB = 1 << 20
"""1 GiB of address space, the limit that the issue names."""

MAGIC = b"DUCK"
"""DuckDB's main header: an 8-byte checksum, these letters, the version of the format as 8 bytes."""

Fault = Callable[[Workplace], None]


def killed_load(place: Workplace) -> None:
    """Kill -9 at a random moment of a load; the next load brings the new state in."""
    old = contents(place.db)
    change(place)
    if place.rng.random() < 0.3:
        place.db.with_name(f".{place.db.name}.ledger").unlink(missing_ok=True)
    begun = time.monotonic()
    new = wanted(place)
    _kill(place, "load", time.monotonic() - begun)
    hold(contents(place.db) in {old, new}, "a killed load left a third state")
    _recovers(place, new)


def _recovers(place: Workplace, new: str) -> None:
    again = load(place)
    hold(again.code == 0, f"the next load works: {again.said}")
    hold(contents(place.db) == new, "the next load brings the new state in")
    hold(not left_beside(place.db), "nothing of the load before is left")


def killed_fit(place: Workplace) -> None:
    """Kill -9 at a random moment of a fit; the model is the one that was there, byte for byte."""
    lasts_s = _lasts_s(place, "fit")
    old = place.model.read_bytes()
    _kill(place, "fit", lasts_s)
    # A fit that ended just before the kill wrote the same bytes: it is of the same rows.
    hold(place.model.read_bytes() == old, "a killed fit left another model")


def killed_site(place: Workplace) -> None:
    """Kill -9 at a random moment of a site build; every page is of the old site or of the new."""
    lasts_s = _lasts_s(place, "site")
    change(place)
    hold(load(place).code == 0, "a load works")
    old = pages(place.site)
    _kill(place, "site", lasts_s)
    left = pages(place.site)
    if left != old:
        again = ended(started(verb(place, "site")))
        hold(again.code == 0, f"the next build works: {again.said}")
        hold(left == pages(place.site), "a killed build left a third site")


def _lasts_s(place: Workplace, name: str) -> float:
    """Tell how long a verb takes when left alone; the first time it is run, and its work stays."""
    note = place.db.with_name(f"{name}_lasts_s")
    if not note.exists():
        begun = time.monotonic()
        first = ended(started(verb(place, name)))
        hold(first.code == 0, f"{name} works when left alone: {first.said}")
        note.write_text(f"{time.monotonic() - begun}")
    return float(note.read_text())


def _kill(place: Workplace, name: str, within_s: float) -> None:
    process = started(verb(place, name))
    time.sleep(place.rng.uniform(0, within_s))
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@contextlib.contextmanager
def _on_disk_of(place: Workplace, size: str) -> Iterator[Workplace]:
    """Move the database to a file system of `size`; without the right to mount, say so."""
    disk = place.db.parents[1] / "disk"
    disk.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=True)
    try:
        shutil.copy(place.db, disk)
        yield place._replace(db=disk / place.db.name)
    finally:
        subprocess.run(["umount", disk], check=True)


def full_disk(place: Workplace) -> None:
    """Load where the old database leaves no room for another."""
    room = place.db.stat().st_size + place.rng.randrange(1 << 12, place.db.stat().st_size // 2)
    change(place)
    if os.geteuid():
        _refused(place, load(place, ("bash", "-c", 'ulimit -f 64; exec "$@"', "bash")))
        return
    with _on_disk_of(place, str(room)) as small:
        _refused(small, load(small))


def read_only_disk(place: Workplace) -> None:
    """Load into a place where nothing may be written."""
    change(place)
    if os.geteuid():
        place.db.parent.chmod(0o500)
        try:
            _refused(place, load(place))
        finally:
            place.db.parent.chmod(0o700)
        return
    with _on_disk_of(place, "64m") as fixed:
        subprocess.run(["mount", "-o", "remount,ro", fixed.db.parent], check=True)
        _refused(fixed, load(fixed))


def _refused(place: Workplace, ending: Ended) -> None:
    hold(
        ending.code == 2, f"a load that cannot write exits with 2, not {ending.code}: {ending.said}"
    )
    hold("as it was" in ending.said and "--db" in ending.said, f"says what to do: {ending.said}")
    hold("Traceback" not in ending.said, f"is no bug: {ending.said}")
    hold(bool(contents(place.db)), "the old database can be read")


def corrupt_database(place: Workplace) -> None:
    """Spoil the database at a random place: a reader says what to do, a load builds it anew."""
    new = wanted(place)
    content = bytearray(place.db.read_bytes())
    at = place.rng.choice([0, 8, len(content) // 2])
    place.db.write_bytes(content[:at] + b"\xff" * 4096 if at else b"")
    asked = ended(started(verb(place, "query")))
    hold(asked.code == 2 and "rigbook load" in asked.said, f"says what to do: {asked.said}")
    _recovers(place, new)


def newer_database(place: Workplace) -> None:
    """Find a database of a storage version yet to come."""
    new = wanted(place)
    content = bytearray(place.db.read_bytes())
    hold(content[8:12] == MAGIC, "the header of a DuckDB file is where it was")
    content[12:20] = (9999).to_bytes(8, "little")
    place.db.write_bytes(content)
    asked = ended(started(verb(place, "query")))
    hold(asked.code == 2 and "newer" in asked.said, f"says what to do: {asked.said}")
    _recovers(place, new)


def newer_report(place: Workplace) -> None:
    """Find a report of a form yet to come: the old database stays, the message says update."""
    old = contents(place.db)
    report = place.rng.choice(sorted(place.data.rglob("report.json")))
    kept = report.read_text()
    report.write_text(kept.replace('"schema_version": 1', '"schema_version": 2'))
    refused = load(place)
    report.write_text(kept)
    hold(refused.code == 1 and "update Rigbook" in refused.said, f"says update: {refused.said}")
    hold(contents(place.db) == old, "the old database stays")


def clock_back(place: Workplace) -> None:
    """Let all that was written so far be of next year; what changes now is still seen."""
    future = time.time() + 365 * 86400
    for path in (*place.data.rglob("*"), *place.db.parent.iterdir()):
        os.utime(path, (future, future))
    hold(load(place).code == 0, "a load among files of next year works")
    change(place)
    new = wanted(place)
    hold(load(place).code == 0, "a load after the clock went back works")
    hold(contents(place.db) == new, "what changed after the clock went back is in")


def two_loads(place: Workplace) -> None:
    """Load twice at once: both work, and the result is what one makes."""
    change(place)
    new = wanted(place)
    both = [started(verb(place, "load")) for _ in range(2)]
    ends = [ended(process) for process in both]
    hold([end.code for end in ends] == [0, 0], f"both loads work: {ends}")
    hold(contents(place.db) == new, "two loads make what one makes")


def little_memory(place: Workplace) -> None:
    """Load within 1 GiB: in that much memory it works, in that much address space it may not.

    Libraries reserve addresses that they never use; where they get none, the process falls, and
    the old state stands.
    """
    old = contents(place.db)
    change(place)
    new = wanted(place)
    load(place, ("bash", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "bash"))
    hold(contents(place.db) in {old, new}, "a load without memory left a third state")
    _recovers(place, new)
    used_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    hold(used_kib < MEMORY_KIB, f"a load works within 1 GiB, took {used_kib >> 10} MiB")


ONCE: tuple[Fault, ...] = (
    full_disk, read_only_disk, corrupt_database, newer_database, newer_report, clock_back,
    two_loads, little_memory,
)  # fmt: skip


KILLS: tuple[tuple[Fault, int], ...] = ((killed_load, 6), (killed_fit, 2), (killed_site, 2))
"""What is killed, and how many of ten kills it gets: a load is what runs most often."""


def machines_of(fault: Fault) -> int | None:
    """Tell how many machines a fault needs: a fit the whole record, for it refuses a few."""
    return None if fault is killed_fit else MACHINES


def main() -> None:
    """Run every fault, kills as often as asked, each in a workplace of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=100, help="kills, of all verbs together")
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    kills = [(fault, args.times * share // 10) for fault, share in KILLS]
    for fault, times in (*((one, 1) for one in ONCE), *kills):
        with tempfile.TemporaryDirectory() as root:
            place = workplace(Path(root), args.seed, machines_of(fault))
            for number in range(times):
                fault(place)
                sys.stderr.write(f"\r{fault.__name__} {number + 1}/{times} ")
        print(f"{fault.__name__}: {times} times, old or new each time")


if __name__ == "__main__":
    main()
