from pathlib import Path

import pytest

from ingest.changes import Change, Entry
from ingest.submission import Submission, scope_problems


def entry(content: bytes = b"x", size: int | None = None) -> Entry:
    return Entry("file", len(content) if size is None else size, content.hex(), lambda: content)


def added(*paths: str) -> list[Change]:
    return [Change(path, None, entry()) for path in paths]


def severities(changes: list[Change], actor: str | None = "someone") -> set[str]:
    one = Submission(changes, actor, frozenset({"grace"}))
    return {problem.severity for problem in scope_problems(one)}


REPORT = "data/reports/rig/2026-08-11-x-00000000/report.json"


@pytest.mark.parametrize(
    ("other", "alone", "beside"),
    [
        ("ingest/rules.py", {"flag"}, {"error"}),
        (".github/workflows/validate.yml", {"flag"}, {"error"}),
        ("data/launchers/x.yml", {"flag"}, {"error"}),
        ("data/catalog/gpus.toml", {"flag"}, {"flag"}),
    ],
)
def test_code_goes_alone_and_the_catalogue_may_come_with_a_report(
    other: str, alone: set[str], beside: set[str]
) -> None:
    assert severities(added(other)) == alone
    assert severities(added(other, REPORT)) == beside
    assert severities(added(other, REPORT), actor="Grace") == set()


def test_one_report_is_no_problem_and_twenty_one_are_a_flag() -> None:
    many = [REPORT.replace("rig/", f"rig{i}/") for i in range(21)]
    assert severities(added(*many[:20])) == set()
    assert severities(added(*many)) == {"flag"}


@pytest.mark.parametrize(
    ("after", "held"),
    [(b"1\n2\n", set()), (b"1\n", set()), (b"2\n", {"error"}), (b"", {"error"}), (None, {"error"})],
)
def test_states_are_only_added_at_the_end(after: bytes | None, held: set[str]) -> None:
    path = str(Path(REPORT).with_name("status.jsonl"))
    change = Change(path, entry(b"1\n"), None if after is None else entry(after))
    assert severities([change]) == held


def test_states_too_large_to_read_are_refused_unread() -> None:
    def unread() -> bytes:
        raise AssertionError

    path = str(Path(REPORT).with_name("status.jsonl"))
    huge = Entry("file", 50_000_000, "", unread)
    assert severities([Change(path, entry(b"1\n"), huge)]) == {"error"}
