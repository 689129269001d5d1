"""The few calls of GitHub's REST interface that jobs need; standard library alone.

A job that may write installs nothing: what it runs is this folder.
"""

import json
import os
import urllib.request
from typing import Any

TIMEOUT_S = 30
MAX_ANSWER_BYTES = 20_000_000


def call(method: str, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
    """Call the interface and return the parsed answer; an HTTP error ends the job."""
    base = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    token = os.environ.get("GITHUB_TOKEN")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{base}{path}", data=data, headers=headers, method=method)  # noqa: S310 - the forge's own address
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
        content = answer.read(MAX_ANSWER_BYTES)
    return json.loads(content) if content else None
