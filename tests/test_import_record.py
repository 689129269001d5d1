import json
import re
from pathlib import Path

import pytest

from ingest.check import check
from ingest.folder import bundle_folders
from ingest.problem import has_errors
from ingest.record import import_record

ROOT = Path(__file__).parents[1]
REPORTS = ROOT / "data/reports"
SEED = ROOT / "data/seed/discussion-909.toml"
ROW = {
    "source": "github.com/ada/rig/issues/1",
    "rig": "ada",
    "model": "DeepSeek-R1 671B",
    "quant": "Q4_K_M",
    "engine": "llama.cpp",
    "cpu": "AMD EPYC 7302P",
    "mode": "cpu",
    "protocol": "llama-bench",
    "decode_tps": 4.5,
}


def rows(path: Path, *told: object) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in told))
    return path


def content(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_collected_rows_become_bundles_that_check_clean(tmp_path: Path) -> None:
    collected = rows(tmp_path / "community.jsonl", ROW, ROW | {"threads": 8, "decode_tps": 5})
    assert import_record([collected], None, tmp_path / "reports") == []
    found = check([tmp_path / "reports"])
    assert not has_errors(found.problems)
    (filed,) = found.filed
    assert filed.bundle.rig.machine == "public-ada"
    assert [run.measurements[0].value for run in filed.bundle.runs] == [4.5, 5]


def test_importing_again_gives_the_same_bytes(tmp_path: Path) -> None:
    collected = rows(tmp_path / "community.jsonl", ROW)
    for out in ("one", "two", "two"):
        import_record([collected], SEED, tmp_path / out)
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_line_that_cannot_be_read_stops_the_import_before_anything_is_written(
    tmp_path: Path,
) -> None:
    collected = rows(tmp_path / "community.jsonl", ROW, ["no row"], {"rig": "no source"})
    problems = import_record([collected], None, tmp_path / "reports")
    assert [problem.where for problem in problems] == ["line 2", "line 3"]
    assert not (tmp_path / "reports").exists()


def test_a_row_that_went_is_told_and_its_bundle_left(tmp_path: Path) -> None:
    both = rows(tmp_path / "a.jsonl", ROW, ROW | {"source": "github.com/ada/rig/issues/2"})
    import_record([both], None, tmp_path / "reports")
    (told,) = import_record([rows(tmp_path / "b.jsonl", ROW)], None, tmp_path / "reports")
    assert told.severity == "note"
    assert len(list(bundle_folders(tmp_path / "reports"))) == 2


PRIVATE = {
    "an e-mail address": re.compile(rb"[\w.+-]+@[\w-]+\.(?:com|org|net|io|de)\b"),
    "a home folder": re.compile(rb"/(?:home|Users)/\w+"),
    "a token": re.compile(rb"\b(?:hf_|ghp_|sk-)[A-Za-z0-9]{16,}"),
    "an address of a private network": re.compile(rb"\b(?:192\.168|10\.\d+)\.\d+\.\d+\b"),
}


@pytest.mark.parametrize("what", PRIVATE)
def test_no_committed_bundle_holds(what: str) -> None:
    held = {name: PRIVATE[what].findall(text) for name, text in content(REPORTS).items()}
    assert {name: found for name, found in held.items() if found} == {}


def test_the_pattern_for_each_private_thing_finds_one() -> None:
    texts = [b"ada@example.com", b"/home/ada", b"hf_" + b"a" * 20, b"192.168.1.7"]
    assert all(p.search(t) for p, t in zip(PRIVATE.values(), texts, strict=True))


@pytest.mark.shared
def test_the_committed_record_is_what_the_collected_files_give(tmp_path: Path) -> None:
    files = sorted((ROOT.parent / "shared/measurements").glob("c*.jsonl"))
    assert len(files) == 5
    assert import_record(files, SEED, tmp_path) == []
    assert content(tmp_path) == content(REPORTS)
