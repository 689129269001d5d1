"""A bundle folder → a branch of the collection, and a pull request where `gh` can open one.

Only `git` and `gh` speak to the network, and only in the last step. No shell; an address is never
an option, and only ordinary transports are let through.
"""

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from ingest.bundle import Status
from ingest.filing import path_part
from ingest.misuse import Misuse

REPORTS = "data/reports"
TRANSPORTS = "https:ssh:git:file"
"""`ext::` and the like run commands."""
GIT_S = 600


class Failed(Exception):  # noqa: N818 - what the step did
    """A step that needs the network did not work; the text says which, and what is left to do."""


class Change(NamedTuple):
    """What the pull request holds: a bundle folder, status lines for others, and its words."""

    folder: Path | None
    statuses: tuple[tuple[str, Status], ...]
    branch: str
    title: str
    body: str


def address_of(to: str) -> str:
    """Turn `OWNER/NAME` into GitHub's address; others are taken as they are."""
    if to.startswith("-") or "::" in to or any(ord(char) < 32 for char in to):
        raise Misuse(f"--to takes OWNER/NAME, an address or a path of a repository, got {to!r}")
    return (
        f"https://github.com/{to}.git"
        if re.fullmatch(r"[\w.-]+/[\w.-]+", to) and not Path(to).exists()
        else to
    )


def on_github(address: str) -> str | None:
    """Tell the OWNER/NAME of an address on GitHub; None for others."""
    found = re.search(r"github\.com[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", address)
    return found[1] if found else None


def run(words: Sequence[str], folder: Path | None = None) -> str:
    """Run git or gh without a shell; its output, or Failed with its last words."""
    environment = {
        **os.environ,
        "GIT_ALLOW_PROTOCOL": TRANSPORTS,
        "GIT_TERMINAL_PROMPT": "1" if os.isatty(0) else "0",
    }
    try:
        done = subprocess.run(  # noqa: S603 - git or gh with checked words
            list(words), cwd=folder, env=environment, capture_output=True, text=True,
            timeout=GIT_S, check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise Failed(f"{words[0]} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Failed(f"{words[0]} {words[1]} did not end within {GIT_S} s") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(f"{words[0]} {words[1]} failed: {said[-1] if said else done.returncode}")
    return done.stdout


def staged(change: Change, address: str, clone: Path) -> Path:
    """Clone the collection, put the change into a branch of it, and commit; the clone's folder."""
    run(["git", "clone", "--quiet", "--depth", "1", "--no-tags", "--", address, str(clone)])
    run(["git", "checkout", "--quiet", "-b", change.branch], clone)
    touched: list[str] = []
    if change.folder:
        target = Path(REPORTS) / change.folder.parent.name / change.folder.name
        if (clone / target).exists():
            raise Failed(f"{target} is there already: this bundle was submitted before")
        shutil.copytree(change.folder, clone / target)
        touched.append(str(target))
    touched += [_marked(clone, prefix, status) for prefix, status in change.statuses]
    run(["git", "add", "--", *touched], clone)
    run(["git", *_identity(clone), "commit", "--quiet", "-m", f"{change.title}\n\n{change.body}"],
        clone)  # fmt: skip
    return clone


def _identity(clone: Path) -> list[str]:
    """Name an author where git knows none: nothing of this machine."""
    try:
        run(["git", "config", "user.email"], clone)
    except Failed:
        return ["-c", "user.name=rigbook", "-c", "user.email=rigbook@users.noreply.github.com"]
    return []


LEAST_ID = 8


def checked_id(prefix: str) -> str:
    """Return the beginning of an id, or raise Misuse: it becomes part of a path."""
    if not re.fullmatch(rf"[0-9a-f]{{{LEAST_ID},64}}", prefix):
        raise Misuse(f"an id has {LEAST_ID} to 64 of 0-9 and a-f, got {prefix!r}")
    return prefix


def _marked(clone: Path, prefix: str, status: Status) -> str:
    """Append a status to the bundle whose id begins with `prefix`; its file."""
    reports = sorted((clone / REPORTS).glob(f"*/*-{prefix[:LEAST_ID]}/report.json"))
    found = [path for path in reports
             if json.loads(path.read_text(encoding="utf-8"))["id"].startswith(prefix)]  # fmt: skip
    if len(found) != 1:
        raise Misuse(f"{len(found)} bundles have an id that begins with {prefix}; give more of it")
    path = found[0].with_name("status.jsonl")
    with path.open("a", encoding="utf-8") as file:
        file.write(status.model_dump_json(exclude_defaults=True) + "\n")
    return str(path.relative_to(clone))


def pushed(change: Change, clone: Path, address: str) -> str:
    """Push the branch, by a fork and with a pull request where `gh` is there; what came of it."""
    github = on_github(address)
    if github and shutil.which("gh"):
        return _requested(change, clone, github)
    run(["git", "push", "--quiet", "origin", f"HEAD:refs/heads/{change.branch}"], clone)
    return f"branch {change.branch} is pushed to {address}; open a pull request of it there"


GH_CREDENTIALS = ("-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential")
"""Lets git push with gh's login, as `gh auth setup-git` would for good."""


def _requested(change: Change, clone: Path, github: str) -> str:
    """Push with gh's login, by a fork unless the collection is one's own; its pull request."""
    owner = run(["gh", "api", "user", "--jq", ".login"]).strip()
    if not re.fullmatch(r"[\w-]{1,39}", owner):
        raise Failed(f"gh does not tell who you are (got {owner!r}); run `gh auth login`")
    project, name = github.split("/")
    own = owner.casefold() == project.casefold()
    if not own:
        run(["gh", "repo", "fork", github, "--clone=false"])
    place = f"https://github.com/{project if own else owner}/{name}.git"
    branch = f"HEAD:refs/heads/{change.branch}"
    run(["git", *GH_CREDENTIALS, "push", "--quiet", "--", place, branch], clone)
    head = change.branch if own else f"{owner}:{change.branch}"
    return run(
        ["gh", "pr", "create", "--repo", github, "--head", head,
         "--title", change.title, "--body", change.body], clone,
    ).strip()  # fmt: skip


MAX_BODY = 900
"""GitHub answers addresses beyond 8 kB with an error, and a character may take nine bytes."""


def attachment(change: Change, target: Path) -> Path:
    """Pack the bundle's files, and nothing else, into one file to attach."""
    folder = change.folder
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()) if folder else ():
            name = f"{REPORTS}/{path.parent.parent.name}/{path.parent.name}/{path.name}"
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
        for prefix, status in change.statuses:
            line = status.model_dump_json(exclude_defaults=True) + "\n"
            archive.writestr(zipfile.ZipInfo(f"status-{path_part(prefix)}.jsonl"), line)
    return target


def issue_url(github: str, change: Change) -> str:
    """Prefill an issue that asks for the change, where no pull request can be opened from here."""
    body = f"{change.body[:MAX_BODY]}\n\nThe file is attached."
    words = urlencode({"title": change.title[:120], "body": body})
    return f"https://github.com/{github}/issues/new?{words}"
