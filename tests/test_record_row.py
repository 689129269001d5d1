import json
from pathlib import Path
from typing import Any

import pytest

from ingest.catalog import Catalog
from ingest.record.row import Collected, address, collected, day, merged, named, source_of

ROW: dict[str, Any] = {
    "source": "github.com/noonghunna/club-3090/issues/1",
    "handle": "ada",
    "date": "2026-08-01",
    "model": "DeepSeek-V4-Flash-0731",
    "quant": "UD-Q8_K_XL",
    "engine": "llama.cpp",
    "protocol": "sampled",
    "workload": "code",
    "decode_tps": 20.5,
}


def one(file: str = "club-threads", line: int = 1, **changes: object) -> Collected:
    row = ROW | changes
    return Collected(file, line, json.dumps(row), row)


def test_every_line_that_is_no_row_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"source": "a"}\n\n[1]\nnot json\n{"handle": "b"}\n')
    rows, problems = collected([path])
    assert [row.row for row in rows] == [{"source": "a"}]
    assert [problem.where for problem in problems] == ["line 3", "line 4", "line 5"]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("issue #12", "github.com/noonghunna/club-3090/issues/12"),
        ("PR #12", "github.com/noonghunna/club-3090/pull/12"),
        ("BENCHMARKS.md#x (row line 7)", "github.com/noonghunna/club-3090 BENCHMARKS.md#x"),
        ("github.com/a/b/issues/1", "github.com/a/b/issues/1"),
    ],
)
def test_an_address_is_written_one_way(said: str, written: str) -> None:
    assert address(said, club=True) == written


def test_a_month_is_no_day() -> None:
    assert day("2026-08") is None
    assert str(day("2026-08-01")) == "2026-08-01"


def test_a_source_names_its_kind_author_and_day() -> None:
    source = source_of(one(handle="ada (Discord)"))
    assert (source.kind, source.author, str(source.date)) == ("issue", "ada", "2026-08-01")


def test_the_same_run_in_two_files_is_one_and_keeps_both_rows(catalog: Catalog) -> None:
    table = one("club-tables", source="BENCHMARKS.md#x", ub=2048, handle="Ada")
    (both,) = merged([table, one()], catalog)
    assert [row.file for row in both.rows] == ["club-threads", "club-tables"]
    assert both.row["ub"] == 2048


def test_rows_of_one_file_or_of_other_figures_stay_apart(catalog: Catalog) -> None:
    assert len(merged([one(line=1), one(line=2)], catalog)) == 2
    assert len(merged([one(), one("club-tables", decode_tps=20.6)], catalog)) == 2
    assert len(merged([one("community-a"), one("community-b")], catalog)) == 2


def test_spellings_are_mapped_and_an_unknown_one_is_told(catalog: Catalog) -> None:
    known = named(ROW, catalog)
    assert known.model is not None
    assert (known.model.id, known.unmapped) == ("deepseek-v4-flash-0731", ())
    unknown = named(ROW | {"model": "NoSuch-9B"}, catalog)
    assert unknown.model is None
    assert unknown.unmapped == ("model 'NoSuch-9B'",)


def test_an_offload_that_only_names_its_difference_is_written_out(tmp_path: Path) -> None:
    first = ROW | {"offload": "-ot exps=CPU"}
    other = first | {"source": "github.com/a/b/issues/2", "offload": "same plus -rtr"}
    lines = [first, first | {"offload": "same plus -rtr"}, first | {"offload": "same"}, other]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in lines))
    rows, _ = collected([path])
    told = [row.row["offload"] for row in rows]
    assert told == [
        "-ot exps=CPU", "-ot exps=CPU -rtr", "-ot exps=CPU -rtr", "same plus -rtr"
    ]  # fmt: skip
    assert "same plus" in rows[1].text


def test_a_slug_of_other_weights_is_only_a_name(catalog: Catalog) -> None:
    slug = "llamacpp/deepseek-flash-dual-q8"
    assert named(ROW | {"slug": slug}, catalog).slug == slug
    assert named(ROW | {"slug": slug, "quant": "UD-IQ2_XXS"}, catalog).slug is None
