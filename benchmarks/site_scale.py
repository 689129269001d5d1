"""Build the site of 5,000 generated rigs: time, memory, and the heaviest pages.

    python benchmarks/site_scale.py [BUNDLES] [FOLDER]

Bundles are generated from the record's own runs (`benchmarks/generate.py`), at least two a rig in
the mean; the default number gives more rigs and rows than the goal names. Invented figures need not
be plausible, so rows that the check would refuse are kept.
"""

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.generate import generate
from benchmarks.record import read_record
from benchmarks.site import wire_kib
from ingest.catalog import load_catalog
from ingest.check import check
from ingest.store import build
from sitegen.build import build_site
from sitegen.record import read_record as read_tables

ROOT = Path(__file__).parents[1]
BUNDLES = 10_000
"""About 5,000 rigs, and more than 50,000 rows."""

GOAL_SECONDS, GOAL_GIB = 180, 2.0
"""The project's goal for a build of that size."""

HEAVIEST = 5


def checkout(folder: Path, bundles: int) -> Path:
    """Copy what a build reads, beside a database of generated bundles."""
    generate(folder / "generated", bundles, 9, read_record(ROOT / "data"))
    catalog, _ = load_catalog(ROOT / "data/catalog")
    filed = check([folder / "generated"]).filed
    root = folder / "checkout"
    ignore = shutil.ignore_patterns("results", ".results.*")
    shutil.copytree(ROOT / "site/docs", root / "site/docs", ignore=ignore)
    shutil.copy(ROOT / "mkdocs.yml", root)
    build(root / "build/rigbook.duckdb", filed, catalog, ())
    return root


def peak_gib() -> float:
    """Give the most memory that this process or one that it started has held."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(one).ru_maxrss for one in who) / 1024**2


def cpu_seconds() -> float:
    """Add up the processor time of this process and those that it started."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


def measure(folder: Path, bundles: int) -> int:
    """Build once and print; 1 if the goal is missed."""
    root = checkout(folder, bundles)
    counts = read_tables(root / "build/rigbook.duckdb").counts
    started, used = time.monotonic(), cpu_seconds()
    built = build_site(root, root / "build/rigbook.duckdb", ROOT / "models/fitted/model.json")
    seconds, cpu = time.monotonic() - started, cpu_seconds() - used
    for problem in built.problems:
        print(problem)
    print(f"{counts['rigs']:,} rigs, {counts['measurements']:,} rows, {built.pages:,} pages")
    print(f"{seconds:.0f} s ({cpu:.0f} s of processor), {peak_gib():.2f} GiB, {built.mib:.0f} MiB")
    pages = sorted(built.folder.rglob("*.html"), key=lambda path: -path.stat().st_size)
    for path in [*pages[:HEAVIEST], built.folder / "search/search_index.json"]:
        print(f"{wire_kib(path):8.1f} KiB over the wire  {path.relative_to(built.folder)}")
    return 1 if built.problems or cpu > GOAL_SECONDS or peak_gib() > GOAL_GIB else 0


def main() -> int:
    """Measure in a folder that is removed afterwards, below the one that is named."""
    bundles = int(sys.argv[1]) if len(sys.argv) > 1 else BUNDLES
    parent = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        return measure(Path(folder), bundles)


if __name__ == "__main__":
    sys.exit(main())
