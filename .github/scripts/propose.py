"""Open a pull request with the bundles that another job left in `out/`, and answer its issue.

The files are hostile: only plain files of bundles are taken over, and nothing of them is run. They
are committed through the forge's interface, so that no credential stands in a checkout.
"""

import base64
import os
import re
import sys
import urllib.error
from pathlib import Path

from api import call
from event import refuse, repository
from hostile import plain_files, quiet


def main() -> int:
    """Propose what lies in `out/reports`, and tell the issue."""
    out, name = Path(os.environ.get("OUT", "out")), repository()
    issue = _issue(out)
    branch = f"submission/issue-{issue}" if issue else "refresh"
    summary = _summary(out)
    try:
        files = plain_files(out / "reports") if (out / "reports").is_dir() else {}
    except ValueError as error:
        refuse(f"not proposed: {error}")
    text = summary
    if files:
        pull = propose(name, branch, files, issue, summary)
        text = f"{summary}\nProposed as a pull request: #{pull}."
    if issue:
        call("POST", f"/repos/{name}/issues/{issue}/comments", {"body": text})
    sys.stdout.write(f"{len(files)} files proposed\n")
    return 0


def _issue(out: Path) -> int | None:
    path = out / "number"
    if not path.is_file():
        return None
    with path.open("rb") as file:
        found = re.fullmatch(rb"([1-9][0-9]{0,8})\s*", file.read(20))
    if not found:
        refuse("number should be the number of an issue")
    return int(found[1])


def _summary(out: Path) -> str:
    path = out / "summary.md"
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return quiet(file.read(300_000).decode("utf-8", "replace"))


def propose(
    name: str, branch: str, files: dict[str, bytes], issue: int | None, summary: str
) -> int:
    """Commit `files` below data/reports on `branch`, and open or renew its request."""
    default = call("GET", f"/repos/{name}")["default_branch"]
    parent = call("GET", f"/repos/{name}/git/ref/heads/{default}")["object"]["sha"]
    base = call("GET", f"/repos/{name}/git/commits/{parent}")["tree"]["sha"]
    entries = [
        {"path": f"data/reports/{path}", "mode": "100644", "type": "blob",
         "sha": _blob(name, content)}
        for path, content in files.items()
    ]  # fmt: skip
    tree = call("POST", f"/repos/{name}/git/trees", {"base_tree": base, "tree": entries})["sha"]
    title = f"Add the rig report of #{issue}" if issue else "Add rig reports of public threads"
    commit = call(
        "POST",
        f"/repos/{name}/git/commits",
        {"message": title, "tree": tree, "parents": [parent]},
    )["sha"]
    _point(name, branch, commit)
    owner = name.partition("/")[0]
    open_ones = call("GET", f"/repos/{name}/pulls?state=open&head={owner}:{branch}")
    if open_ones:
        return int(open_ones[0]["number"])
    closes = f"Closes #{issue}.\n\n" if issue else ""
    body = f"{closes}{summary}\nClose and reopen this request to run its checks."
    opened = call(
        "POST",
        f"/repos/{name}/pulls",
        {"title": title, "head": branch, "base": default, "body": body},
    )
    return int(opened["number"])


def _blob(name: str, content: bytes) -> str:
    body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
    return str(call("POST", f"/repos/{name}/git/blobs", body)["sha"])


def _point(name: str, branch: str, commit: str) -> None:
    """Make `branch` point at `commit`, whether or not it exists."""
    try:
        call("POST", f"/repos/{name}/git/refs", {"ref": f"refs/heads/{branch}", "sha": commit})
    except urllib.error.HTTPError as error:
        if error.code != 422:  # it is there already
            raise
        call("PATCH", f"/repos/{name}/git/refs/heads/{branch}", {"sha": commit, "force": True})


if __name__ == "__main__":
    sys.exit(main())
