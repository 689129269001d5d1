"""Shared fixtures: the committed catalogue, an in-memory database, and what this machine has."""

import json
import math
import os
import random
import shutil
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from capture.tree import Tree
from ingest.bundle import Bundle, Status
from ingest.catalog import Catalog, load_catalog
from ingest.folder import Filed
from ingest.store import create, fill
from models.facts import Facts, facts_of
from models.parameters import gathered
from models.physics import tokens_per_s
from models.record import FittedModel, load_model
from models.rig import Cards, Rig
from models.rows import FitRow
from models.setup import BARE, Target, base_inputs
from models.training import priors_of

ROOT = Path(__file__).parents[1]
TOOLS = {"browser": "chromium", "node": "node", "postgres": "postgres", "engine": "llama-server"}


SHARED = ROOT.parent / "shared"
"""The collected files that the record was made from, where they lie beside the checkout."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not SHARED.is_dir():
        apart = [item for item in items if item.get_closest_marker("shared")]
        config.hook.pytest_deselected(items=apart)
        items[:] = [item for item in items if item not in apart]
    for item in items:
        for marker, tool in TOOLS.items():
            if item.get_closest_marker(marker) and not shutil.which(tool):
                item.add_marker(pytest.mark.skip(reason=f"needs {tool}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> object:
    """Where everything is installed (`.ci/run`), a skipped test is a failed one."""
    report = yield
    if report.skipped and os.environ.get("RIGBOOK_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and RIGBOOK_NO_SKIPS is set"
    return report


@pytest.fixture
def document() -> dict[str, Any]:
    """The valid bundle that every invalid one is an edit of."""
    loaded: dict[str, Any] = json.loads((ROOT / "tests/reports/valid.json").read_text())
    return loaded


def _filed(document: dict[str, Any], statuses: tuple[Status, ...] = ()) -> Filed:
    bundle = Bundle.model_validate(document)
    return Filed(f"{bundle.rig.machine}/undated-test-00000000", bundle, statuses, "0" * 64)


@pytest.fixture(scope="session")
def filed() -> Callable[..., Filed]:
    """File a bundle document as the store and the rules get it."""
    return _filed


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The committed catalogue, which must be free of problems."""
    found, problems = load_catalog(ROOT / "data/catalog")
    assert problems == []
    return found


@pytest.fixture
def database(catalog: Catalog, document: dict[str, Any]) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database that holds the valid bundle."""
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, [_filed(document)], catalog)
        yield connection


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[str], Tree]:
    """Lay out one of the invented kernel trees in `tests/trees` below a folder of its own."""

    def laid_out(name: str) -> Tree:
        root = tmp_path / name
        for line in (ROOT / f"tests/trees/{name}.tsv").read_text(encoding="utf-8").splitlines():
            path, _, told = line.partition("\t")
            content: str = json.loads(told)
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            is_hex = content.startswith("hex:")
            target.write_bytes(bytes.fromhex(content[4:]) if is_hex else content.encode() + b"\n")
        return Tree(root)

    return laid_out


Script = Callable[[str, dict[str, Any]], list[bytes | float]]
"""What a server does for a path and a body: bytes to send, and seconds to wait between."""


def answer(content: bytes, kind: str = "application/json", status: str = "200 OK") -> bytes:
    """Write a whole HTTP answer."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


class FakeServer:
    """A local server that does what `script` says for chat requests, down to the bytes."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.models: bytes | None = b'{"data": [{"id": "tiny"}]}'
        self.pages: dict[str, bytes] = {}
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                path = self.rfile.readline().decode().split(" ")[1]
                length = 0
                while (line := self.rfile.readline().strip()) != b"":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                outer._play(self, path, self.rfile.read(length))

        self._tcp = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._tcp.daemon_threads = True
        self._tcp.block_on_close = False
        threading.Thread(target=self._tcp.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._tcp.server_address[1]}"

    def _play(self, handler: socketserver.StreamRequestHandler, path: str, content: bytes) -> None:
        if path == "/v1/models":
            if self.models is not None:
                handler.wfile.write(answer(self.models))
            return
        if path in self.pages:
            handler.wfile.write(answer(self.pages[path]))
            return
        if path != "/v1/chat/completions":
            handler.wfile.write(answer(b"no such page", "text/plain", "404 Not Found"))
            return
        self.bodies.append(json.loads(content))
        try:
            for act in self.script(path, self.bodies[-1]):
                if isinstance(act, float):
                    time.sleep(act)
                else:
                    handler.wfile.write(act)
                    handler.wfile.flush()
        except ConnectionError:
            pass  # the client had enough, as some tests want it to

    def close(self) -> None:
        self._tcp.shutdown()
        self._tcp.server_close()


@pytest.fixture
def fake_server() -> Iterator[Callable[[Script], FakeServer]]:
    """Start local servers that follow a script; all are closed at the end."""
    started: list[FakeServer] = []

    def start(script: Script) -> FakeServer:
        started.append(FakeServer(script))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(scope="session")
def fitted() -> FittedModel:
    """The model that is committed and ships."""
    return load_model(ROOT / "models/fitted/model.json")


@pytest.fixture(scope="session")
def facts(catalog: Catalog) -> Facts:
    """The catalogue facts of the model."""
    return facts_of(catalog)


@pytest.fixture(scope="session")
def made_rows(facts: Facts) -> list[FitRow]:
    """Rows of 24 invented machines whose speeds follow the priors, off by a tenth a machine."""
    kinds = ("hybrid", "club", "cpu-only")
    variants = ("deepseek-v4-flash-0731/UD-Q8_K_XL", "deepseek-r1/Q4_K_M")
    draw = random.Random(7)  # noqa: S311 - invented rows
    return [
        _made_row(facts, f"rig-{rig:02}", kinds[rig % 3], variants[(rig // 3) % 2], draw, off)
        for rig in range(24)
        for off in [draw.gauss(0, 0.1)]
        for _ in range(3)
    ]


def _made_row(
    facts: Facts, rig: str, stratum: str, variant: str, draw: random.Random, off: float
) -> FitRow:
    """Make one row: `stratum` decides on cards, drafter and cache."""
    known = facts["variants"][variant]
    target = Target(None, {**BARE}, known)
    cards = Cards("none", 1.0, ()) if stratum == "cpu-only" else Cards("x", 936.0, (24.0, 24.0))
    cores = draw.choice([8, 16, 32, 64])
    box = Rig(
        draw.uniform(40, 300), "mlc-read", measured=True, sockets=1, cores=cores,
        core_speed=draw.uniform(0.6, 2.0), intel=0, cards=cards, ram_gib=None,
    )  # fmt: skip
    depth = 4 if stratum == "club" else 0
    x = base_inputs(target, box, facts, cards, known["moe_layers"])._replace(
        verified=1.0 + depth, drafted=float(depth), tokens_per_pass=1 + depth * 0.5
    )
    priors = gathered({prior.name: prior.value for prior in priors_of(facts)})
    speed = tokens_per_s(x, priors) * math.exp(off + draw.gauss(0, 0.03))
    return FitRow(
        measurement_id=f"{rig}/{draw.random()}", rig=rig, state=rig, slug=None, variant=variant,
        model=known["model"], quant=known["quant"], workload="narrative", protocol="other",
        url="example.org", tokens_per_s=speed,
        stratum=stratum, measured_bandwidth=True, drafter="dspark" if depth else None,
        accepted=0.5 if depth else None, hit_rate=None, coverage=None, cores=float(cores),
        vram_gib=sum(cards.vram_gib), inputs=x, excluded=(),
    )  # fmt: skip


@pytest.fixture
def unused_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
