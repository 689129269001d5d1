"""Look at every machine's folders, in as many processes as there are cores."""

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping

from ingest.stamps import Stamp

WALKED_ALONE = 20_000
"""Machines below which one process walks as fast as two: about half a second of looking."""

# What walkers inherit when they are forked: to send it would take as long as the walk.
_inherited: list[tuple[str, list[tuple[str, Stamp]]]] = []


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0))


@contextlib.contextmanager
def finding_moved(reports: str, stamps: Mapping[str, Stamp]) -> Iterator[Callable[[], set[str]]]:
    """Begin to look for machines of which something looks other than its stamp says.

    What is given waits for the end and names them; meanwhile the caller may do something else.
    """
    told, walkers = [*stamps.items()], cores()
    if walkers < 2 or len(told) < WALKED_ALONE:
        yield lambda: {name for name, stamp in told if not stamp.stands(reports)}
        return
    _inherited.append((reports, told))
    # Forked, which is safe as long as no thread was started; walkers only look.
    with multiprocessing.get_context("fork").Pool(walkers) as pool:
        parts = pool.map_async(_moved_of, [slice(n, None, walkers) for n in range(walkers)])
        yield lambda: {name for part in parts.get() for name in part}
    _inherited.clear()


def _moved_of(part: slice) -> list[str]:
    reports, stamps = _inherited[0]
    return [name for name, stamp in stamps[part] if not stamp.stands(reports)]
