import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.preview import page, taken_out
from capture.submission import Change, address_of, issue_url, on_github
from ingest.bundle import Bundle
from ingest.misuse import Misuse
from rigbook.__main__ import main

ROOT = Path(__file__).parents[1]
SCRIPT = "<script>alert(1)</script>"
FAKE_GH = ROOT / "tests/fake_gh.py"


def git(*words: str, cwd: Path) -> str:
    author = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    return subprocess.run(
        ["git", *author, *words], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository that holds a collection of one bundle."""
    bare, work = tmp_path / "bare.git", tmp_path / "work"
    git("init", "--quiet", "--bare", "-b", "main", str(bare), cwd=tmp_path)
    git("clone", "--quiet", str(bare), str(work), cwd=tmp_path)
    old = work / "data/reports/someone-epyc/undated-x-0badcafe"
    old.mkdir(parents=True)
    (old / "report.json").write_text(json.dumps({"id": "0badcafe" + "0" * 56}))
    git("add", "-A", cwd=work)
    git("commit", "--quiet", "-m", "Begin", cwd=work)
    git("push", "--quiet", "origin", "HEAD:main", cwd=work)
    return bare


@pytest.fixture
def captured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A working folder with a real bundle of this machine, its memory unmeasured."""
    out = tmp_path / "run"
    assert main(["capture", "--out", str(out), "--no-bandwidth", "--submitter", "someone"]) == 0
    capsys.readouterr()
    return out


def files(bare: Path, branch: str) -> list[str]:
    return git("ls-tree", "-r", "--name-only", branch, cwd=bare).splitlines()


def branches(bare: Path) -> list[str]:
    return git("for-each-ref", "--format=%(refname:short)", cwd=bare).split()


def test_a_bundle_becomes_a_branch_with_its_files_and_no_other(
    captured: Path, remote: Path
) -> None:
    assert main(["submit", str(captured), "--to", str(remote), "--yes"]) == 0
    (branch,) = [name for name in branches(remote) if name.startswith("report/")]
    added = set(files(remote, branch)) - set(files(remote, "main"))
    assert {Path(name).name for name in added} == {"report.json", "rows.jsonl"}
    assert all(name.startswith("data/reports/someone-") for name in added)


def test_nothing_is_sent_before_the_last_step(captured: Path, remote: Path) -> None:
    assert main(["submit", str(captured), "--to", str(remote), "--dry-run"]) == 0
    assert branches(remote) == ["main"]
    assert (captured / "preview.html").read_text().startswith("<!doctype html>")


def test_a_person_who_says_no_sends_nothing(
    captured: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert main(["submit", str(captured), "--to", str(remote)]) == 0
    assert branches(remote) == ["main"]


def test_without_a_terminal_sending_wants_to_be_told(captured: Path) -> None:
    assert main(["submit", str(captured)]) == 2


def test_an_update_supersedes_the_old_bundle(captured: Path, remote: Path) -> None:
    words = ["submit", str(captured), "--to", str(remote), "--yes", "--update", "0badcafe"]
    assert main(words) == 0
    (branch,) = [name for name in branches(remote) if name.startswith("report/")]
    path = "data/reports/someone-epyc/undated-x-0badcafe/status.jsonl"
    status = json.loads(git("show", f"{branch}:{path}", cwd=remote))
    assert status["state"] == "superseded"
    assert status["link"].startswith("data/reports/someone-")


def test_a_retraction_keeps_the_bundle_and_adds_a_line(tmp_path: Path, remote: Path) -> None:
    words = ["--retract", "0badcafe", "--reason", "a DIMM was missing", "--to", str(remote)]
    assert main(["submit", str(tmp_path), *words, "--yes"]) == 0
    path = "data/reports/someone-epyc/undated-x-0badcafe"
    status = json.loads(git("show", f"retract/0badcafe:{path}/status.jsonl", cwd=remote))
    assert (status["state"], status["reason"]) == ("retracted", "a DIMM was missing")
    assert f"{path}/report.json" in files(remote, "retract/0badcafe")


@pytest.mark.parametrize("wrong", ["deadbeef", "../../../x", "0bad"])
def test_an_id_that_names_no_bundle_is_misuse(tmp_path: Path, remote: Path, wrong: str) -> None:
    words = ["--retract", wrong, "--reason", "x", "--to", str(remote), "--yes"]
    assert main(["submit", str(tmp_path), *words]) == 2
    assert branches(remote) == ["main"]


def test_a_retraction_without_a_reason_is_misuse(tmp_path: Path) -> None:
    assert main(["submit", str(tmp_path), "--retract", "0badcafe", "--yes"]) == 2


def test_a_remote_that_is_not_there_fails_with_the_step(
    captured: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submit", str(captured), "--to", str(tmp_path / "none.git"), "--yes"]) == 1
    assert "rigbook submit: git clone failed" in capsys.readouterr().err


def test_a_bundle_with_errors_is_not_sent(captured: Path, remote: Path) -> None:
    (report,) = captured.rglob("report.json")
    report.write_text(report.read_text().replace('"machine": "', '"machine": "other-'))
    assert main(["submit", str(captured), "--to", str(remote), "--yes"]) == 1
    assert branches(remote) == ["main"]


def test_without_gh_there_is_a_file_and_a_prefilled_address(
    captured: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["submit", str(captured), "--to", "owner/rigs", "--yes"]) == 0
    told = capsys.readouterr().out
    assert "https://github.com/owner/rigs/issues/new?title=Add+someone-" in told
    with zipfile.ZipFile(captured / "submission.zip") as archive:
        names = [Path(name).name for name in archive.namelist()]
    assert names == ["report.json", "rows.jsonl"]


@pytest.fixture
def gh_log(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], list[list[str]]]:
    """A `gh` that takes what gh's manual allows and no more; git leads github.com to `remote`."""
    tools, log = tmp_path / "tools", tmp_path / "gh.log"
    tools.mkdir()
    (tools / "gh").write_text(f"#!{sys.executable}\n{FAKE_GH.read_text()}")
    (tools / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_GH_LOG", str(log))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    for index, owner in enumerate(("owner", "someone")):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{index}", f"url.{remote}.insteadOf")
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{index}", f"https://github.com/{owner}/rigs.git")
    return lambda: [json.loads(line) for line in log.read_text().splitlines()]


def test_with_gh_a_fork_gets_the_branch_and_the_project_a_pull_request(
    captured: Path, remote: Path, gh_log: Callable[[], list[list[str]]],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["submit", str(captured), "--to", "owner/rigs", "--yes"]) == 0
    assert "https://github.com/owner/rigs/pull/7" in capsys.readouterr().out
    calls = gh_log()
    assert ["repo", "fork", "owner/rigs", "--clone=false"] in calls
    assert calls[-1][:4] == ["pr", "create", "--repo", "owner/rigs"]
    assert calls[-1][calls[-1].index("--head") + 1].startswith("someone:report/")
    assert any(name.startswith("report/") for name in branches(remote))


def test_the_owner_of_the_collection_needs_no_fork(
    captured: Path, remote: Path, gh_log: Callable[[], list[list[str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("FAKE_GH_USER", "Owner")
    assert main(["submit", str(captured), "--to", "owner/rigs", "--yes"]) == 0
    calls = gh_log()
    assert not [call for call in calls if call[:2] == ["repo", "fork"]]
    assert calls[-1][calls[-1].index("--head") + 1].startswith("report/")
    assert any(name.startswith("report/") for name in branches(remote))


def test_a_gh_that_is_not_logged_in_is_told_before_anything_is_pushed(
    captured: Path, remote: Path, gh_log: Callable[[], list[list[str]]],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("FAKE_GH_USER", "")
    assert main(["submit", str(captured), "--to", "owner/rigs", "--yes"]) == 1
    told = capsys.readouterr().err
    assert "gh auth login" in told
    assert (
        f"or attach {captured / 'submission.zip'} to: https://github.com/owner/rigs/issues" in told
    )
    assert [call[0] for call in gh_log()] == ["api"]
    assert branches(remote) == ["main"]


@pytest.mark.parametrize("to", ["--upload-pack=x", "ext::sh -c x", "a\nb"])
def test_an_address_is_never_an_option_or_a_command(to: str) -> None:
    with pytest.raises(Misuse):
        address_of(to)


def test_addresses_on_github_are_known() -> None:
    assert on_github(address_of("owner/rigs")) == "owner/rigs"
    assert on_github("git@github.com:owner/rigs.git") == "owner/rigs"
    assert on_github("https://example.org/owner/rigs") is None


def test_the_page_escapes_what_a_server_or_a_file_name_says(document: dict[str, Any]) -> None:
    document["runs"][0]["named"] = SCRIPT
    bundle = Bundle.model_validate(document)
    text = page(bundle, {SCRIPT: SCRIPT}, [SCRIPT], taken_out({"rows": "a <USER> here"}))
    assert "<script" not in text
    assert "user in rows" in text


def test_a_long_body_is_cut_to_fit_an_address() -> None:
    assert len(issue_url("owner/rigs", Change(None, (), "b", "t" * 9000, "ü" * 9000))) < 8000
