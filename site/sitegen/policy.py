"""The Content-Security-Policy of a page: our own files, and the theme's scripts by their sum."""

import base64
import hashlib
import html
import re
from pathlib import Path

_SCRIPT = re.compile(r"<script(?P<flags>[^>]*)>(?P<body>.*?)</script>", re.DOTALL | re.IGNORECASE)
_HEAD = re.compile(r"<head[^>]*>", re.IGNORECASE)


def inline_scripts(page: str) -> list[str]:
    """List the bodies of the scripts that a browser would run from inside the page."""
    found = (match for match in _SCRIPT.finditer(page) if "src=" not in match["flags"])
    return [match["body"] for match in found if "application/" not in match["flags"]]


def policy(page: str) -> str:
    """State what the page may load: nothing from elsewhere, no script that is not known."""
    sums = (hashlib.sha256(body.encode()).digest() for body in inline_scripts(page))
    scripts = [f"'sha256-{base64.b64encode(one).decode()}'" for one in dict.fromkeys(sums)]
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *scripts]),
            "img-src 'self' data:",  # the theme's style sheet carries its icons
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        ]
    )


def guard(page: str) -> str:
    """Put the policy first into the page's head."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy(page))}">'
    return _HEAD.sub(lambda head: head[0] + meta, page, count=1)


def guard_folder(folder: Path) -> None:
    """Guard every page of a built site."""
    for path in folder.rglob("*.html"):
        path.write_text(guard(path.read_text("utf-8")), "utf-8")
