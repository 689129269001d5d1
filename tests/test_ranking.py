import argparse
from pathlib import Path

import pytest

from launch.ask import Ask, Shelf, plan_for, shipped_shelf
from launch.plan import Plan
from rigbook.plan import add_arguments
from rigbook.ranking import line_of, lines_of, ranking, rows_of
from tests.tiny_moe import Sizes, write


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return shipped_shelf()


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)


def planned(path: Path, shelf: Shelf, *gpus: str) -> Plan:
    return plan_for(Ask(gguf=str(path), gpus=gpus, ram_gib=64), shelf)


def test_any_gguf_gets_speeds_from_what_its_header_says_a_token_reads(
    shelf: Shelf, tmp_path: Path
) -> None:
    small, wide = (tmp_path / f"m-{ff}.gguf" for ff in (128, 2048))
    write(small, Sizes())
    write(wide, Sizes(ff=2048))

    def best(path: Path, *triad: str) -> float:
        words = ("--gguf", str(path), "--ram", "64", "--cores", "8", "--triad", *triad)
        rows = ranking(asked(*words), shelf, planned(path, shelf))
        assert {(row["slug"], row["depth"], row["ubatch"]) for row in rows} == {
            (None, 0, 2048),
            (None, 0, 4096),
        }
        assert all(row["layers_on_cpu"] == 8 and row["fits"] for row in rows)
        assert all(row["low"] < row["tokens_per_s"] < row["high"] for row in rows)
        assert {row["basis"] for row in rows} == {"extrapolated"}, "no row of it is in the record"
        return float(rows[0]["tokens_per_s"])

    assert best(small, "50") > best(wide, "50") > best(wide, "25")


def test_without_the_rigs_speed_nothing_is_predicted(shelf: Shelf, tmp_path: Path) -> None:
    write(tmp_path / "m.gguf", Sizes())
    plan = planned(tmp_path / "m.gguf", shelf)
    assert ranking(asked("--gguf", "m.gguf", "--triad", "50"), shelf, plan) == []


def test_a_header_that_does_not_say_what_a_token_reads_gives_no_speed(
    shelf: Shelf, tmp_path: Path
) -> None:
    write(tmp_path / "m.gguf", Sizes())
    plan = planned(tmp_path / "m.gguf", shelf)
    entry = plan.subject.entry
    assert entry is not None
    bare = entry.model_copy(update={"expert_ffn": None})
    plan = plan._replace(subject=plan.subject._replace(entry=bare))
    words = ("--gguf", "m.gguf", "--triad", "50", "--cores", "8")
    assert ranking(asked(*words), shelf, plan) == []
    plan = plan._replace(subject=plan.subject._replace(entry=None))
    assert ranking(asked(*words), shelf, plan) == []


def test_a_row_names_the_file_where_there_is_no_slug(shelf: Shelf, tmp_path: Path) -> None:
    write(tmp_path / "m.gguf", Sizes())
    plan = planned(tmp_path / "m.gguf", shelf, "RTX 3090x2")
    words = ("--gguf", "m.gguf", "--gpu", "RTX 3090x2", "--triad", "50", "--cores", "8")
    rows = ranking(asked(*words), shelf, plan)
    assert "this file  depth 0, ubatch 2048, 0 layers on the host" in line_of(rows[0])
    assert line_of(rows[0]).endswith("memory unknown")


def test_a_slug_is_tied_to_the_rows_that_were_measured_on_it(shelf: Shelf, tmp_path: Path) -> None:
    plan = plan_for(Ask(slug="llamacpp/deepseek-flash-dual-iq2"), shelf)
    rows = rows_of(plan)
    speeds = [row["tokens_per_s"] for row in rows]
    assert speeds == sorted(speeds, reverse=True)
    (line,) = lines_of(rows)
    assert line.startswith(f"measured on it: {len(rows)} rows of ")
    assert line.endswith(rows[0]["url"])
    assert lines_of(rows[:1])[0].startswith("measured on it: 1 row of 1 rig, ")
    write(tmp_path / "m.gguf", Sizes())
    assert rows_of(planned(tmp_path / "m.gguf", shelf)) == []
    assert lines_of([]) == ["measured on it: nothing in the record"]
