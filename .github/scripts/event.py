"""What started a job: the payload of the event, read as hostile text.

Whoever opens a request or an issue writes most of it: nothing is used before it has the shape that
it should have.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

SHA = re.compile(r"[0-9a-f]{40}")
HANDLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")
REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}")


def refuse(message: str) -> NoReturn:
    """End the job with one line."""
    sys.stderr.write(f"{Path(sys.argv[0]).name}: {message}\n")
    sys.exit(2)


def event() -> dict[str, Any]:
    """Read the payload."""
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        refuse("GITHUB_EVENT_PATH is not set; a job of a workflow sets it")
    loaded = json.loads(Path(path).read_text("utf-8"))
    if not isinstance(loaded, dict):
        refuse("the payload of the event should be an object")
    return loaded


def at(payload: object, path: str) -> object:
    """Find the value at a dotted path, or None."""
    for step in path.split("."):
        payload = payload.get(step) if isinstance(payload, dict) else None
    return payload


def number(payload: object, path: str) -> int:
    """Take a positive whole number."""
    found = at(payload, path)
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        refuse(f"{path} should be a number from 1, got {found!r}")
    return found


def matching(payload: object, path: str, shape: re.Pattern[str]) -> str:
    """Take a text of the given shape: a commit, a handle, a repository."""
    found = at(payload, path)
    if not isinstance(found, str) or not shape.fullmatch(found):
        refuse(f"{path} should match {shape.pattern}, got {found!r}")
    return found


def repository() -> str:
    """Give this repository, `owner/name`."""
    return matching(dict(os.environ), "GITHUB_REPOSITORY", REPOSITORY)
