import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from ingest.readers.reader import format_names
from rigbook.__main__ import main

REPORTS = Path(__file__).parent / "reports"
REPORT = REPORTS / "rig-report.md"


def test_read_tells_what_was_understood_inferred_redacted_and_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pasted.md"
    path.write_text(REPORT.read_text() + "\n## Notes\n\nI paid 700 for it, see /home/carol77/x\n")
    assert main(["read", str(path)]) == 0
    out = capsys.readouterr().out
    assert "llamacpp/deepseek-flash-dual-q8: deepseek-v4-flash-0731 UD-Q8_K_XL on llama.cpp" in out
    assert "11.4 tokens/s (11.2-11.6, n=5)  decode narrative [club-canonical]" in out
    assert "/rig/memory/kind = DDR4 (from the processor)" in out
    assert "user" in out.partition("redacted (1):")[2]
    assert "I paid 700" in out.partition("not read (1):")[2]
    assert "carol77" not in out


def test_json_is_one_document_whose_bundle_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(REPORT), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "rigbook.read/1"
    assert told["bundles"][0]["format"] == "club-report"
    assert told["bundles"][0]["bundle"]["rig"]["cpu"]["cores"] == 16


def test_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (REPORTS / "samples/llama-bench-offload.md").read_bytes()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert main(["read", "-", "--as", "llama-bench"]) == 0
    assert "17.62 tokens/s" in capsys.readouterr().out


def test_what_is_not_understood_is_an_error_that_says_what_would_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pasted.md"
    path.write_text("about 20 tokens a second")
    assert main(["read", str(path)]) == 1
    assert "known formats: club-report, llama-bench" in capsys.readouterr().out


@pytest.mark.parametrize("form", format_names())
def test_a_format_that_does_not_fit_is_an_error_whatever_its_name(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pasted.md"
    path.write_text("nothing of the kind 5\n")
    assert main(["read", str(path), "--as", form]) == 1
    assert "nothing was recognised" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["no-such-file.md"], "cannot read no-such-file.md"),
        ([str(REPORT), "--as", "exel"], "no format 'exel'; one of club-report"),
        (["http://127.0.0.1:9/x"], "cannot fetch"),
    ],
)
def test_misuse_says_what_would_make_sense(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["read", *words]) == 2
    assert told in capsys.readouterr().err
