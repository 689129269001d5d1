"""Shared fixtures: the committed catalogue, an in-memory database, and what this machine has."""

import copy
import json
import math
import os
import random
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import settings

from ingest.bundle import Bundle, Source, Status
from ingest.catalog import Catalog, load_catalog
from ingest.folder import Filed
from ingest.readers.reader import read as read_text
from ingest.readers.reading import Reading
from ingest.store import build, create, fill
from models.facts import Facts, facts_of
from models.parameters import gathered
from models.physics import tokens_per_s
from models.record import FittedModel, load_model
from models.rig import Cards, Rig
from models.rows import FitRow
from models.setup import BARE, Target, base_inputs
from models.training import priors_of
from sitegen.build import build_site
from sitegen.record import Record, read
from tests.capture_rigs import fake_server, tree, unused_port

__all__ = ["fake_server", "tree", "unused_port"]  # fixtures, which pytest finds here

ROOT = Path(__file__).parents[1]

# How long an example takes depends on what else the machine does; growth is tested instead.
settings.register_profile("rigbook", deadline=None)
settings.load_profile("rigbook")
TOOLS = {
    "browser": "chromium",
    "node": "node",
    "postgres": "postgres",
    "r": "Rscript",
    "engine": "llama-server",
}


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
        if item.get_closest_marker("croissant") and "RIGBOOK_CROISSANT_PYTHON" not in os.environ:
            item.add_marker(pytest.mark.skip(reason="run by `make test-croissant`"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything is installed (`.ci/run`), a skipped test is a failed one."""
    report = yield
    if report.skipped and os.environ.get("RIGBOOK_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and RIGBOOK_NO_SKIPS is set"
    return report


@pytest.fixture(scope="session")
def growth() -> Callable[[Callable[[str], object], str], float]:
    """Measure by which power of a text's length a call's time grows: 1 is linear, 2 quadratic."""

    def seconds(call: Callable[[str], object], text: str) -> float:
        start = time.process_time()
        call(text)
        return time.process_time() - start

    def measure(call: Callable[[str], object], piece: str) -> float:
        small, large = (piece * (size // len(piece)) for size in (50_000, 400_000))
        short, long = (min(seconds(call, text) for _ in range(3)) for text in (small, large))
        return math.log(max(long, 1e-6) / max(short, 1e-6)) / math.log(8)

    return measure


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


@pytest.fixture
def reading(catalog: Catalog) -> Callable[[str], Reading]:
    """Read a pasted text."""
    return lambda text: read_text(text, Source(kind="file", url="pasted"), catalog)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The committed catalogue, which must be free of problems."""
    found, problems = load_catalog(ROOT / "data/catalog")
    assert problems == []
    return found


def _edited(document: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    """Set the value at each JSON pointer of `edits` in a copy of `document`."""
    changed = copy.deepcopy(document)
    for pointer, value in edits.items():
        *path, last = [
            step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]
        ]
        place: Any = changed
        for step in path:
            place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
        place[int(last) if isinstance(place, list) else last] = value
    return changed


@pytest.fixture(scope="session")
def edit() -> Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]:
    """Edit a copy of a bundle document: JSON pointer → new value."""
    return _edited


@pytest.fixture
def database(catalog: Catalog, document: dict[str, Any]) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database that holds the valid bundle."""
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, [_filed(document)], catalog)
        yield connection


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


def _rig(
    document: dict[str, Any], name: str, gbps: float | None, tokens_per_s: float
) -> dict[str, Any]:
    """Edit the valid bundle to another machine with a rate of its own."""
    edited = copy.deepcopy(document)
    edited["id"] = (name.encode().hex() * 64)[:64]
    edited["rig"]["machine"] = f"{name}-epyc-7543"
    if gbps is None:
        edited["rig"]["memory"]["bandwidth"] = []
        del edited["provenance"]["/rig/memory/bandwidth/0/gbps"]
    else:
        edited["rig"]["memory"]["bandwidth"][0]["gbps"] = gbps
    edited["runs"][0]["measurements"][0] |= {"value": tokens_per_s, "low": None, "high": None}
    return edited


@pytest.fixture(scope="session")
def rigs() -> list[Filed]:
    """Three machines on one slug, one with the same weights but no slug, one flagged row."""
    document = json.loads((ROOT / "tests/reports/valid.json").read_text())
    other = _rig(document, "four", 90.0, 15.0)
    other["runs"][0]["slug"] = None
    flag = {"target": "/runs/0/measurements/0", "state": "flagged", "reason": "paging",
            "date": "2026-12-01", "by": "me"}  # fmt: skip
    return [
        _filed(_rig(document, "one", 52.0, 11.6)),
        _filed(_rig(document, "two", 116.0, 17.1)),
        _filed(_rig(document, "three", None, 9.5)),
        _filed(other),
        _filed(_rig(document, "five", 60.0, 99.0), (Status.model_validate(flag),)),
    ]


@pytest.fixture(scope="session")
def record(catalog: Catalog, rigs: list[Filed]) -> Record:
    """What the site's pages read, of those machines."""
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, rigs, catalog)
        return read(connection)


def _checkout(folder: Path, catalog: Catalog, filed: list[Filed]) -> Path:
    """Copy what a site build reads of this checkout, beside a database of `filed`."""
    shutil.copy(ROOT / "mkdocs.yml", folder)
    ignore = shutil.ignore_patterns("results", ".results.*")
    shutil.copytree(ROOT / "site/docs", folder / "site/docs", ignore=ignore)
    build(folder / "build/rigbook.duckdb", filed, catalog, ())
    return folder


@pytest.fixture(scope="session")
def checkout(catalog: Catalog) -> Callable[[Path, list[Filed]], Path]:
    """Make a checkout with a database of some bundles, ready for `build_site`."""
    return lambda folder, filed: _checkout(folder, catalog, filed)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog, rigs: list[Filed]) -> Path:
    """A checkout whose site has been built of `rigs`."""
    root = _checkout(tmp_path_factory.mktemp("checkout"), catalog, rigs)
    assert build_site(root, root / "build/rigbook.duckdb").problems == ()
    return root


HOSTILE = '<script>alert(1)</script>"|[x](javascript:alert(1)){: onclick=x }--8<-- "home.html"'


def _hostile(document: dict[str, Any]) -> dict[str, Any]:
    """Put mark-up of every kind into each text field that takes free text."""
    edited = copy.deepcopy(document)
    edited["submitter"] = HOSTILE
    edited["sources"][0] |= {"url": f"https://example.org/{HOSTILE}", "author": HOSTILE}
    rig = edited["rig"]
    rig |= {"os": HOSTILE, "environment": HOSTILE}
    rig["cpu"]["model"] = HOSTILE
    rig["memory"] |= {"kind": HOSTILE, "dimms": HOSTILE, "thp": HOSTILE}
    rig["memory"]["bandwidth"][0]["note"] = HOSTILE
    rig["gpus"][0]["name"] = HOSTILE
    run = edited["runs"][0]
    run["named"] = HOSTILE
    run["engine"]["build"] = HOSTILE
    run["weights"] |= {"spelled": HOSTILE, "quant": HOSTILE}
    edited["runs"][1]["outcome"]["reason"] = HOSTILE
    return edited


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog) -> Path:
    """A checkout whose site has been built of a bundle that attacks it."""
    document = json.loads((ROOT / "tests/reports/valid.json").read_text())
    root = _checkout(tmp_path_factory.mktemp("hostile"), catalog, [_filed(_hostile(document))])
    assert build_site(root, root / "build/rigbook.duckdb").problems == ()
    return root
