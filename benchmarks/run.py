"""Measure speed and size, each against a peer or a floor in the same run; `make bench`.

    python -m benchmarks.run [--sizes 1000 10000] [--out build/bench/results.json]

Ratios are the result; times are those of this machine today. llmfit is measured where it is on
PATH or named by $LLMFIT, orjson where it is installed; a missing peer is said, not made up.
"""

import argparse
import importlib.util
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.generate import generate
from benchmarks.measure import exponent, in_turn, python, run
from benchmarks.record import read_record
from benchmarks.workplace import flag
from ingest.store import opened

Row = dict[str, Any]
SEED = 9
TIMES = 7
QUERY_TIMES = 20
PREDICT = ("-m", "rigbook", "predict", "--triad", "52", "--cores", "16")
PLAN = ("plan", "openai/gpt-oss-120b", "--context", "8192", "--json")

FLOOR_ORJSON = """
import sys
from pathlib import Path
import orjson
for path in sorted(Path(sys.argv[1]).rglob("*")):
    if path.is_file():
        content = path.read_bytes()
        if path.suffix == ".json":
            orjson.loads(content)
"""

FLOOR_DUCKDB = """
import sys
import duckdb
duckdb.sql(f"SELECT count(*) FROM read_json('{sys.argv[1]}/**/report.json',"
           " maximum_object_size=5000000)").fetchall()
"""

QUERIES = {
    "summary": "SELECT (SELECT count(*) FROM bundles), (SELECT count(*) FROM measurements)",
    "one machine": "FROM comparable WHERE rig_id = (SELECT max(rig_id) FROM machines)",
    "one slug": (
        "SELECT s.cpu, m.central FROM comparable AS m JOIN rig_states AS s USING (state_id)"
        " WHERE m.slug = (SELECT min(slug) FROM runs) AND m.quantity = 'decode'"
    ),
    "median by slug": (
        "SELECT slug, median(central), count(*) FROM comparable WHERE quantity = 'decode'"
        " GROUP BY slug"
    ),
    "one bundle": "FROM measurements WHERE bundle_id = (SELECT max(bundle_id) FROM bundles)",
    "all machines": "SELECT label, states, bundles FROM machines ORDER BY label",
    "flagged": "SELECT status, count(*) FROM measurements GROUP BY status",
}
"""The shapes of what the command line and the site ask."""


def predictions() -> Iterator[Row]:
    """Time a whole `predict` against an empty interpreter and llmfit's plan."""
    commands = {"predict": python(*PREDICT), "python -c pass": python("-c", "pass")}
    llmfit = os.environ.get("LLMFIT") or shutil.which("llmfit")
    if llmfit:
        commands["llmfit plan"] = [llmfit, *PLAN]
    took = in_turn(commands, TIMES)
    for name, one in took.items():
        ratio = took["predict"].wall_s / one.wall_s
        yield {"what": name, **one._asdict(), "predict_takes_x": ratio}


def loads(folder: Path, sizes: list[int]) -> Iterator[Row]:
    """Time check and load of every size from nothing, nothing new, and one bundle changed."""
    record = read_record(Path("data"))
    for size in sizes:
        data, db = folder / str(size), folder / f"{size}.duckdb"
        if not data.exists():
            generate(data, size, SEED, record)
        for old in (db, *folder.glob(f".{db.name}.*")):
            old.unlink(missing_ok=True)
        load = python("-m", "rigbook", "load", "--data", str(data), "--db", str(db))
        floors = {"duckdb read_json": python("-c", FLOOR_DUCKDB, str(data / "reports"))}
        if importlib.util.find_spec("orjson") or os.environ.get("ORJSON_PYTHON"):
            reader = os.environ.get("ORJSON_PYTHON", sys.executable)
            floors["orjson, the same bytes"] = [reader, "-c", FLOOR_ORJSON, str(data / "reports")]
        took = {name: run(command) for name, command in floors.items()}
        took["check + load"] = run(load)
        time.sleep(2)
        took["load, all stamped anew"] = run(load)
        took["load, nothing new"] = run(load)
        flag(next(data.rglob("report.json")))
        took["load, one bundle changed"] = run(load)
        floor = took.get("orjson, the same bytes")
        for name, one in took.items():
            row: Row = {"what": name, "bundles": size, **one._asdict()}
            row["bundles_per_s"] = size / one.wall_s
            if floor:
                row["share_of_orjson"] = floor.wall_s / one.wall_s
                row["share_of_orjson_cpu"] = floor.cpu_s / one.cpu_s
            yield row


def queries(db: Path) -> Iterator[Row]:
    """Time what is asked of the largest database, p50 and p95."""
    with opened(db) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM measurements").fetchone() or (0,)
        for name, sql in QUERIES.items():
            took = []
            for _ in range(QUERY_TIMES):
                begun = time.perf_counter()
                connection.execute(sql).fetchall()
                took.append((time.perf_counter() - begun) * 1000)
            p95 = quantiles(took, n=20)[-1]
            yield {"what": name, "measurements": rows, "p50_ms": median(took), "p95_ms": p95}


def fits(folder: Path, sizes: list[int]) -> Iterator[Row]:
    """Time the fit on the databases that `loads` made."""
    for size in sizes:
        out = folder / f"{size}.json"
        took = run(
            python(
                "-m", "rigbook", "fit", "--db", str(folder / f"{size}.duckdb"), "--out", str(out)
            )
        )
        yield {"what": "fit", "bundles": size, "rows": _fitted(out), **took._asdict()}


def _fitted(model: Path) -> int:
    document = json.loads(model.read_text())
    return int(document["fitted_on"]["rows"])


def growth(rows: list[Row], size: str, value: str) -> Row:
    """Give the growth exponent of every kind of row over its sizes."""
    names = dict.fromkeys(row["what"] for row in rows)
    points = {n: [(r[size], r[value]) for r in rows if r["what"] == n] for n in names}
    return {name: exponent(some) for name, some in points.items()}


def table(rows: list[Row]) -> str:
    """Lay rows out as a Markdown table."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, ["---"] * len(names)]
    lines += [[_shown(row.get(name)) for name in names] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(value: object) -> str:
    return (
        f"{value:.3g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value or "")
    )


def main() -> None:
    """Run all benchmarks, print tables, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--fit-sizes", type=int, nargs="*", default=[])
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Row]] = {"predict": list(predictions())}
    print(f"## predict\n\n{table(found['predict'])}\n")
    found["load"] = list(loads(args.folder, args.sizes))
    found["growth"] = [growth(found["load"], "bundles", "cpu_s")]
    print(f"## load\n\n{table(found['load'])}\n\ngrowth exponents: {table(found['growth'])}\n")
    found["queries"] = list(queries(args.folder / f"{max(args.sizes)}.duckdb"))
    print(f"## queries\n\n{table(found['queries'])}\n")
    if args.fit_sizes:
        found["fit"] = list(fits(args.folder, args.fit_sizes))
        print(f"## fit\n\n{table(found['fit'])}\n{growth(found['fit'], 'rows', 'cpu_s')}\n")
    out = args.folder / "results.json"
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"written to {out}")


if __name__ == "__main__":
    main()
