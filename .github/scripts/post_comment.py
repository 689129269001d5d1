"""Post the review of a finished, untrusted run on its pull request: one comment, kept up to date.

The artifact is hostile text. Which request it belongs to is believed only if the forge says that
the request's head is the commit that the run was for.
"""

import os
import re
import sys
from pathlib import Path

from api import call
from event import SHA, event, matching, refuse, repository
from hostile import quiet

MARK = "<!-- rigbook review -->"
HEAD = "Checked automatically. The text below comes from the run of the request itself.\n\n"


def main() -> int:
    """Find the request, write or renew the comment."""
    payload, name = event(), repository()
    head = matching(payload, "workflow_run.head_sha", SHA)
    out = Path(os.environ.get("OUT", "out"))
    pull = _number(out)
    told = call("GET", f"/repos/{name}/pulls/{pull}")
    if told["head"]["sha"] != head:
        refuse(f"request {pull} is not at {head}: the artifact names another's, or was overtaken")
    with (out / "review.md").open("rb") as file:
        text = quiet(file.read(300_000).decode("utf-8", "replace"))
    body = {"body": f"{MARK}\n{HEAD}{text}"}
    own = _own_comment(name, pull)
    if own:
        call("PATCH", f"/repos/{name}/issues/comments/{own}", body)
    else:
        call("POST", f"/repos/{name}/issues/{pull}/comments", body)
    return 0


def _number(out: Path) -> int:
    try:
        with (out / "number").open("rb") as file:
            found = re.fullmatch(rb"([1-9][0-9]{0,8})\s*", file.read(20))
    except OSError as error:
        refuse(f"the run left no number: {error}")
    if not found:
        refuse("the run's number is no number")
    return int(found[1])


def _own_comment(name: str, pull: int) -> int | None:
    """Find the comment that an earlier run left; only the bot's own counts."""
    for page in range(1, 11):
        comments = call("GET", f"/repos/{name}/issues/{pull}/comments?per_page=100&page={page}")
        for comment in comments:
            by_bot = comment["user"]["login"] == "github-actions[bot]"
            if by_bot and comment["body"].startswith(MARK):
                return int(comment["id"])
        if len(comments) < 100:
            break
    return None


if __name__ == "__main__":
    sys.exit(main())
