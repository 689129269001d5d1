"""Capture → bench → bundle → check → load → predict against a real llama-server, nothing mocked."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from capture.answered import Terms
from capture.client import Target, Timeouts
from capture.endpoint import describe
from capture.journal import Journal
from capture.protocol import SAMPLED
from capture.runner import Runner
from capture.shapes import greedy_stages
from capture.step import Ask
from capture.summary import measurements
from rigbook.__main__ import main
from tests.engine.server import Running, free_port, started
from tests.tiny_moe import write

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
ONE_THREAD = ("-c", "4096", "-np", "1", "-t", "1", "-tb", "2", "-ub", "256", "--cpu-moe")
"""On a shared machine two threads wait for one another; one is slowed by its own share alone."""
ASCII = [word for byte in range(128, 256) for word in ("--logit-bias", f"{byte}-100")]
"""Random weights give random bytes, and llama-server refuses to stream what is no UTF-8."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def model(folder: Path) -> str:
    return str(write(folder / "tiny-moe-Q8_0.gguf"))


@pytest.fixture(scope="module")
def plain(folder: Path, model: str) -> Iterator[Running]:
    port = free_port()
    words = ["llama-server", "-m", model, "--port", str(port), *ONE_THREAD, *ASCII]
    with started([*words, "--metrics", "--api-key", "opensesame"], port, folder) as server:
        yield server


@pytest.fixture(scope="module")
def out(folder: Path, plain: Running) -> Path:
    key, out = folder / "key", folder / "run"
    key.write_text("opensesame\n")
    words = ["bench", plain.url, "--out", str(out), "--api-key-file", str(key)]
    assert main([*words, "--submitter", "someone"]) == 0
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


def test_the_run_is_canonical_on_a_real_engine_unless_the_host_is_too_busy_to_see_it(
    bundle: dict[str, Any],
) -> None:
    run = bundle["runs"][0]
    assert run.get("outcome", {}).get("state", "ok") == "ok"
    odd = " ".join(one["what"] for one in run.get("anomalies", []))
    decode = numbers(bundle, "decode")
    for workload in ("narrative", "code"):
        canonical = decode.get(("club-canonical", workload))
        if canonical:
            assert (canonical["n"], canonical["how"]) == (5, "measured")
            assert canonical["value"] > 1
        else:
            assert "contention" in odd


def test_client_and_engine_agree_within_5_percent_or_the_run_is_marked(
    bundle: dict[str, Any], out: Path
) -> None:
    """On a host whose processors are all taken, a late first token alone moves a rate further."""
    apart = [
        abs(numbers(bundle, "decode")[key]["value"] / engine["value"] - 1)
        for key, engine in numbers(bundle, "decode-engine").items()
    ]
    statuses = [path.read_text() for path in out.rglob("status.jsonl")]
    assert max(apart) <= 0.05 or any("divergence" in text for text in statuses)


def test_the_launch_is_read_off_the_process_and_its_key_is_not_published(
    bundle: dict[str, Any], out: Path
) -> None:
    run = bundle["runs"][0]
    launch = run["launch"]
    assert (launch["threads"], launch["threads_batch"], launch["ubatch"]) == (1, 2, 256)
    assert launch["drafter"] == {"kind": "none"}
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
    sql = "SELECT count(*) AS n FROM measurements WHERE quantity = 'decode'"
    assert main(["query", sql, "--json", "--db", db]) == 0
    assert json.loads(capsys.readouterr().out)[0]["n"] >= 2
    best = bundle["rig"]["memory"]["bandwidth"][0]
    cores = str(bundle["rig"]["cpu"]["cores"])
    words = ["--triad", str(best["gbps"]), "--triad-method", best["method"], "--cores", cores]
    assert main(["predict", *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["predictions"]


def test_a_greedy_drafter_of_the_same_weights_is_nearly_always_accepted(
    folder: Path, model: str, tmp_path: Path
) -> None:
    port = free_port()
    words = ["llama-server", "-m", model, "--port", str(port), *ONE_THREAD, "--metrics"]
    words += ["-md", model, "--spec-type", "draft-simple", "--spec-draft-n-max", "4"]
    journal = Journal(tmp_path / "journal.jsonl")
    with started(words, port, folder) as server:
        target = Target(server.url)
        ask = Ask(describe(target, None).model_id, SAMPLED)
        runner = Runner(target, journal, lambda _: Timeouts(), metrics=True)
        ended = runner.stages(greedy_stages(ask, 1))
    assert [one.reason for one in ended] == [None, None]
    found = measurements(journal.lines, "main", Terms(False, False, 0, False))  # noqa: FBT003 - a record
    told = {one.quantity: one.value for one in found if one.workload == "narrative"}
    assert (told["acceptance"] or 0) > 0.9
    assert 4 < (told["tokens_per_pass"] or 0) <= 5
    counted = journal.of("drafting")[0]
    assert counted["accepted"] / counted["drafted"] > 0.9
