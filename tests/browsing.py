"""A built site served on loopback, and a watched page: what browser tests share."""

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        del format, args


@contextlib.contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve the built site of a checkout; gives its address."""
    handler = functools.partial(_Quiet, directory=str(root / "build/site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start the Chromium of this machine."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield running
        running.close()


def watched(page: Page) -> list[str]:
    """Collect whatever a page complains of while it loads."""
    seen: list[str] = []
    page.on("requestfailed", lambda request: seen.append(f"failed: {request.url}"))
    page.on(
        "response",
        lambda got: seen.append(f"{got.status} {got.url}") if got.status >= 400 else None,
    )
    page.on("console", lambda one: seen.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
    return seen
