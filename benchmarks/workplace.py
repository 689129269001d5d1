"""A small copy of the record with a database, and the commands that work on it, to break."""

import json
import os
import random
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ingest.store import opened

ROOT = Path(__file__).parents[1]
MACHINES = 8
"""Few, so that a load is short: what breaks does not depend on how much there is."""

LIMIT_S = 120


class Workplace(NamedTuple):
    """A small data folder, the database made of it, and the draw of what happens when."""

    data: Path
    db: Path
    rng: random.Random

    @property
    def model(self) -> Path:
        """Where the fitted model goes."""
        return self.db.with_name("model.json")

    @property
    def site(self) -> Path:
        """Where the pages go."""
        return self.db.with_name("site")


class Ended(NamedTuple):
    """How a command ended: exit code, what it said on both streams."""

    code: int
    said: str


def workplace(root: Path, seed: int, machines: int | None = MACHINES) -> Workplace:
    """Make a workplace of so many machines of the record below `root`, and load it once."""
    shutil.copytree(ROOT / "data/catalog", root / "data/catalog")
    for machine in sorted((ROOT / "data/reports").iterdir())[:machines]:
        shutil.copytree(machine, root / "data/reports" / machine.name)
    shutil.copy(ROOT / "mkdocs.yml", root)
    ignore = shutil.ignore_patterns("results", ".results.*")
    shutil.copytree(ROOT / "site/docs", root / "site/docs", ignore=ignore)
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    place = Workplace(root / "data", root / "build/rigbook.duckdb", rng)
    first = load(place)
    hold(first.code == 0, f"a first load works: {first.said}")
    return place


def hold(claim: bool, what: str) -> None:  # noqa: FBT001 - an assertion
    """Raise AssertionError with `what` unless `claim` is true; unlike `assert`, always."""
    if not claim:
        raise AssertionError(what)


def verb(place: Workplace, name: str) -> list[str]:
    """Write the command line of a verb on a workplace."""
    words = {
        "load": ["--data", str(place.data), "--db", str(place.db)],
        "fit": ["--db", str(place.db), "--out", str(place.model)],
        "site": ["--root", str(place.data.parent), "--db", str(place.db)],
        "query": ["--db", str(place.db), "SELECT count(*) FROM bundles"],
    }
    return [sys.executable, "-m", "rigbook", name, *words[name]]


def started(command: list[str], prefix: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """Start a command in a process group of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}
    return subprocess.Popen(
        [*prefix, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, cwd=ROOT, env=environment,
    )  # fmt: skip


def load(place: Workplace, prefix: tuple[str, ...] = ()) -> Ended:
    """Load to the end."""
    return ended(started(verb(place, "load"), prefix))


def ended(process: subprocess.Popen[str]) -> Ended:
    """Wait for a command."""
    said, _ = process.communicate(timeout=LIMIT_S)
    return Ended(process.returncode, said)


def change(place: Workplace) -> None:
    """Flag a bundle drawn at random: the state that the next load brings in."""
    flag(place.rng.choice(sorted(place.data.rglob("report.json"))), f"{place.rng.random()}")


def flag(report: Path, reason: str = "bench") -> None:
    """Append a state to a bundle, in place."""
    line = {"state": "flagged", "reason": reason, "date": "2026-12-01", "by": "bench"}
    with report.with_name("status.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def contents(db: Path) -> str:
    """Hash every row of a database, whatever its order."""
    with opened(db) as connection:
        names = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
        ).fetchall()
        rows = sorted(
            repr((name, row))
            for (name,) in names
            for row in connection.execute(f'FROM "{name}"').fetchall()
        )
    return sha256("\n".join(rows).encode()).hexdigest()


def pages(site: Path) -> str:
    """Hash every file of a site."""
    files = sorted(path for path in site.rglob("*") if path.is_file())
    told = (f"{path.relative_to(site)} {sha256(path.read_bytes()).hexdigest()}" for path in files)
    return sha256("\n".join(told).encode()).hexdigest()


def wanted(place: Workplace) -> str:
    """Hash what a load from nothing makes of the data as they lie there."""
    fresh = place._replace(db=place.db.with_name("fresh") / "rigbook.duckdb")
    shutil.rmtree(fresh.db.parent, ignore_errors=True)
    hold(load(fresh).code == 0, "a load from nothing works")
    return contents(fresh.db)


def left_beside(db: Path) -> list[str]:
    """List what a killed load left beside the database."""
    return [path.name for path in db.parent.glob(f".{db.name}.*.new*")]
