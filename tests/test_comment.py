from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import Catalog
from ingest.changes import folder_tree
from ingest.judging import Judged, judge
from ingest.problem import Problem
from models.merging import Effect, Error, Move
from models.placing import Placed
from models.review import KeptOut, Review
from sitegen.comment import LIMIT_CHARS, SHOWN_CHARS, code, comment
from sitegen.page import Page

PLACED = Placed(
    "0/q8/0", "rig", "model/Q8", "narrative", 9.1, 12.4, 9.8, 15.6, 6, "ram-bandwidth", 0.61,
    ("missing channel: 7 of 8 populated",), (),
)  # fmt: skip


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    tree = tmp_path_factory.mktemp("tree")
    (tree / "data").mkdir()
    return judge(folder_tree(tree), folder_tree(tree), tmp_path_factory.mktemp("x") / "y")


def report(judged: Judged, placed: tuple[Placed, ...] = (), effect: Effect | None = None) -> str:
    return comment(Review(judged, placed, (), effect, (Path(), Path())))


def test_a_change_of_nothing_has_no_problems(empty: Judged) -> None:
    assert report(empty).startswith("## ✅ Can be merged: 0 errors, 0 flags, 0 notes")
    assert "### Problems\n\nNone." in report(empty)


def test_errors_stand_first_and_refuse(empty: Judged) -> None:
    problems = (Problem("a", "", "odd", "flag"), Problem("b", "x[0]", "wrong"))
    told = report(empty._replace(problems=problems))
    assert told.startswith("## ⛔ Not yet: 1 error, 1 flag")
    assert told.index("⛔ error") < told.index("⚑ flag |")


def test_a_row_outside_its_interval_is_marked_with_its_suspects(empty: Judged) -> None:
    told = report(empty, (PLACED,))
    assert "0 of 1 decode rows lie in the interval" in told
    assert "| 9.1 | 12.4 (9.8–15.6) | p6 ⚑ | <code>ram-bandwidth</code> 61% |" in told
    assert "missing channel&#58; 7 of 8 populated" in told


def test_the_effect_tells_errors_and_moves(empty: Judged) -> None:
    effect = Effect((229, 241), (54, 55), (Error("club", 0.14, 0.13),), (), 380)
    told = report(empty, (), effect)
    assert "Rows 229 → 241, rigs 54 → 55." in told
    assert "| <code>club</code> | 14.0% | 13.0% |" in told
    assert "None of 380 predictions leaves its own interval." in told
    moved = report(
        empty, (), effect._replace(moves=(Move("s/x", 50.0, 16, 10.0, 8.0, 12.0, 13.0),))
    )
    assert "1 of 380 predictions leave their own interval" in moved
    assert "| <code>s/x</code> | 50 | 16 | 10 (8–12) | 13 |" in moved


def test_a_report_too_long_for_a_comment_is_cut_and_says_so(empty: Judged) -> None:
    problems = tuple(Problem("a" * 250, str(n), "m" * 290) for n in range(300))
    told = report(empty._replace(problems=problems))
    assert len(told) < LIMIT_CHARS + 200
    assert told.rstrip().endswith("`rigbook review BASE..HEAD` prints it whole.")
    whole = comment(
        Review(empty._replace(problems=problems), (), (), None, (Path(), Path())), (), None
    )
    assert whole.startswith(told.rpartition("\n\nCut")[0])
    assert "more." in whole


def test_pages_that_fit_are_shown_short_ones_first_and_the_others_named(empty: Judged) -> None:
    review = Review(empty, (), (), None, (Path(), Path()))
    pages = [
        Page("rigs/long", "long", "", ("x" * LIMIT_CHARS,)),
        Page("rigs/middle", "middle", "", ("y" * 900,)),
        Page("rigs/short", "short", "", ("z" * 10,)),
    ]
    told = comment(review, pages)
    assert len(told) < LIMIT_CHARS
    assert told.index("z" * 10) < told.index("y" * 900)
    assert f"Too long for a comment: {code('rigs/long')};" in told
    assert "Too long" not in comment(review, pages, None)


def test_a_page_that_goes_is_told_as_gone(empty: Judged) -> None:
    told = comment(Review(empty, (), (), None, (Path(), Path())), [Page("rigs/a", "a", "", ())])
    assert "nothing of it on this page any more" in told


def test_flags_are_left_to_a_maintainer(empty: Judged) -> None:
    flagged = empty._replace(problems=(Problem("a", "", "odd", "flag"),))
    assert report(flagged).startswith("## ⚑ A maintainer decides on the flags: 0 errors, 1 flag")


def test_a_row_that_the_fit_leaves_out_is_told_with_the_rule(
    empty: Judged, catalog: Catalog
) -> None:
    checked = empty.after.checked._replace(catalog=catalog)
    judged = empty._replace(after=empty.after._replace(checked=checked))
    kept_out = (KeptOut("0/q8/0", ("paging",)),)
    told = comment(Review(judged, (PLACED,), (), None, (Path(), Path()), kept_out))
    assert "### Kept out of the fit" in told
    assert f"| <code>paging</code> | {code(catalog.exclusions['paging'].meaning)} |" in told


@given(st.text())
def test_any_text_is_one_quiet_code_cell(raw: str) -> None:
    shown = code(raw)
    inner = shown.removeprefix("<code>").removesuffix("</code>")
    assert not set(inner) & set("<>`|*_[]!@\n\r")
    assert len(shown) < 10 * SHOWN_CHARS


def test_long_text_is_cut() -> None:
    assert code("x" * 1000) == f"<code>{'x' * SHOWN_CHARS}…</code>"
