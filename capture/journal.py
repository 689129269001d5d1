"""The record of a run as it happens: one JSON line a thing learned, on disk before the next begins.

It is what `--resume` continues, and, redacted, the raw text beside the bundle: a figure's evidence
is a line of it.
"""

import json
import os
from pathlib import Path
from typing import Any

Line = dict[str, Any]


class Journal:
    """A file of lines; a kill loses at most the line being written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.lines: list[Line] = []
        if path.exists():
            self._take(path.read_bytes())

    def _take(self, content: bytes) -> None:
        """Read what is there; a last line that was cut off is cut off in the file, too."""
        whole, _, rest = content.rpartition(b"\n")
        self.lines = [json.loads(line) for line in whole.splitlines()]
        if rest:
            os.truncate(self._path, len(content) - len(rest))

    def write(self, kind: str, **facts: Any) -> Line:  # noqa: ANN401 - a line holds any JSON
        """Append one line, and have it on disk."""
        line: Line = {"kind": kind, **facts}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.lines.append(line)
        return line

    def of(self, kind: str) -> list[Line]:
        """List the lines of one kind."""
        return [line for line in self.lines if line["kind"] == kind]

    def last(self, kind: str) -> Line | None:
        """Find the last line of one kind."""
        found = self.of(kind)
        return found[-1] if found else None
