"""mkdocs as a step: Markdown in `site/docs` → HTML, with its complaints as problems."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ingest.problem import Problem

_COMPLAINT = re.compile(r"^(?:WARNING|ERROR|CRITICAL)\s+-\s+(?P<message>.*)$")
_PLACE = re.compile(r"(?:Doc file|file) '(?P<page>[^']+)'")


def run_mkdocs(config: Path, out: Path, only: Iterable[str] | None = None) -> list[Problem]:
    """Build the site that `config` describes into `out`, strictly; list what is wrong with it.

    `only` names the pages of the results to render, when not all: then no other of their files is
    copied either.
    """
    command = [sys.executable, "-m", "sitegen.rendering", str(config.resolve()), str(out.resolve())]
    with tempfile.TemporaryDirectory() as folder:
        if only is not None:
            pages = Path(folder) / "pages"
            pages.write_text("\n".join(only), "utf-8")
            command.append(str(pages))
        done = subprocess.run(  # noqa: S603 - our own program on our own file
            command,
            # Fragments are looked for from where mkdocs runs.
            cwd=config.parent,
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(str(Path(path).resolve()) for path in sys.path),
                # Material's notice about mkdocs 2 is not about this site.
                "NO_MKDOCS_2_WARNING": "1",
                "NO_COLOR": "1",
            },
        )
    problems = complaints(done.stderr)
    if done.returncode and not problems:
        told = " ".join((done.stderr or done.stdout).split()[-60:])
        problems = [Problem(str(config), "", f"mkdocs stopped with code {done.returncode}: {told}")]
    return problems


def complaints(log: str) -> list[Problem]:
    """Read mkdocs' log: one problem a warning or error, at the page it names."""
    found = (_COMPLAINT.match(line) for line in log.splitlines())
    return [_problem(match["message"]) for match in found if match]


def _problem(message: str) -> Problem:
    page = _PLACE.search(message)
    return Problem(f"site/docs/{page['page']}" if page else "mkdocs.yml", "", message)
