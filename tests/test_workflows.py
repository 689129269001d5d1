"""The workflows: pinned, least privilege, safe for forks, and made of scripts that tests run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TESTED = (ROOT / "tests/test_automation.py").read_text()
MAY_WRITE = {
    ("comment.yml", "comment"): {"pull-requests"},
    ("form.yml", "propose"): {"contents", "issues", "pull-requests"},
    ("refresh.yml", "propose"): {"contents", "pull-requests"},
    ("pages.yml", "deploy"): {"id-token", "pages"},
}


def loaded(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(path.read_text())
    return document


def steps(path: Path) -> list[tuple[str, dict[str, Any]]]:
    jobs = loaded(path)["jobs"]
    return [(name, step) for name, job in jobs.items() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit_with_its_version_beside(path: Path) -> None:
    for line in path.read_text().splitlines():
        if "uses:" in line:
            assert re.search(r"uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_one_action_has_one_pin_everywhere() -> None:
    pins = {
        tuple(step["uses"].split("@"))
        for path in WORKFLOWS
        for _, step in steps(path)
        if "uses" in step
    }
    assert len(pins) == len({name for name, _ in pins})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_nothing_may_write_but_the_jobs_that_must(path: Path) -> None:
    document = loaded(path)
    assert document["permissions"] == {}
    for name, job in document["jobs"].items():
        may = {scope for scope, level in job.get("permissions", {}).items() if level == "write"}
        assert may == MAY_WRITE.get((path.name, name), set())
        assert "timeout-minutes" in job


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_job_on_a_request_sees_a_secret_and_no_checkout_keeps_a_credential(path: Path) -> None:
    document, text = loaded(path), path.read_text()
    assert not re.search(r"\$\{\{[^}]*secrets", text)
    # YAML 1.1 reads the bare key `on` as true.
    events: Any = document.get("on", document.get(True))  # type: ignore[call-overload]
    assert "pull_request_target" not in events
    if "pull_request" in events:
        assert "github.token" not in text
    for _, step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_is_a_script_of_the_repository_that_is_tested_or_make(path: Path) -> None:
    for _, step in steps(path):
        if "run" not in step:
            continue
        words = step["run"].split()
        assert "${{" not in step["run"]
        assert "\n" not in step["run"]
        script = next((word for word in words if word.startswith(".github/scripts/")), None)
        if script:
            assert (ROOT / script).is_file()
            assert f'"{Path(script).name}"' in TESTED
        else:
            assert any(word in ("make", ".ci/run") for word in words), step["run"]


def test_a_job_that_writes_contents_or_comments_runs_nothing_but_its_own_folder() -> None:
    for path in WORKFLOWS:
        for name, step in steps(path):
            writes = MAY_WRITE.get((path.name, name), set()) & {"contents", "pull-requests"}
            if writes and "run" in step:
                assert step["run"].startswith("python3 .github/scripts/")
            if writes and step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["sparse-checkout"] == ".github/scripts"


@pytest.mark.parametrize("name", ["api.py", "event.py", "hostile.py", "post_comment.py",
                                  "propose.py"])  # fmt: skip
def test_scripts_with_a_writing_token_import_the_standard_library_alone(name: str) -> None:
    text = (ROOT / ".github/scripts" / name).read_text()
    assert not re.search(
        r"^\s*(from|import) (ingest|models|sitegen|rigbook|httpx)", text, re.MULTILINE
    )


def test_dependencies_and_actions_are_looked_after_weekly_with_a_week_of_patience() -> None:
    updates = loaded(ROOT / ".github/dependabot.yml")["updates"]
    assert {one["package-ecosystem"] for one in updates} == {"github-actions", "uv"}
    assert all(one["schedule"]["interval"] == "weekly" for one in updates)
    assert all(one["cooldown"]["default-days"] >= 7 for one in updates)


def test_the_form_asks_for_consent_and_sets_the_label_that_the_bot_waits_for() -> None:
    form = loaded(ROOT / ".github/ISSUE_TEMPLATE/rig-report.yml")
    assert form["labels"] == ["rig-report"]
    assert "'rig-report'" in (ROOT / ".github/workflows/form.yml").read_text()
    kinds = [part["type"] for part in form["body"]]
    assert kinds[-1] == "checkboxes"
    assert form["body"][-1]["attributes"]["options"][0]["required"] is True


TEMPLATES = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
PARTS = {"markdown", "input", "textarea", "checkboxes", "dropdown"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_an_issue_form_has_what_the_forge_asks_of_one(path: Path) -> None:
    form = loaded(path)
    assert set(form) == {"name", "description", "title", "labels", "body"}
    assert {part["type"] for part in form["body"]} <= PARTS
    asked = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(asked) == len(set(asked)) > 0
    # Only the form of a report may start the bot.
    assert ("rig-report" in form["labels"]) is (path.name == "rig-report.yml")


HERE = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
LINTERS = (
    ("zizmor", "--offline", "--no-progress", "--persona", "pedantic", ".github"),
    ("actionlint", "-no-color", *map(str, WORKFLOWS)),
)


def linted(words: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which(words[0], path=HERE)
    assert program, f"{words[0]} is missing: make .venv/ready"
    return subprocess.run(
        [program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": HERE},
    )  # fmt: skip


@pytest.mark.parametrize("words", LINTERS, ids=lambda words: str(words[0]))
def test_the_linters_find_nothing_in_the_workflows(words: tuple[str, ...]) -> None:
    ran = linted(words, ROOT)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("permissions: {}", "permisions: {}", 'unexpected key "permisions"'),
        ("github.event.workflow_run.head_sha", "github.evnt.x", 'property "evnt" is not defined'),
        ("run: python3 .github/scripts/post_comment.py", "run: cat $OUT", "SC2086"),
    ],
)
def test_a_slip_in_a_workflow_is_found(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = (ROOT / ".github/workflows/comment.yml").read_text()
    assert old in text
    (tmp_path / "comment.yml").write_text(text.replace(old, new))
    ran = linted(("actionlint", "-no-color", "comment.yml"), tmp_path)
    assert ran.returncode == 1
    assert told in ran.stdout


def test_make_lint_runs_every_linter() -> None:
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    assert all(f"$(BIN)/{words[0]} " in lint for words in LINTERS)
