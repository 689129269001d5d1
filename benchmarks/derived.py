"""Measure what is derived of a loaded record: the fit and its evaluation; a reader, a keystroke.

Each in one process and by processor time, with the growth exponent over its sizes.
"""

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.measure import ROOT
from benchmarks.reader_speed import full_report
from ingest.bundle import Source
from ingest.catalog import Catalog
from ingest.readers.reader import read
from ingest.store import opened
from models.evaluate import evaluate
from models.facts import Facts, facts_of
from models.features import Features
from models.fit import read_features
from models.record import load_model
from models.rows import FitRow
from models.training import train
from sitegen.browser import browser_json

Row = dict[str, Any]
KEYSTROKES = 200

KEYSTROKE = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [, , folder, file, times] = process.argv;
const load = (name) => import(`${pathToFileURL(folder)}/${name}.js`);
const { unpack } = await load("model");
const { EMPTY } = await load("request");
const { predict } = await load("predict");
const model = unpack(JSON.parse(readFileSync(file, "utf-8")));
for (let i = 0; i < Number(times); i += 1) {
  const start = performance.now();
  predict(model, { ...EMPTY, triad_gbps: 40 + i / 10, cores: 16 });
  console.log(performance.now() - start);
}
"""
"""Answers as the page does at each keystroke, without drawing."""


def cpu_s(call: Callable[[], object]) -> float:
    """Time a call by what it takes of the processor, on one thread as the fit runs."""
    begun = time.process_time()
    with threadpool_limits(1):
        call()
    return time.process_time() - begun


def read_rows(db: Path, catalog: Catalog) -> tuple[Features, Facts]:
    """Read what the fit reads."""
    facts = facts_of(catalog)
    with opened(db) as connection:
        return read_features(connection, catalog, facts), facts


def grown(rows: list[FitRow], count: int) -> list[FitRow]:
    """Repeat rows up to `count`, each time on machines of another name."""
    copies = -(-count // len(rows))
    many = (row._replace(rig=f"{row.rig}-{n}") for n in range(copies) for row in rows)
    return [row for row, _ in zip(many, range(count), strict=False)]


def fits(db: Path, catalog: Catalog, sizes: list[int]) -> Iterator[Row]:
    """Time one training, which predictions come from, against rows."""
    found, facts = read_rows(db, catalog)
    for size in sizes:
        rows = grown(list(found.used), size)
        yield {"what": "fit", "rows": size, "cpu_s": cpu_s(partial(train, rows, facts))}


def evaluations(db: Path, catalog: Catalog, sizes: list[int]) -> Iterator[Row]:
    """Time the evaluation on machines left out, from which the intervals come too."""
    found, facts = read_rows(db, catalog)
    for size in sizes:
        some = found._replace(used=grown(list(found.used), size), excluded=[])
        took = cpu_s(partial(evaluate, some, facts))
        rigs = len({row.rig for row in some.used})
        yield {"what": "evaluate", "rows": size, "rigs": rigs, "cpu_s": took}


def reports(catalog: Catalog, copies: list[int]) -> Iterator[Row]:
    """Time the readers on reports of one full report's length and more."""
    text = full_report()
    for count in copies:
        long = text * count
        call = partial(read, long, Source(kind="file", url="report.md"), catalog)
        took = statistics.median(cpu_s(call) for _ in range(5))
        yield {"what": "read a report", "bytes": len(long), "cpu_s": took, "per_s": 1 / took}


def keystrokes() -> Iterator[Row]:
    """Time the predictor page's answer to each keystroke in node, where it is installed."""
    node = shutil.which("node")
    if not node:
        return
    with tempfile.TemporaryDirectory() as name:
        script, model = Path(name) / "keystroke.mjs", Path(name) / "model.json"
        script.write_text(KEYSTROKE)
        model.write_text(browser_json(load_model(ROOT / "models/fitted/model.json")))
        modules = ROOT / "site/docs/assets/predictor"
        told = subprocess.run(
            [node, script, modules, model, str(KEYSTROKES)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    took = [float(line) for line in told.stdout.split()]
    p95 = statistics.quantiles(took, n=20)[-1]
    yield {"what": "a keystroke", "p50_ms": statistics.median(took), "p95_ms": p95}
