"""An invented thread as a table, good and bad, and the real one against what was published."""
# ruff: noqa: E501 - rows of a table read best on one line

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.bundle import OFF, Bundle, Drafter, Measurement, Off, Run, Status, canonical_json
from ingest.catalog import Catalog
from ingest.filing import Parts, sealed, write_draft
from ingest.folder import Filed, read_folder
from ingest.rows import provenance_of
from ingest.rules import rule_problems
from ingest.seed import read_seed, seed_parts
from ingest.seed_table import Seed

ROOT = Path(__file__).parents[1]
THREAD_909 = ROOT / "data/seed/discussion-909.toml"

TABLE = """
figure = [
  {run = "plain", quantity = "decode", workload = "code", protocol = "anecdote", value = 9.5, unit = "tokens/s"},
  {run = "tuned", quantity = "decode", protocol = "anecdote", low = 11, high = 12.5, unit = "tokens/s", statistic = "range"},
  {run = "tuned", quantity = "vram", protocol = "anecdote", cards = [20.1, 0.2], unit = "GiB", post = 4},
  {run = "tuned", quantity = "vram_growth", protocol = "anecdote", value = 0, unit = "MiB", flag = "not believed"},
]

[thread]
kind = "thread"
url = "example.org/someone/rigs/discussions/7"
recorded = 2026-11-30
recorded_by = "maintainers"

[[state]]
id = "box"
author = "someone"
posts = [2, 4]
machine = "someone-epyc-7543"
state = "ddr4-3200"
cpu = {model = "AMD EPYC 7543", sockets = 1}
memory = {gib = 128, bandwidth = [{low = 50, high = 52, method = "stream"}]}

[state.inferred]
"/cpu/sockets" = "one, by the board"

[state.run]
weights = {model = "deepseek-v4-flash-0731", quant = "UD-Q8_K_XL"}
launch = {threads = 6, batch = 2048, drafter = {kind = "dspark", device = "cpu"}}

[state.run.inferred]
"/launch/threads" = "half of the cores"
"/launch/batch" = "the default"

[[run]]
id = "plain"
state = "box"
post = 2
launch = {threads = 8, drafter = {depth = 3}}

[[run]]
id = "tuned"
state = "box"
post = 2
shared = false
launch = {drafter = {kind = "none"}}

[[run]]
id = "crashed"
state = "box"
post = 4
outcome = {state = "failed", stage = "prefill", reason = "out of memory"}
flag = "launch not told"
"""


def table_at(folder: Path, text: str = TABLE) -> Path:
    path = folder / "table.toml"
    path.write_text(text)
    return path


def seed_of(path: Path) -> Seed:
    seed, problems = read_seed(path)
    assert problems == []
    assert seed is not None
    return seed


@pytest.fixture
def invented(tmp_path: Path) -> Parts:
    (parts,) = seed_parts(seed_of(table_at(tmp_path)))
    return parts


def test_a_state_becomes_one_bundle_with_a_source_for_each_post(invented: Parts) -> None:
    assert (invented.rig.machine, invented.rig.state) == ("someone-epyc-7543", "ddr4-3200")
    assert [(one.kind, one.author, one.post) for one in invented.sources] == [
        ("thread", "someone", 2),
        ("thread", "someone", 4),
    ]
    assert [run.id for run in invented.runs] == ["plain", "tuned", "crashed"]


def test_a_run_begins_with_what_its_state_shares_unless_it_says_otherwise(
    invented: Parts,
) -> None:
    plain, tuned, crashed = invented.runs
    assert plain.launch.drafter == Drafter(kind="dspark", depth=3, device="cpu")
    assert (plain.launch.threads, plain.launch.batch) == (8, 2048)
    assert (tuned.launch.threads, tuned.weights.model) == (None, None)
    assert crashed.launch.threads == 6


def test_off_is_kept_apart_from_unknown_and_from_zero(invented: Parts) -> None:
    tuned = invented.runs[1]
    assert tuned.launch.drafter == OFF
    assert tuned.launch.expert_cache is None
    assert tuned.measurements[2].value == 0


def test_a_range_stays_a_range_and_cards_are_summed(invented: Parts) -> None:
    span, memory, _ = invented.runs[1].measurements
    assert (span.value, span.low, span.high, span.statistic) == (None, 11, 12.5, "range")
    assert memory.value == 20.3


def test_a_field_the_run_tells_itself_is_reported_and_a_shared_guess_is_inferred(
    invented: Parts,
) -> None:
    bundle, _ = sealed(invented, "thread-7")
    how = {at: provenance_of(bundle, at) for at in ("/runs/0/launch/threads",
           "/runs/0/launch/batch", "/runs/2/launch/threads", "/rig/cpu/sockets", "/rig/cpu/model")}  # fmt: skip
    assert [entry and entry.how for entry in how.values()] == [
        "reported",
        "inferred",
        "inferred",
        "inferred",
        "reported",
    ]
    sockets = how["/rig/cpu/sockets"]
    assert sockets is not None
    assert sockets.note == "one, by the board"


def test_evidence_points_at_the_line_and_the_post_of_its_figure(invented: Parts) -> None:
    rows = [json.loads(line) for line in invented.lines]
    assert "state" in rows[0]
    for run in invented.runs:
        for measurement in run.measurements:
            row = rows[(measurement.evidence.line or 0) - 1]
            assert row["run"]["id"] == run.id
            assert row["figure"]["quantity"] == measurement.quantity
    assert [m.evidence.source for m in invented.runs[1].measurements] == [0, 1, 0]
    assert rows[-1] == {"run": rows[-1]["run"]}
    assert rows[-1]["run"]["outcome"]["reason"] == "out of memory"


def test_flags_become_states_of_their_run_and_figure(invented: Parts) -> None:
    assert [(one.target, one.state, one.reason, one.date) for one in invented.statuses] == [
        ("/runs/1/measurements/2", "flagged", "not believed", date(2026, 11, 30)),
        ("/runs/2", "flagged", "launch not told", date(2026, 11, 30)),
    ]


def test_a_finished_bundle_reads_back_from_its_folder_and_breaks_no_rule(
    invented: Parts, tmp_path: Path, catalog: Catalog
) -> None:
    bundle, draft = sealed(invented, "thread-7")
    assert re.fullmatch(r"someone-epyc-7543/undated-thread-7-[0-9a-f]{8}", draft.folder)
    write_draft(tmp_path, draft)
    filed, problems = read_folder(tmp_path / draft.folder)
    assert problems == []
    assert filed is not None
    assert filed.bundle == bundle
    assert filed.statuses == invented.statuses
    assert rule_problems(filed, catalog) == []


def test_rows_merged_in_before_finishing_change_the_name(invented: Parts) -> None:
    merged = invented._replace(lines=(*invented.lines, '{"another": "row"}'))
    assert sealed(merged, "thread-7")[0].id != sealed(invented, "thread-7")[0].id
    assert sealed(invented, "thread-7")[0] == sealed(invented, "thread-7")[0]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("value = 9.5", 'value = "9.5"', "figure[0].value", "should be a valid number"),
        ("value = 9.5", "value = nan", "figure[0].value", "finite number"),
        ("value = 9.5, ", "", "figure[0]", "has no number"),
        ("low = 11, ", "", "figure[1]", "has no number"),
        ("cards =", "value = 3, cards =", "figure[2].cards", "keep one"),
        ("post = 4}", "post = 3}", "figure[2].post", "lists the posts 2, 4, got 3"),
        ("value = 9.5", "value = 9.5, evidence = {line = 3}", "figure[0].evidence", "remove it"),
        ('{run = "plain"', '{run = "plane"', "figure[0].run", "no run 'plane'"),
        ("sockets = 1}", 'sockets = "1"}', "state[0].cpu.sockets", "valid integer"),
        ('"/cpu/sockets"', '"/cpu/cores"', "state[0].inferred", "points at nothing"),
        ("gib = 128", "gibs = 128", "state[0].memory.gibs", "did you mean 'gib'"),
        ('author = "someone"\n', "", "state[0].author", "is missing"),
        ("recorded = 2026-11-30", 'recorded = "today"', "thread.recorded", "valid date"),
        ("threads = 8", "threds = 8", "run[0].launch.threds", "did you mean 'threads'"),
        ('id = "tuned"', 'id = "plain"', "run[0].id", "stands 2 times"),
        ('state = "box"', 'state = "bax"', "run[0].state", "no state 'bax'"),
        ("post = 2\nlaunch", "post = 9\nlaunch", "run[0].post", "got 9"),
        ("post = 2\nlaunch", 'post = 2\nrerun_of = "x"\nlaunch', "run[0].rerun_of", "no run of"),
        (
            "post = 2\nlaunch",
            'post = 2\nmeasurements = [{quantity = "decode", protocol = "other", unit = "s"}]\nlaunch',
            "run[0].measurements",
            "move them there",
        ),
        ("shared = false\n", 'inferred = {"/slug" = "x"}\n', "run[1].inferred", "'/slug' points"),
        ('[[run]]\nid = "plain"', '[run]\nid = "plain"', "", "is not TOML"),
        ("[[state]]", "[state]", "state", "valid array"),
        ("figure = [", "figure = 3\nother = [", "figure", "valid array"),
    ],
)
def test_a_bad_table_is_refused_at_its_place(
    old: str, new: str, place: str, message: str, tmp_path: Path
) -> None:
    assert old in TABLE
    seed, problems = read_seed(table_at(tmp_path, TABLE.replace(old, new, 1)))
    assert seed is None
    assert any(one.where == place and message in one.message for one in problems), problems


def test_all_problems_are_listed_not_the_first(tmp_path: Path) -> None:
    text = TABLE.replace("value = 9.5", 'value = "x"').replace("gib = 128", "gib = -1")
    _, problems = read_seed(table_at(tmp_path, text))
    assert [one.where for one in problems] == ["state[0].memory.gib", "figure[0].value"]
    assert all(one.path.endswith("table.toml") for one in problems)


def test_a_missing_table_is_a_problem_and_no_traceback(tmp_path: Path) -> None:
    seed, problems = read_seed(tmp_path / "none.toml")
    assert seed is None
    assert "cannot be read (No such file or directory)" in problems[0].message


@given(st.text(max_size=200))
def test_any_text_gives_a_table_or_problems(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("seed") / "table.toml"
    path.write_text(text, encoding="utf-8", errors="replace")
    seed, problems = read_seed(path)
    assert (seed is None) == bool(problems)


@pytest.fixture(scope="module")
def thread() -> dict[str, Bundle]:
    """The bundles of the real thread by the name of their state row, in the table's order."""
    seed = seed_of(THREAD_909)
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
    thread: dict[str, Bundle], catalog: Catalog
) -> None:
    for parts, bundle in zip(seed_parts(seed_of(THREAD_909)), thread.values(), strict=True):
        filed = Filed(sealed(parts, "thread-7")[1].folder, bundle, parts.statuses, "0" * 64)
        assert rule_problems(filed, catalog) == []


def test_every_figure_of_the_thread_reaches_a_bundle(thread: dict[str, Bundle]) -> None:
    seed = seed_of(THREAD_909)
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


def test_what_the_thread_itself_doubts_is_marked(thread: dict[str, Bundle]) -> None:
    flags: dict[str, list[Status]] = {}
    for name, parts in zip(thread, seed_parts(seed_of(THREAD_909)), strict=True):
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


def test_no_sentence_of_the_thread_is_published(thread: dict[str, Bundle]) -> None:
    discussion = ROOT.parent / "shared/seed-discussion.txt"
    if not discussion.exists():
        pytest.skip("the thread's text is not beside the repository")
    words = discussion.read_text().split()
    spans = {" ".join(words[i : i + 9]) for i in range(len(words) - 8)}
    for bundle in thread.values():
        ours = canonical_json(bundle).split()
        assert not spans & {" ".join(ours[i : i + 9]) for i in range(len(ours) - 8)}
