"""Lighthouse on a built site: four scores and the layout shift of each page, on a slow phone.

It is not a dependency (`npm install -g lighthouse@12.8.2`), and drives the Chromium of this
machine. Pages are served compressed, as hosts serve them.
"""

import contextlib
import functools
import gzip
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = shutil.which("lighthouse")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
GOAL, MOST_SHIFT = 95, 0.02
"""The project's goals: points of 100 in each category, and layout shift."""

CHROMIUM = "/usr/bin/chromium"
FLAGS = "--headless=new --no-sandbox --disable-gpu"
TEXTS = {".html", ".css", ".js", ".json", ".svg", ".xml", ".md", ".txt"}


class Scores(NamedTuple):
    """What Lighthouse says of one page."""

    points: dict[str, int]
    shift: float
    first_paint_s: float
    failed: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether the goals are met."""
        return min(self.points.values()) >= GOAL and self.shift < MOST_SHIFT


class _Compressed(http.server.SimpleHTTPRequestHandler):
    """Serve texts gzipped, whole, over connections that are kept, as hosts do."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix not in TEXTS or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        del format, args


@contextlib.contextmanager
def compressed(site: Path) -> Iterator[str]:
    """Serve a site on loopback; gives its address."""
    handler = functools.partial(_Compressed, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def scores(address: str) -> Scores:
    """Ask Lighthouse of one page; raises CalledProcessError when it cannot tell."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [PROGRAM or "lighthouse", address, "--quiet", "--output=json"]
        command += [f"--output-path={report}", f"--chrome-flags={FLAGS}"]
        command += [f"--only-categories={','.join(CATEGORIES)}"]
        env = {**os.environ, "CHROME_PATH": CHROMIUM}
        subprocess.run(command, check=True, env=env, capture_output=True)
        return _read(json.loads(report.read_text("utf-8")))


def _read(report: dict[str, Any]) -> Scores:
    audits = report["audits"]
    points = {name: round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES}
    failed = tuple(
        sorted(
            name
            for name, audit in audits.items()
            if audit["score"] == 0 and audit["scoreDisplayMode"] == "binary"
        )
    )
    shift = audits["cumulative-layout-shift"]["numericValue"]
    paint = audits["first-contentful-paint"]["numericValue"] / 1000
    return Scores(points, shift, paint, failed)
