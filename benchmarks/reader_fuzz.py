"""Fuzz each reader for a while: damaged and mixed texts must be answered, whatever they are.

python benchmarks/reader_fuzz.py [SECONDS]
"""

import random
import string
import sys
import time
from pathlib import Path

from ingest.bundle import Source
from ingest.catalog import load_catalog
from ingest.readers.reader import format_names, read

ROOT = Path(__file__).parents[1]
SECONDS = 60.0
SLOWEST_S = 2.0
ODD = string.printable + "—×é\u0661\u200b\u2028\U0001d7d9\x00"


def damaged(text: str, texts: list[str], chance: random.Random) -> str:
    """Damage `text` in one of the ways that pastes are."""
    at = chance.randrange(len(text) + 1)
    lines = text.split("\n")
    way = chance.randrange(6)
    if way == 0:
        return text[at:]
    if way == 1:
        return text[:at]
    if way == 2:
        chance.shuffle(lines)
        return "\n".join(lines)
    if way == 3:
        other = chance.choice(texts).split("\n")
        return "\n".join(line for pair in zip(lines, other, strict=False) for line in pair)
    if way == 4:
        return text[:at] + "".join(chance.choices(ODD, k=50)) + text[at:]
    return "".join(
        c * chance.randint(1, 30) if c.isdigit() and chance.random() < 0.01 else c for c in text
    )


def main() -> int:
    """Fuzz every format in turn; a crash is a traceback, a slow text is named."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    catalog, _ = load_catalog(ROOT / "data/catalog")
    samples = sorted((ROOT / "tests/reports/samples").iterdir())
    texts = [path.read_text() for path in [ROOT / "tests/reports/rig-report.md", *samples]]
    names: list[str | None] = [None, *format_names()]
    seed = time.time_ns()
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    print(f"seed {seed}, {seconds:g} s for each of {len(names)} readers")
    for name in names:
        count, end = 0, time.monotonic() + seconds
        while time.monotonic() < end:
            text = damaged(damaged(chance.choice(texts), texts, chance), texts, chance)
            start = time.process_time()
            read(text, Source(kind="file", url="fuzz"), catalog, name)
            if time.process_time() - start > SLOWEST_S:
                print(f"{name}: {len(text)} characters took {time.process_time() - start:.1f} s")
                return 1
            count += 1
        print(f"{name or 'any':<16} {count} texts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
