import json
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.bundle import OFF, Drafter
from ingest.catalog import Catalog
from ingest.filing import Parts, sealed, write_draft
from ingest.folder import read_folder
from ingest.rows import provenance_of
from ingest.rules import rule_problems
from ingest.seed import read_seed, seed_parts
from ingest.seed_table import Seed

ROOT = Path(__file__).parents[1]

TABLE = (ROOT / "tests/reports/seed.toml").read_text()


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
    pointers = (
        "/runs/0/launch/threads",
        "/runs/0/launch/batch",
        "/runs/2/launch/threads",
        "/rig/cpu/sockets",
        "/rig/cpu/model",
    )
    how = {at: provenance_of(bundle, at) for at in pointers}
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
            'post = 2\nmeasurements = [{quantity = "vram", protocol = "x", unit = "s"}]\nlaunch',
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
