"""Time the readers on whole reports, redaction included.

    python benchmarks/reader_speed.py [FILE…]

Without files, the own sample is repeated to the size of a full report (40 kB).
"""

import statistics
import sys
import time
from pathlib import Path

from ingest.bundle import Source
from ingest.catalog import load_catalog
from ingest.readers.reader import read

ROOT = Path(__file__).parents[1]
FULL_BYTES = 40_000
ROUNDS = 20
WANTED_PER_S = 40


def full_report() -> bytes:
    """Fill the own report with the log lines that make real ones long."""
    report = (ROOT / "tests/reports/rig-report.md").read_text()
    log = (ROOT / "tests/reports/samples/llama-server.log").read_text()
    filler = "### Full boot log (first 200 lines)\n\n```\n" + log * 40
    head, mark, tail = report.partition("## bench.sh output")
    return (head + filler[: FULL_BYTES - len(report)] + "\n```\n\n" + mark + tail).encode()


def main() -> int:
    """Print reports a second, on one core; 1 when below the wanted rate."""
    catalog, _ = load_catalog(ROOT / "data/catalog")
    texts = [Path(word).read_bytes() for word in sys.argv[1:]] or [full_report()]
    slowest = float("inf")
    for text in texts:
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            read(text, Source(kind="file", url="report.md"), catalog)
            times.append(time.process_time() - start)
        median = statistics.median(times)
        slowest = min(slowest, 1 / median)
        print(f"{len(text):>7,} bytes  {median * 1000:6.1f} ms  {1 / median:5.0f} reports a second")
    return 0 if slowest >= WANTED_PER_S else 1


if __name__ == "__main__":
    sys.exit(main())
