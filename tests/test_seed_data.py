"""The committed table of the seed thread against what the thread published."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.bundle import Bundle, Drafter, Measurement, Off, Run, Status
from ingest.catalog import Catalog
from ingest.filing import sealed
from ingest.folder import Filed
from ingest.rules import rule_problems
from ingest.seed import read_seed, seed_parts
from ingest.seed_table import Seed


@pytest.fixture(scope="module")
def seed() -> Seed:
    found, problems = read_seed(Path(__file__).parents[1] / "data/seed/discussion-909.toml")
    assert problems == []
    assert found is not None
    return found


@pytest.fixture(scope="module")
def thread(seed: Seed) -> dict[str, Bundle]:
    """The bundles of the real thread by the name of their state row, in the table's order."""
    made = (sealed(parts, "thread-7")[0] for parts in seed_parts(seed))
    return {state.id: bundle for state, bundle in zip(seed.state, made, strict=True)}


def runs_of(thread: dict[str, Bundle]) -> dict[str, Run]:
    return {run.id: run for bundle in thread.values() for run in bundle.runs}


def numbers(run: Run) -> Iterator[tuple[str, str | None, str, int | None, Measurement]]:
    for one in run.measurements:
        yield one.quantity, one.workload, one.protocol, one.nominal_tokens, one


@pytest.mark.parametrize(
    ("run", "quantity", "workload", "protocol", "nominal_tokens", "published"),
    [
        # one desktop at 3600, at 4400, with tighter timings, and after the fall
        ("clort81-3600", "decode", None, "llama-cli", None, 8.8),
        ("clort81-3600", "prefill", None, "llama-cli", None, 108.7),
        ("clort81-4400", "decode", None, "llama-cli", None, 9.9),
        ("clort81-4400", "prefill", None, "llama-cli", None, 160.5),
        ("clort81-tight-start", "decode", None, "llama-cli", None, 12.4),
        ("clort81-tight-later", "prefill", None, "llama-cli", None, 135.9),
        ("clort81-fall", "decode", None, "anecdote", None, (8, 9.5)),
        ("clort81-buun", "decode", None, "anecdote", None, 12.5),
        # four cards
        ("mgabor3141-suite", "decode", "mixed", "club-canonical", None, (11.59, 14.78)),
        ("mgabor3141-suite", "ttft", "mixed", "club-canonical", None, (222, 297)),
        ("mgabor3141-suite", "prefill", None, "club-prefill", 10_000, 248.9),
        ("mgabor3141-suite", "prefill", None, "club-prefill", 90_000, 221.4),
        ("mgabor3141-suite", "ctx_ceiling", None, "club-stress", None, 120_477),
        ("mgabor3141-suite", "vram_growth", None, "club-soak", None, 0),
        ("mgabor3141-ub4096", "prefill", None, "other", None, 256.70),
        # the reference rig's two slugs
        ("reference-q8", "decode", "narrative", "club-canonical", None, 17.1),
        ("reference-q8", "decode", "code", "club-canonical", None, 26.9),
        ("reference-q8", "decode", None, "greedy-completion", None, 35.2),
        ("reference-q8", "prefill", None, "club-prefill", 10_000, 369),
        ("reference-q8", "ttft", None, "club-canonical", None, 169),
        ("reference-q8", "vram", None, "club-capture", None, 46.1),
        ("reference-iq2", "decode", "code", "club-canonical", None, 24.3),
        ("reference-iq2", "prefill", None, "club-prefill", 90_000, 311),
        # the sweeps of the 7900X
        ("shaxs-depth-2", "decode", None, "other", None, 14.42),
        ("shaxs-depth-5", "acceptance", None, "other", None, 0.58),
        ("shaxs-prompt-code", "acceptance", "code", "other", None, 0.934),
        ("shaxs-threads-15", "decode", "code", "other", None, 16.93),
        ("shaxs-threads-20", "decode", "code", "other", None, 11.22),
        ("shaxs-ubatch-4096", "ttft", None, "other", 8192, 46_600),
        ("shaxs-start", "decode", None, "anecdote", None, 7.2),
    ],
)
def test_a_published_figure_of_the_thread_comes_out_as_it_was_published(
    thread: dict[str, Bundle],
    run: str,
    quantity: str,
    workload: str | None,
    protocol: str,
    nominal_tokens: int | None,
    published: float | tuple[float, float],
) -> None:
    wanted = (quantity, workload, protocol, nominal_tokens)
    (found,) = [one for *key, one in numbers(runs_of(thread)[run]) if tuple(key) == wanted]
    low_high = published if isinstance(published, tuple) else (None, None)
    value = None if isinstance(published, tuple) else published
    assert (found.value, found.low, found.high) == (value, *low_high)


def test_the_whole_thread_breaks_no_rule_and_says_nothing_doubtful(
    seed: Seed, thread: dict[str, Bundle], catalog: Catalog
) -> None:
    for parts, bundle in zip(seed_parts(seed), thread.values(), strict=True):
        filed = Filed(sealed(parts, "thread-7")[1].folder, bundle, parts.statuses, "0" * 64)
        assert rule_problems(filed, catalog) == []


def test_every_figure_of_the_thread_reaches_a_bundle(seed: Seed, thread: dict[str, Bundle]) -> None:
    measured = [one for run in runs_of(thread).values() for one in run.measurements]
    assert len(measured) == len(seed.figure) == 73
    assert len({bundle.id for bundle in thread.values()}) == len(seed.state) == 9


def test_the_three_states_of_the_desktop_are_one_machine(thread: dict[str, Bundle]) -> None:
    rigs = [b.rig for b in thread.values() if b.rig.machine == "clort81-ryzen-9-7900x3d"]
    assert [(rig.state, rig.memory.mts) for rig in rigs] == [
        ("ddr5-3600", 3600),
        ("ddr5-4400", 4400),
        ("ddr5-4400-tight", 4400),
    ]
    (tuned,) = rigs[2].memory.bandwidth
    assert (tuned.gbps, tuned.method) == (58, "unstated")


def test_only_the_reference_rig_has_slugs(thread: dict[str, Bundle]) -> None:
    slugged = {b.rig.machine for b in thread.values() for run in b.runs if run.slug}
    assert slugged == {"noonghunna-epyc-7543"}
    served = {run.weights.quant for run in thread["mgabor3141"].runs + thread["shaxs"].runs}
    assert served == {"UD-Q8_K_XL"}


def test_the_four_card_report_keeps_its_verdict_and_its_rerun_apart(
    thread: dict[str, Bundle],
) -> None:
    suite, rerun, *_ = thread["mgabor3141"].runs
    assert {name: stage.outcome for name, stage in suite.stages.items()} == {
        "verify": "pass",
        "stress": "fail",
        "soak": "pass",
        "bench": "pass",
        "agentic": "pass",
    }
    assert (suite.stages["stress"].passed, suite.stages["stress"].total) == (7, 8)
    assert suite.suite is not None
    assert suite.suite.exit == 1
    assert isinstance(suite.launch.drafter, Off)
    assert (rerun.origin, rerun.rerun_of, rerun.stages["stress"].exit) == ("rerun", suite.id, 0)
    assert rerun.measurements == ()
    (triad,) = thread["mgabor3141"].rig.memory.bandwidth
    assert (triad.gbps, triad.low, triad.high) == (None, 51.4, 52.0)


def test_what_the_thread_itself_doubts_is_marked(seed: Seed, thread: dict[str, Bundle]) -> None:
    flags: dict[str, list[Status]] = {}
    for name, parts in zip(thread, seed_parts(seed), strict=True):
        flags[name] = list(parts.statuses)
    runs = thread["clort81-4400-tight"].runs
    (fall,) = flags["clort81-4400-tight"]
    assert runs[int(fall.target.rpartition("/")[2])].id == "clort81-fall"
    assert [one.target for one in flags["reference-quoted"]] == [""]
    (anomaly,) = runs_of(thread)["reference-q8"].anomalies
    assert (anomaly.boots_affected, anomaly.boots) == (2, 3)


def test_each_sweep_of_the_7900x_varies_the_field_it_names(thread: dict[str, Bundle]) -> None:
    runs = thread["shaxs"].runs
    swept = [run for run in runs if run.series and run.series.axis == "launch.threads"]
    assert [run.launch.threads for run in swept] == [5, 10, 14, 15, 16, 20]
    depths = [run.launch.drafter for run in runs if run.series and "depth" in run.series.name]
    assert [one.depth for one in depths if isinstance(one, Drafter)] == [2, 3, 4, 5]
