import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ingest.load import load
from ingest.misuse import Misuse
from ingest.store import opened
from ingest.warehouse import Partition, lake_schema, partition

ROOT = Path(__file__).parents[1]
LOADERS = 4
PORT = "54990"
POSTGRES_USER = "postgres"
"""Who runs the server where the tests are run by root, whom PostgreSQL refuses."""

LAKE_PYTHON = os.environ.get("RIGBOOK_LAKE_PYTHON", "")
needs_lake = pytest.mark.skipif(
    not LAKE_PYTHON,
    reason="RIGBOOK_LAKE_PYTHON names a Python with DuckDB and its extensions (benchmarks/README)",
)

READER = """
import sys
from pathlib import Path
from ingest.warehouse import connect
connection = connect(sys.argv[1], Path(sys.argv[2]))
sql = '''
SELECT b.rig_id, b.bundle_id, count(m.measurement_id), count(DISTINCT m.measurement_id)
FROM bundles AS b LEFT JOIN measurements AS m USING (bundle_id) GROUP BY ALL'''
for line in sys.stdin:
    print(connection.execute(sql).fetchall(), flush=True)
"""


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "a/b", "1/0", "-1/4", ""])
def test_a_partition_that_is_none_is_misuse(text: str) -> None:
    with pytest.raises(Misuse, match="such as 2/4"):
        partition(text)


def test_every_machine_is_of_just_one_partition() -> None:
    parts = [Partition(share, LOADERS) for share in range(1, LOADERS + 1)]
    for number in range(200):
        assert sum(part.has(f"machine-{number}") for part in parts) == 1


def test_the_lakes_schema_has_no_keys_and_may_be_repeated() -> None:
    statements = lake_schema()
    assert "PRIMARY KEY" not in statements
    assert statements.count("CREATE") == statements.count("IF NOT EXISTS")


class Lake(NamedTuple):
    target: str
    files: Path
    python: str

    def run(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.python, *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        )  # fmt: skip

    def load(self, share: int) -> subprocess.Popen[str]:
        where = ["--db", self.target, "--files", str(self.files)]
        return self.run("-m", "rigbook", "load", *where, "--partition", f"{share}/{LOADERS}")

    def reader(self) -> "Reader":
        return Reader(self.run("-c", READER, self.target, str(self.files)))


class Reader:
    """A process that looks whenever it is told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def look(self) -> list[tuple[str, str, int, int]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        found: list[tuple[str, str, int, int]] = eval(self.process.stdout.readline())  # noqa: S307 - our own child's words
        return found


@pytest.fixture
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    root = tmp_path_factory.mktemp("postgres")
    binaries = Path(shutil.which("postgres") or "").resolve().parent
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["setpriv", f"--reuid={POSTGRES_USER}", "--clear-groups"]
        for folder in (root, *root.parents[:2]):
            folder.chmod(0o755)
        shutil.chown(root, POSTGRES_USER)
    server = [*as_user, str(binaries / "pg_ctl"), "-D", str(root / "data"), "-w"]
    options = f"-p {PORT} -k {root} -c listen_addresses=''"
    subprocess.run(
        [*as_user, binaries / "initdb", "-D", root / "data", "-U", "pg", "-A", "trust"],
        check=True, capture_output=True, cwd=root,
    )  # fmt: skip
    subprocess.run(
        [*server, "-o", options, "-l", str(root / "log"), "start"],
        check=True, stdout=subprocess.DEVNULL, cwd=root,
    )  # fmt: skip
    target = f"ducklake:postgres:host={root} port={PORT} dbname=postgres user=pg"
    try:
        yield Lake(target, root.parent / "files", LAKE_PYTHON)
    finally:
        subprocess.run([*server, "-m", "immediate", "stop"], check=True, capture_output=True)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, int]]:
    """The machine and the number of measurements of every bundle, as one file holds them."""
    db = tmp_path_factory.mktemp("file") / "rigbook.duckdb"
    load(ROOT / "data", db)
    with opened(db) as connection:
        rows = connection.execute(
            "SELECT b.bundle_id, b.rig_id, count(m.measurement_id) FROM bundles AS b"
            " LEFT JOIN measurements AS m USING (bundle_id) GROUP BY ALL"
        ).fetchall()
    return {bundle: (rig, count) for bundle, rig, count in rows}


@pytest.mark.postgres
@needs_lake
def test_loaders_at_once_lose_nothing_and_double_nothing_though_one_is_killed(
    lake: Lake, expected: dict[str, tuple[str, int]]
) -> None:
    parts = [Partition(share, LOADERS) for share in range(1, LOADERS + 1)]
    of_part = [{b for b, (rig, _) in expected.items() if part.has(rig)} for part in parts]
    readers = [lake.reader() for _ in range(2)]
    for reader in readers:
        assert reader.look() == []
    loaders = [lake.load(part.share) for part in parts]
    killed_at, looks = time.monotonic() + 4, 0
    while any(loader.poll() is None for loader in loaders):
        if time.monotonic() > killed_at and loaders[2].poll() is None:
            os.killpg(loaders[2].pid, signal.SIGKILL)
        for reader in readers:
            _is_whole(reader.look(), expected, of_part)
            looks += 1
    assert looks >= 2
    ends = [loader.communicate()[0] for loader in loaders]
    assert [loaders[i].returncode for i in (0, 1, 3)] == [0, 0, 0], ends
    again = [lake.load(share) for share in (3, 1)]
    for loader in again:
        said = loader.communicate()[0]
        assert loader.returncode == 0, said
    last = readers[0].look()
    _is_whole(last, expected, of_part)
    assert {bundle for _, bundle, _, _ in last} == expected.keys()
    for reader in readers:
        reader.process.communicate()


def _is_whole(
    seen: list[tuple[str, str, int, int]],
    expected: dict[str, tuple[str, int]],
    of_part: list[set[str]],
) -> None:
    """Every bundle is there once with all of its numbers; a partition is there whole or not."""
    bundles = [bundle for _, bundle, _, _ in seen]
    assert len(bundles) == len(set(bundles))
    for _, bundle, count, distinct in seen:
        assert count == distinct == expected[bundle][1]
    for part in of_part:
        assert part & set(bundles) in (set(), part)


@pytest.mark.skipif(
    bool(LAKE_PYTHON) and sys.executable == LAKE_PYTHON, reason="this Python has the extensions"
)
def test_without_the_extensions_the_message_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rigbook", "load", "--db", "ducklake:postgres:dbname=x"]
    ended = subprocess.run(
        [*command, "--files", tmp_path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "duckdb-extension-ducklake" in ended.stderr
    assert "Traceback" not in ended.stderr
