"""A folder that is written whole beside its place and then swapped in."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def swapped(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill; swap it in as `folder` unless the block raises.

    The fresh folder lies beside its place, under a name that starts with a dot, so that neither a
    file server nor mkdocs looks into it and the last step is a rename.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    fresh.mkdir()
    try:
        yield fresh
        if folder.exists():
            folder.rename(old)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what a killed build left beside `folder`, unless its process still runs.

    A build killed between the two renames leaves the old folder under its other name: it is put
    back.
    """
    for left in sorted(folder.parent.glob(f".{folder.name}.*.*")):
        process, _, kind = left.name.removeprefix(f".{folder.name}.").partition(".")
        if not process.isdigit() or Path("/proc", process).exists():
            continue
        if kind == "old" and not folder.exists():
            left.rename(folder)
        else:
            shutil.rmtree(left)
