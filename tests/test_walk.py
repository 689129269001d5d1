import subprocess
import sys
from pathlib import Path

import pytest

from ingest import stamps
from ingest.stamps import Stamp, stamped
from ingest.walk import finding_moved

ROOT = Path(__file__).parents[1]

# In a process of its own: this one has started threads, and must not fork.
TOGETHER = """
import sys
from pathlib import Path
from ingest import stamps, walk
stamps.RACY_S = 0.0
walk.WALKED_ALONE = 0
walk.cores = lambda: 2
root = Path(sys.argv[1])
known = {name: stamps.stamped(root, name) for name in stamps.machines(root)}
for name in ("b", "e"):
    (root / name / "file").write_text("changed")
with walk.finding_moved(str(root), known) as found:
    print(*sorted(found()))
"""


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stamps, "RACY_S", 0.0)
    for name in "abcdef":
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("as it was")
    return tmp_path


def find_moved(reports: str, known: dict[str, Stamp]) -> set[str]:
    with finding_moved(reports, known) as found:
        return found()


def test_what_changed_is_found(reports: Path) -> None:
    known = {name: stamped(reports, name) for name in "abcdef"}
    assert find_moved(str(reports), known) == set()
    (reports / "c/new").touch()
    (reports / "d/file").unlink()
    assert find_moved(str(reports), known) == {"c", "d"}


def test_walkers_together_find_what_changed(reports: Path) -> None:
    command = [sys.executable, "-c", TOGETHER, str(reports)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["b", "e"]
