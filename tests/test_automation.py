"""The steps of the jobs, run as they are against payloads and a forge of this test's own."""

import base64
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / ".github/scripts"
EVENTS = ROOT / "tests/events"
HEAD = "a" * 40
BOT = {"login": "github-actions[bot]"}


class Asked(NamedTuple):
    method: str
    path: str
    body: dict[str, Any]


class Forge(ThreadingHTTPServer):
    """A stand-in for GitHub's REST interface: answers by path, and remembers what it was asked."""

    answers: dict[str, Any]
    asked: list[Asked]

    def bodies(self, method: str, end: str) -> list[dict[str, Any]]:
        return [one.body for one in self.asked if one.method == method and one.path.endswith(end)]


class Handler(BaseHTTPRequestHandler):
    server: Forge

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        self.server.asked.append(Asked(self.command, self.path, body))
        found = self.server.answers.get(f"{self.command} {self.path.partition('?')[0]}")
        status, document = found if isinstance(found, tuple) else (200, found)
        content = json.dumps(document if found is not None else {"sha": "c" * 40}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = answer  # noqa: N815 - the names that http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        del format, args


@pytest.fixture
def forge() -> Iterator[Forge]:
    server = Forge(("127.0.0.1", 0), Handler)
    repo = "/repos/rigbook/rigbook"
    server.asked = []
    server.answers = {
        f"GET {repo}": {"default_branch": "main"},
        f"GET {repo}/git/ref/heads/main": {"object": {"sha": "b" * 40}},
        f"GET {repo}/git/commits/{'b' * 40}": {"tree": {"sha": "d" * 40}},
        f"GET {repo}/pulls": [],
        f"POST {repo}/pulls": {"number": 8},
        f"GET {repo}/pulls/7": {"head": {"sha": HEAD}},
        f"GET {repo}/issues/7/comments": [],
    }
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def step(
    script: str,
    out: Path,
    event: Path,
    *,
    forge: Forge | None = None,
    cwd: Path = ROOT,
    **more: str,
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "rigbook/rigbook",
        "OUT": str(out),
        **more,
    }
    if forge:
        environment["GITHUB_API_URL"] = f"http://127.0.0.1:{forge.server_address[1]}"
        environment["GITHUB_TOKEN"] = "t"  # noqa: S105 - of this test's own forge
    return subprocess.run(
        [sys.executable, str(SCRIPTS / script)],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


# -- the review of a pull request -----------------------------------------------------------------


@pytest.fixture
def fork(tmp_path: Path) -> tuple[Path, Path]:
    """A clone of a forge's repository with one request, and the payload of its event."""

    def git(folder: Path, *words: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        ran = subprocess.run(
            ["git", "-C", str(folder), *identity, *words],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return ran.stdout.strip()

    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    shutil.copytree(ROOT / "data/catalog", upstream / "data/catalog")
    git(upstream, "init", "-q", "-b", "main")
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "base")
    base = git(upstream, "rev-parse", "HEAD")
    subprocess.run(["git", "clone", "-q", str(upstream), str(clone)], check=True)
    workflow = upstream / ".github/workflows/x.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("on: push\n")
    folder = upstream / "data/reports/rig/2026-08-11-x-00000000"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text("{}")
    git(upstream, "checkout", "-q", "--detach")
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "request")
    head = git(upstream, "rev-parse", "HEAD")
    git(upstream, "update-ref", "refs/pull/7/head", head)
    git(upstream, "checkout", "-q", "main")
    payload = (EVENTS / "pull_request.json").read_text()
    event = tmp_path / "event.json"
    event.write_text(payload.replace('"BASE"', f'"{base}"').replace('"HEAD"', f'"{head}"'))
    return clone, event


def test_a_request_is_reviewed_from_its_objects_and_never_checked_out(
    fork: tuple[Path, Path], tmp_path: Path
) -> None:
    clone, event = fork
    summary = tmp_path / "summary.md"
    ran = step("review_pull.py", tmp_path / "out", event, cwd=clone, NO_FIT="1",
               GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert ran.returncode == 1, ran.stderr
    report = (tmp_path / "out/review.md").read_text()
    assert "changes the workflows beside a report" in report
    assert summary.read_text() == report
    assert (tmp_path / "out/number").read_text() == "7\n"
    assert json.loads((tmp_path / "out/review.json").read_text())["refused"] is True
    assert not (clone / ".github").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [('"number": 7', '"number": "7; id"'), ('"someone"', '"some one"'), ('"BASE"', '"--help"')],
)
def test_a_payload_of_another_shape_is_refused_before_anything_runs(
    tmp_path: Path, old: str, new: str
) -> None:
    event = tmp_path / "event.json"
    event.write_text((EVENTS / "pull_request.json").read_text().replace(old, new))
    ran = step("review_pull.py", tmp_path / "out", event, cwd=tmp_path)
    assert ran.returncode == 2
    assert "should" in ran.stderr
    assert not (tmp_path / "out").exists()


# -- the comment ----------------------------------------------------------------------------------


HOSTILE = (
    "## Verdict\n\n| a | b |\n| --- | --- |\n| <code>x&#95;y</code> | 1 |\n\n"
    "@everyone see #1 ![p](https://evil.example/p.png) [x](javascript:alert(1)) <script>a</script>"
    "<img src=x onerror=a> <code onclick=a>z</code> <!-- hidden --> &#64;ada `q`\u202e\x00"
)


def left(tmp_path: Path, number: str = "7\n", review: str = HOSTILE) -> Path:
    out = tmp_path / "out"
    out.mkdir()
    (out / "number").write_text(number)
    (out / "review.md").write_text(review)
    return out


def test_a_comment_is_written_once_and_its_text_acts_on_nothing(
    forge: Forge, tmp_path: Path
) -> None:
    ran = step("post_comment.py", left(tmp_path), EVENTS / "workflow_run.json", forge=forge)
    assert ran.returncode == 0, ran.stderr
    (body,) = (b["body"] for b in forge.bodies("POST", "/issues/7/comments"))
    assert body.startswith("<!-- rigbook review -->\n")
    assert "## Verdict" in body
    assert "| <code>x&#95;y</code> | 1 |" in body
    rest = body.partition("\n")[2]
    for sign in ("@e", "&#64;a", "![", "](", "<script", "<img", "onclick", "<!--", "https:", "`",
                 "\u202e", "\x00", "see #1"):  # fmt: skip
        assert sign not in rest, sign


def test_an_earlier_comment_of_the_bot_is_renewed_and_a_forged_one_is_not(
    forge: Forge, tmp_path: Path
) -> None:
    mark = "<!-- rigbook review -->\nold"
    forge.answers["GET /repos/rigbook/rigbook/issues/7/comments"] = [
        {"id": 1, "user": {"login": "mallory"}, "body": mark},
        {"id": 2, "user": BOT, "body": mark},
    ]
    ran = step("post_comment.py", left(tmp_path), EVENTS / "workflow_run.json", forge=forge)
    assert ran.returncode == 0, ran.stderr
    assert len(forge.bodies("PATCH", "/issues/comments/2")) == 1
    assert not forge.bodies("POST", "/issues/7/comments")


@pytest.mark.parametrize("number", ["8\n", "7; id\n", "../7", ""])
def test_an_artifact_that_names_another_request_is_not_posted(
    forge: Forge, tmp_path: Path, number: str
) -> None:
    forge.answers["GET /repos/rigbook/rigbook/pulls/8"] = {"head": {"sha": "b" * 40}}
    ran = step("post_comment.py", left(tmp_path, number), EVENTS / "workflow_run.json", forge=forge)
    assert ran.returncode == 2
    assert not [one for one in forge.asked if one.method != "GET"]


@pytest.mark.parametrize("sign", ["[", "@", "<", "&#64;", "x\n"])
def test_a_comment_fits_whatever_its_text_is_made_of(
    forge: Forge, tmp_path: Path, sign: str
) -> None:
    out = left(tmp_path, review="fine\n" + sign * 100_000)
    ran = step("post_comment.py", out, EVENTS / "workflow_run.json", forge=forge)
    assert ran.returncode == 0, ran.stderr
    (body,) = (b["body"] for b in forge.bodies("POST", "/issues/7/comments"))
    assert "fine" in body
    assert len(body) < 65_536


# -- the issue form -------------------------------------------------------------------------------


def test_an_issue_becomes_a_bundle_of_its_author(tmp_path: Path) -> None:
    ran = step("read_issue.py", tmp_path / "out", EVENTS / "issues.json")
    assert ran.returncode == 0, ran.stderr + (tmp_path / "out/summary.md").read_text()
    (path,) = (tmp_path / "out/reports").rglob("report.json")
    bundle = json.loads(path.read_text())
    assert bundle["submitter"] == "someone"
    assert bundle["sources"][0]["url"] == "github.com/rigbook/rigbook/issues/42"
    values = [m["value"] for run in bundle["runs"] for m in run["measurements"]]
    assert 28.41 in values
    assert (path.parent / "report.md").is_file()
    assert (tmp_path / "out/summary.md").read_text().startswith("Read 1 bundle(s)")


def test_a_bundle_is_proposed_by_commits_of_the_interface_alone(
    forge: Forge, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert step("read_issue.py", out, EVENTS / "issues.json").returncode == 0
    ran = step("propose.py", out, EVENTS / "issues.json", forge=forge, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (tree,) = forge.bodies("POST", "/git/trees")
    assert all(entry["path"].startswith("data/reports/") for entry in tree["tree"])
    assert {entry["mode"] for entry in tree["tree"]} == {"100644"}
    blobs = [base64.b64decode(blob["content"]) for blob in forge.bodies("POST", "/git/blobs")]
    assert any(b"28.41" in blob for blob in blobs)
    (ref,) = forge.bodies("POST", "/git/refs")
    assert ref["ref"] == "refs/heads/submission/issue-42"
    (pull,) = forge.bodies("POST", "/pulls")
    assert pull["body"].startswith("Closes #42.")
    (answer,) = forge.bodies("POST", "/issues/42/comments")
    assert answer["body"].endswith("Proposed as a pull request: #8.")
    for text in (pull["body"], answer["body"]):
        assert "@everyone" not in text
        assert "https:" not in text


def test_a_second_edit_moves_the_branch_and_keeps_the_request(forge: Forge, tmp_path: Path) -> None:
    forge.answers["POST /repos/rigbook/rigbook/git/refs"] = (422, {"message": "exists"})
    forge.answers["GET /repos/rigbook/rigbook/pulls"] = [{"number": 9}]
    out = tmp_path / "out"
    assert step("read_issue.py", out, EVENTS / "issues.json").returncode == 0
    assert step("propose.py", out, EVENTS / "issues.json", forge=forge).returncode == 0
    assert forge.bodies("PATCH", "/git/refs/heads/submission/issue-42")
    assert not forge.bodies("POST", "/pulls")


def _hostile_link(reports: Path) -> None:
    (reports / "rig/b").mkdir(parents=True)
    (reports / "rig/b/report.json").symlink_to("/etc/passwd")


def _hostile_name(reports: Path) -> None:
    (reports / "rig/.github").mkdir(parents=True)
    (reports / "rig/.github/report.json").write_text("{}")


def _hostile_file(reports: Path) -> None:
    (reports / "rig/b").mkdir(parents=True)
    (reports / "rig/b/run.sh").write_text("id")


def _hostile_size(reports: Path) -> None:
    (reports / "rig/b").mkdir(parents=True)
    (reports / "rig/b/report.md").write_bytes(b" " * 5_000_001)


def _hostile_depth(reports: Path) -> None:
    (reports / "rig/b/c").mkdir(parents=True)
    (reports / "rig/b/c/report.json").write_text("{}")


@pytest.mark.parametrize(
    "act", [_hostile_link, _hostile_name, _hostile_file, _hostile_size, _hostile_depth]
)
def test_files_that_are_no_plain_bundle_are_never_proposed(
    act: Callable[[Path], None],
    forge: Forge,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    act(out / "reports")
    (out / "number").write_text("42\n")
    ran = step("propose.py", out, EVENTS / "issues.json", forge=forge)
    assert ran.returncode == 2
    assert "not proposed" in ran.stderr
    assert not [one for one in forge.asked if one.method != "GET"]


# -- the weekly refresh ---------------------------------------------------------------------------


def test_new_threads_are_read_into_rows_without_their_sentences(
    forge: Forge, tmp_path: Path
) -> None:
    body = json.loads((EVENTS / "issues.json").read_text())["issue"]["body"]
    thread = {"user": {"login": "someone"}, "created_at": "2026-11-03T10:00:00Z", "body": body}
    forge.answers["GET /repos/other/project/issues"] = [
        {**thread, "number": 5}, {**thread, "number": 6, "body": "When will this be fixed?"},
    ]  # fmt: skip
    ran = step("fetch_threads.py", tmp_path / "out", EVENTS / "issues.json", forge=forge,
               THREADS="other/project:rig report")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "1 new threads\n"
    (path,) = (tmp_path / "out/reports").rglob("report.json")
    assert not (path.parent / "report.md").exists()
    assert "28.41" in (path.parent / "rows.jsonl").read_text()
    assert "everyone" not in path.read_text()
    assert "submitter" not in json.loads(path.read_text())
    assert "labels=rig%20report" in forge.asked[0].path


def test_what_is_fetched_passes_the_check(forge: Forge, tmp_path: Path) -> None:
    test_new_threads_are_read_into_rows_without_their_sentences(forge, tmp_path)
    checked = subprocess.run(
        [sys.executable, "-m", "rigbook", "check", str(tmp_path / "out/reports")],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("threads", ["nonsense", "a/b", "a/b:x&per_page=1", "../x:y"])
def test_a_wrong_setting_is_refused(forge: Forge, tmp_path: Path, threads: str) -> None:
    ran = step(
        "fetch_threads.py", tmp_path / "out", EVENTS / "issues.json", forge=forge, THREADS=threads
    )
    assert ran.returncode == 2
    assert forge.asked == []
