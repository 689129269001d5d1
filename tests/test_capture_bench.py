import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from capture.bench import Named, Options, Timing, bench
from capture.client import Target, Timeouts
from capture.endpoint import Unusable
from capture.journal import Journal
from capture.protocol import CANONICAL, OWN, QUICK
from capture.report import Drafted, drafted
from capture.runner import Progress
from ingest.catalog import Catalog

Start = Callable[[Any], Any]
Script = Callable[[str, dict[str, Any]], list[bytes | float]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
FAST = Timing({"*": Timeouts(2, 2, 1, 10)})
PLAIN = Options(prefill=False)


def event(**delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": delta}]}).encode() + b"\n\n"


def end(tokens: int, prompt: int = 20, **timings: object) -> bytes:
    last = {
        "choices": [{"delta": {}, "finish_reason": "length"}],
        "usage": {"completion_tokens": tokens, "prompt_tokens": prompt},
        "timings": {"predicted_n": tokens, **timings},
    }
    return b"data: " + json.dumps(last).encode() + b"\n\ndata: [DONE]\n\n"


def served(_path: str, body: dict[str, Any]) -> list[bytes | float]:
    """Answer as a server that decodes up to 260 tokens in 0.15 s."""
    words = sum(len(message["content"].split()) for message in body["messages"])
    drafts = {"draft_n": 60, "draft_n_accepted": 30, "cache_n": 0}
    return [HEAD, 0.005, event(content="a"), 0.15, event(content="b"),
            end(min(body["max_tokens"], 260), words, **drafts)]  # fmt: skip


def made(journal: Journal, catalog: Catalog) -> Drafted:
    return drafted(journal.lines, catalog, date(2026, 12, 1))


def numbers(found: Drafted, run: int = 0) -> dict[tuple[str, str | None], Any]:
    return {(one.quantity, one.workload): one for one in found.bundle.runs[run].measurements}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.jsonl")


def test_a_run_that_holds_to_every_point_is_canonical(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    server = fake_server(served)
    bench(Target(server.url), journal, PLAIN, FAST)
    found = numbers(made(journal, catalog))
    decode = found["decode", "narrative"]
    assert (decode.protocol, decode.n, decode.unit, decode.how) == (
        CANONICAL, 5, "tokens/s", "measured",
    )  # fmt: skip
    assert decode.low <= decode.value <= decode.high < 5000
    assert found["acceptance", "code"].value == 0.5
    assert found["tokens_per_pass", "narrative"].value == pytest.approx(260 / 230, abs=1e-4)
    line = journal.lines[decode.evidence.line - 1]
    assert (line["stage"], line["workload"], line["phase"]) == ("bench", "narrative", "measured")


def test_requests_have_the_canonical_sampling_and_count(
    fake_server: Start, journal: Journal
) -> None:
    server = fake_server(served)
    bench(Target(server.url), journal, PLAIN, FAST)
    essays = [body for body in server.bodies if "essay" in body["messages"][0]["content"]]
    assert len(essays) == 8
    assert {key: essays[0][key] for key in ("temperature", "top_p", "top_k", "min_p")} == {
        "temperature": 0.6, "top_p": 0.95, "top_k": 20, "min_p": 0.0,
    }  # fmt: skip
    assert essays[0]["max_tokens"] == 1000
    assert essays[0]["chat_template_kwargs"]["enable_thinking"] is False


@pytest.mark.parametrize(
    ("script", "options", "protocol"),
    [
        (served, Options(quick=True), QUICK),
        (served, Options(prefill=False, room=500), OWN),
        (lambda p, b: [HEAD, event(reasoning="hm"), *served(p, b)[1:]], PLAIN, OWN),
        (lambda *_: [HEAD, event(content="a"), 0.02, event(content="b"), end(40)], PLAIN, OWN),
    ],
    ids=["quick", "more room", "it thought", "short answers"],
)
def test_a_run_that_differs_in_anything_is_not_canonical(
    fake_server: Start, journal: Journal, catalog: Catalog,
    script: Script, options: Options, protocol: str,
) -> None:  # fmt: skip
    bench(Target(fake_server(script).url), journal, options, FAST)
    assert numbers(made(journal, catalog))["decode", "narrative"].protocol == protocol


def test_a_server_that_knows_openais_words_alone_is_asked_in_them(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    def strict(path: str, body: dict[str, Any]) -> list[bytes | float]:
        if "top_k" in body:
            return [b"HTTP/1.1 400 Bad\r\nContent-Length: 13\r\n\r\nunknown top_k"]
        return served(path, body)

    bench(Target(fake_server(strict).url), journal, PLAIN, FAST)
    found = made(journal, catalog)
    assert numbers(found)["decode", "narrative"].protocol == OWN
    assert found.bundle.runs[0].outcome.state == "ok"


def test_prefill_is_fresh_each_time_and_measured_at_its_real_depth(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    server = fake_server(served)
    server.pages["/props"] = b'{"default_generation_settings": {"n_ctx": 20000}}'
    bench(Target(server.url), journal, Options(), FAST)
    found = numbers(made(journal, catalog))
    prefill = found["prefill", "long-context"]
    assert (prefill.protocol, prefill.nominal_tokens, prefill.n) == ("rigbook-prefill", 10000, 3)
    assert prefill.prompt_tokens == pytest.approx(10000, rel=0.02)
    deep = [body["messages"][0]["content"] for body in server.bodies if body["max_tokens"] == 128]
    assert len({text[:32] for text in deep}) == len(deep) == 4
    assert [line["reason"] for line in journal.of("skipped")] == [
        "prefill at 90,000 tokens: the served context is 20,000"
    ]


def test_a_prompt_out_of_the_cache_is_no_prefill(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    def cached(_path: str, body: dict[str, Any]) -> list[bytes | float]:
        return [HEAD, event(content="a"), 0.02, end(body["max_tokens"], 10000, cache_n=9000)]

    server = fake_server(cached)
    server.pages["/props"] = b'{"default_generation_settings": {"n_ctx": 20000}}'
    bench(Target(server.url), journal, Options(), FAST)
    found = made(journal, catalog)
    assert ("prefill", "long-context") not in numbers(found)
    assert any("came from a cache" in one.text for one in found.panels["main"])


def test_a_server_that_dies_ends_the_run_with_a_reason(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    server = fake_server(served)

    def dying(path: str, body: dict[str, Any]) -> list[bytes | float]:
        if len(server.bodies) == 9:
            server.models = None
            return [HEAD, event(content="a")]
        return served(path, body)

    server.script = dying
    ended = bench(Target(server.url), journal, PLAIN, FAST)
    assert [one.alive for one in ended] == [True, False]
    run = made(journal, catalog).bundle.runs[0]
    assert (run.outcome.state, run.outcome.stage) == ("failed", "bench narrative")
    assert "the server died at measured run 1: the answer ended" in str(run.outcome.reason)


def test_two_failures_in_a_row_end_the_stage_and_not_the_run(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    def only_code(path: str, body: dict[str, Any]) -> list[bytes | float]:
        if "essay" in body["messages"][0]["content"]:
            return [b"HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\noom"]
        return served(path, body)

    server = fake_server(only_code)
    ended = bench(Target(server.url), journal, PLAIN, FAST)
    assert [bool(one.reason) for one in ended] == [False, True, False]
    found = made(journal, catalog)
    assert found.bundle.runs[0].outcome.state == "partial"
    assert ("decode", "code") in numbers(found)


class Cut(Exception):  # noqa: N818 - what happens to the run
    """Stands for a kill in the middle of a run."""


def test_a_run_that_was_cut_goes_on_where_it_was(
    fake_server: Start, journal: Journal, catalog: Catalog, tmp_path: Path
) -> None:
    server = fake_server(served)

    def stop(at: Progress) -> None:
        if at.stage == "bench code" and at.done == 5:
            raise Cut

    with pytest.raises(Cut):
        bench(Target(server.url), journal, PLAIN, FAST._replace(show=stop))
    path = tmp_path / "journal.jsonl"
    with path.open("a") as file:
        file.write('{"kind": "request", "ru')  # the line that a kill cut off
    before = len(server.bodies)
    again = Journal(path)
    bench(Target(server.url), again, PLAIN, FAST)
    # Five checks and eight essays are there, two runs of code too; its warm-ups are run again.
    assert len(server.bodies) - before == 6
    found = made(again, catalog)
    assert numbers(found)["decode", "code"].protocol == CANONICAL
    assert found.bundle.runs[0].outcome.state == "ok"


def test_a_run_is_not_continued_as_another(fake_server: Start, journal: Journal) -> None:
    server = fake_server(served)
    bench(Target(server.url), journal, Options(quick=True), FAST)
    with pytest.raises(Unusable, match="another quick; continue it with the same"):
        bench(Target(server.url), journal, PLAIN, FAST)


def test_client_and_engine_that_disagree_mark_the_run(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    def boasting(path: str, body: dict[str, Any]) -> list[bytes | float]:
        ended = end(min(body["max_tokens"], 260), predicted_per_second=9e5)
        return [*served(path, body)[:-1], ended]

    bench(Target(fake_server(boasting).url), journal, Options(quick=True), FAST)
    found = made(journal, catalog)
    marked = [one for one in found.panels["main"] if one.name == "divergence"]
    assert (marked[0].state, "the run is marked" in marked[0].text) == ("advisory", True)
    assert any("divergence" in one.what for one in found.bundle.runs[0].anomalies)


def test_acceptance_is_read_off_the_counters_where_answers_do_not_tell_it(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    drafted_tokens = 0

    def counting(_path: str, body: dict[str, Any]) -> list[bytes | float]:
        nonlocal drafted_tokens
        drafted_tokens += 100
        server.pages["/metrics"] = (
            f'vllm:spec_decode_num_draft_tokens_total{{e="0"}} {drafted_tokens}.0\n'
            f'vllm:spec_decode_num_accepted_tokens_total{{e="0"}} {drafted_tokens * 0.4}\n'
        ).encode()
        return [HEAD, event(content="a"), 0.02, event(content="b"), end(body["max_tokens"])]

    server = fake_server(counting)
    server.pages["/metrics"] = b"vllm:num_requests_running 0.0\n"
    bench(Target(server.url), journal, Options(quick=True), FAST)
    found = made(journal, catalog)
    assert found.bundle.runs[0].engine.name == "vllm"
    accepted = numbers(found)["acceptance", "code"]
    assert (accepted.value, accepted.protocol) == (0.4, "rigbook-capture")


def test_soak_and_agentic_turns_are_protocols_of_their_own(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    options = Options(prefill=False, extra=("greedy", "agentic", "soak"), soak_sessions=2)
    bench(Target(fake_server(served).url), journal, options, FAST)
    run = made(journal, catalog).bundle.runs[0]
    protocols = {one.protocol for one in run.measurements if one.quantity == "decode"}
    assert protocols == {CANONICAL, "greedy-completion", "rigbook-agentic", "rigbook-soak"}
    grown = [one.context_tokens or 0 for one in run.measurements
             if one.protocol == "rigbook-agentic" and one.quantity == "decode"]  # fmt: skip
    assert grown == sorted(set(grown))
    assert len(grown) == 12
    assert run.stages["soak"].passed == 10


def test_runs_of_a_sweep_stand_apart(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    server = fake_server(served)
    for value in (8, 16):
        series = {"name": "threads-sweep", "axis": "launch.threads"}
        named = Named(f"threads-{value}-boot-1", series)
        bench(Target(server.url), journal, Options(quick=True), FAST, named)
    runs = made(journal, catalog).bundle.runs
    assert [run.id for run in runs] == ["threads-8-boot-1", "threads-16-boot-1"]
    assert all(len(run.measurements) > 3 and run.series for run in runs)


def test_a_server_with_several_models_wants_one_named(fake_server: Start, journal: Journal) -> None:
    server = fake_server(served)
    server.models = b'{"data": [{"id": "one"}, {"id": "two"}]}'
    with pytest.raises(Unusable, match="--served takes one of: one, two"):
        bench(Target(server.url), journal, PLAIN, FAST)


@pytest.mark.parametrize("page", [b"[" * 5000, b'{"data": 3}', b"<html>", b"\xff\xfe", b"{}"])
def test_a_list_of_models_that_is_none_is_unusable(
    fake_server: Start, journal: Journal, page: bytes
) -> None:
    server = fake_server(served)
    server.models = page
    with pytest.raises(Unusable):
        bench(Target(server.url), journal, PLAIN, FAST)


def test_a_server_that_answers_others_is_told(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    server = fake_server(served)
    server.pages["/slots"] = b'[{"id": 0, "is_processing": true}, {"id": 1}, 7]'
    bench(Target(server.url), journal, Options(quick=True), FAST)
    found = made(journal, catalog).panels["main"]
    assert any("answering 1 requests of others" in one.text for one in found)


def test_a_soak_is_judged_by_memory_empty_answers_and_speed(
    fake_server: Start, journal: Journal, catalog: Catalog
) -> None:
    def silent(path: str, body: dict[str, Any]) -> list[bytes | float]:
        if len(server.bodies) % 5 == 0:
            return [HEAD, event(reasoning_content="hm"), end(3)]
        return served(path, body)

    server = fake_server(silent)
    options = Options(prefill=False, extra=("soak",), soak_sessions=2, runs=(1, 1))
    bench(Target(server.url), journal, options, FAST)
    (soak,) = [one for one in made(journal, catalog).panels["main"] if one.name == "soak"]
    assert soak.state == "advisory"
    assert "2 of 10 answers were empty" in soak.text
