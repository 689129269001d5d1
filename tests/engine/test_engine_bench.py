"""Capture → bench → bundle → check → load → predict against a real llama-server, nothing mocked."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rigbook.__main__ import main
from tests.engine.server import Running, free_port, started
from tests.tiny_moe import write

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def drafting(folder: Path) -> Iterator[Running]:
    """A server that drafts with the model itself: every drafted token is accepted."""
    model, port = str(write(folder / "tiny-moe-Q8_0.gguf")), free_port()
    words = ["llama-server", "-m", model, "--port", str(port), "-c", "4096", "-np", "1", "-t", "2"]
    words += ["-ub", "256", "--cpu-moe", "--metrics", "--api-key", "opensesame"]
    words += ["-md", model, "--spec-type", "draft-simple", "--spec-draft-n-max", "4"]
    with started(words, port, folder) as server:
        yield server


@pytest.fixture(scope="module")
def out(folder: Path, drafting: Running) -> Path:
    key, out = folder / "key", folder / "run"
    key.write_text("opensesame\n")
    words = ["bench", drafting.url, "--out", str(out), "--api-key-file", str(key)]
    assert main([*words, "--also", "soak", "--submitter", "someone"]) == 0
    return out


@pytest.fixture(scope="module")
def bundle(out: Path) -> dict[str, Any]:
    (report,) = out.rglob("report.json")
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def numbers(bundle: dict[str, Any], quantity: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (one["protocol"], one.get("workload", "")): one
        for one in bundle["runs"][0]["measurements"]
        if one["quantity"] == quantity
    }


def test_the_canonical_run_is_canonical_on_a_real_engine(bundle: dict[str, Any]) -> None:
    decode = numbers(bundle, "decode")
    for workload in ("narrative", "code"):
        one = decode["club-canonical", workload]
        assert (one["n"], one["how"]) == (5, "measured")
        assert one["value"] > 1
    assert bundle["runs"][0].get("outcome", {}).get("state", "ok") == "ok"


def test_client_and_engine_agree_within_5_percent(bundle: dict[str, Any]) -> None:
    client = numbers(bundle, "decode")["club-canonical", "narrative"]["value"]
    engine = numbers(bundle, "decode-engine")["club-canonical", "narrative"]["value"]
    assert client == pytest.approx(engine, rel=0.05)


def test_a_drafter_of_the_same_weights_is_always_accepted(bundle: dict[str, Any]) -> None:
    """Sampling at a temperature rejects some even so; most are taken, and passes yield several."""
    assert numbers(bundle, "acceptance")["club-canonical", "narrative"]["value"] > 0.5
    assert numbers(bundle, "tokens_per_pass")["club-canonical", "narrative"]["value"] > 2


def test_the_launch_is_read_off_the_process_and_its_key_is_not_published(
    bundle: dict[str, Any], out: Path
) -> None:
    run = bundle["runs"][0]
    launch = run["launch"]
    assert (launch["threads"], launch["ubatch"]) == (2, 256)
    assert launch["drafter"] == {"kind": "draft-simple", "depth": 4}
    assert run["engine"] == {"name": "llama.cpp", "build": "b11434-sdist"}
    assert run["weights"]["quant"] == "Q8_0"
    assert all("opensesame" not in path.read_text() for path in (out / "bundle").rglob("*.*"))


def test_what_does_not_fit_the_context_is_left_out_with_its_reason(out: Path) -> None:
    lines = [json.loads(line) for line in (out / "journal.jsonl").read_text().splitlines()]
    reasons = [line["reason"] for line in lines if line["kind"] == "skipped"]
    assert reasons[0] == "prefill at 10,000 tokens: the served context is 4,096"


def test_the_bundle_is_checked_loaded_and_its_memory_predicts(
    bundle: dict[str, Any], out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "data/catalog", tmp_path / "data/catalog")
    shutil.copytree(out / "bundle", tmp_path / "data/reports")
    assert main(["check", str(tmp_path / "data")]) == 0
    db = str(tmp_path / "x.duckdb")
    assert main(["load", "--data", str(tmp_path / "data"), "--db", db]) == 0
    capsys.readouterr()
    sql = "SELECT count(*) AS n FROM comparable WHERE quantity = 'decode'"
    assert main(["query", sql, "--json", "--db", db]) == 0
    assert json.loads(capsys.readouterr().out)[0]["n"] >= 2
    best = bundle["rig"]["memory"]["bandwidth"][0]
    cores = str(bundle["rig"]["cpu"]["cores"])
    words = ["--triad", str(best["gbps"]), "--triad-method", best["method"], "--cores", cores]
    assert main(["predict", *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["predictions"]
