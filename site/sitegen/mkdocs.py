"""mkdocs as a step: Markdown in `site/docs` → HTML, with its complaints as problems."""

import os
import re
import subprocess
import sys
from pathlib import Path

from ingest.problem import Problem

_COMPLAINT = re.compile(r"^(?:WARNING|ERROR|CRITICAL)\s+-\s+(?P<message>.*)$")
_PLACE = re.compile(r"(?:Doc file|file) '(?P<page>[^']+)'")


def run_mkdocs(config: Path, out: Path, part_of: Path | None = None) -> list[Problem]:
    """Build the site that `config` describes into `out`, strictly; list what is wrong with it.

    `part_of` names the checkout that a config of some pages belongs to: links to the others are no
    problem then, only a build that stops is.
    """
    strict = [] if part_of else ["--strict"]
    command = [sys.executable, "-m", "mkdocs", "build", *strict]
    command += ["--config-file", str(config.resolve())]
    done = subprocess.run(  # noqa: S603 - our own program on our own file
        [*command, "--site-dir", str(out.resolve())],
        # Fragments are looked for from where mkdocs runs.
        cwd=part_of or config.parent,
        capture_output=True,
        text=True,
        check=False,
        # Material's notice about mkdocs 2 is not about this site.
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"},
    )
    problems = [] if part_of else complaints(done.stderr)
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
