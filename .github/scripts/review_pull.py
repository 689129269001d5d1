"""Review the pull request of the event with the base's own code; leave the report in `out/`.

The request's commits are fetched as objects and never checked out: nothing of them runs here.
"""

import os
import subprocess
import sys
from pathlib import Path

from event import HANDLE, SHA, event, matching, number, refuse


def main() -> int:
    """Fetch, review, write; the exit code is the review's."""
    payload = event()
    pull = number(payload, "pull_request.number")
    base = matching(payload, "pull_request.base.sha", SHA)
    head = matching(payload, "pull_request.head.sha", SHA)
    actor = matching(payload, "pull_request.user.login", HANDLE)
    out = Path(os.environ.get("OUT", "out"))
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["git", "fetch", "--quiet", "--no-tags", "origin", f"refs/pull/{pull}/head"], check=True
    )
    fetched = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{head}^{{commit}}"], check=False
    )
    if fetched.returncode:
        refuse(f"commit {head} is gone: the request was pushed again, and reviewed again")
    (out / "number").write_text(f"{pull}\n")
    words = ["--actor", actor, "--out", str(out / "review.md"), "--json", str(out / "review.json")]
    if os.environ.get("NO_FIT"):
        words.append("--no-fit")
    ran = subprocess.run(
        [sys.executable, "-m", "rigbook", "review", f"{base}..{head}", *words], check=False
    )
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and (out / "review.md").is_file():
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write((out / "review.md").read_text("utf-8"))
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
