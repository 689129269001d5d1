"""A review as Markdown for a pull request: every word of the submission is shown, none acts.

Untrusted text stands in `<code>` and as entities, so that neither Markdown nor HTML reads it, and
nobody is mentioned, no issue linked, by what a submission says.
"""

import re
from collections.abc import Iterable, Sequence

from ingest.problem import Problem, count_line
from models.merging import Effect
from models.placing import Placed
from models.review import Review
from sitegen.escape import Html, text
from sitegen.page import Page

LIMIT_CHARS = 60_000
"""A comment on GitHub holds 65,536 characters."""

SHOWN_CHARS = 300
"""Of one text; longer ones are cut."""

MAX_ROWS = 200
"""Of one table; what is left out is counted."""

_WORDS = {"error": "⛔ error", "flag": "⚑ flag", "note": "ℹ note"}
_ORDER = ("error", "flag", "note")


def code(raw: object) -> str:
    """Show text of a submission as text: cut, encoded, mentioning nobody."""
    whole = str(raw)
    cut = whole if len(whole) <= SHOWN_CHARS else f"{whole[:SHOWN_CHARS]}…"
    return f"<code>{text(cut)}</code>" if cut else ""


def comment(review: Review, pages: Sequence[Page] = (), limit: int | None = LIMIT_CHARS) -> str:
    """Write the report; `pages` are those that would change, for the preview.

    Beyond `limit` characters pages are named only, and whatever else is too long is cut.
    """
    parts = [
        _head(review),
        _problems(review.judged.problems),
        _redacted(review),
        _placed(review.placed),
        _unplaced(review),
        _kept_out(review),
        _effect(review.effect) if review.effect else _no_effect(review),
    ]
    whole = "\n\n".join(part for part in parts if part) + "\n"
    if limit is not None and len(whole) > limit:
        cut = whole[:limit].rpartition("\n")[0]
        return f"{cut}\n\nCut here: {_WHOLE}.\n"
    return whole + _preview(pages, None if limit is None else limit - len(whole))


def _head(review: Review) -> str:
    flagged = any(problem.severity == "flag" for problem in review.judged.problems)
    verdict = (
        "⛔ Not yet" if review.refused
        else "⚑ A maintainer decides on the flags" if flagged
        else "✅ Can be merged"
    )  # fmt: skip
    bundles, paths = len(review.judged.added), len(review.judged.submission.changes)
    return (
        f"## {verdict}: {count_line(review.judged.problems)}\n\n"
        f"{bundles} new bundle{'' if bundles == 1 else 's'}, {paths} changed"
        f" path{'' if paths == 1 else 's'}."
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows[:MAX_ROWS]]
    if len(rows) > MAX_ROWS:
        lines.append(f"\n… and {len(rows) - MAX_ROWS} more.")
    return "\n".join(lines)


def _problems(problems: Iterable[Problem]) -> str:
    listed = sorted(problems, key=lambda one: _ORDER.index(one.severity))
    if not listed:
        return "### Problems\n\nNone."
    rows = [
        (_WORDS[one.severity], code(one.path), code(one.where), code(one.message)) for one in listed
    ]
    return f"### Problems\n\n{_table(('', 'File', 'Place', 'What to do'), rows)}"


def _redacted(review: Review) -> str:
    if not review.judged.added:
        return ""
    told = ", ".join(f"{n} x {code(kind)}" for kind, n in review.judged.redacted.items())
    return f"### Redacted in the raw text\n\n{told or 'Nothing was taken out.'}"


def _placed(rows: Sequence[Placed]) -> str:
    if not rows:
        return ""
    heads = ("Row", "tokens/s", "Model says (80 %)", "Percentile", "Limit, share of its wall",
             "Suspects", "Nearest rigs")  # fmt: skip
    table = _table(heads, [_place(one) for one in rows])
    inside = sum(one.inside for one in rows)
    return (
        f"### Against the model\n\n{inside} of {len(rows)} decode rows lie in the interval of the"
        f" model as it stands.\n\n{table}"
    )


def _place(one: Placed) -> tuple[str, ...]:
    near = ", ".join(f"{code(n.rig)} {n.tokens_per_s:.3g}" for n in one.nearest)
    return (
        f"{code(one.variant)} {code(one.workload)}",
        f"{one.tokens_per_s:.3g}",
        f"{one.predicted:.3g} ({one.low:.3g}–{one.high:.3g})",
        f"p{one.percentile}{'' if one.inside else ' ⚑'}",
        f"{code(one.limit)} {one.wall_share:.0%}",
        "; ".join(code(suspect) for suspect in one.suspects),
        near,
    )


def _unplaced(review: Review) -> str:
    if not review.unplaced:
        return ""
    rows = [(code(one.measurement_id), code(one.reason)) for one in review.unplaced]
    return f"### Not placed\n\n{_table(('Row', 'Why'), rows)}"


def _kept_out(review: Review) -> str:
    """Say which new rows the model is not fitted on: placed all the same, as a check of them."""
    if not review.kept_out:
        return ""
    known = review.judged.after.checked.catalog.exclusions
    rows = [
        (code(one.measurement_id), code(rule), code(known[rule].meaning))
        for one in review.kept_out
        for rule in one.rules
    ]
    return f"### Kept out of the fit\n\n{_table(('Row', 'Rule', 'Meaning'), rows)}"


def _no_effect(review: Review) -> str:
    """Say why there is nothing to tell of the model."""
    if not review.judged.submission.reports:
        return ""
    why = (
        "No row that it is fitted on changes: the model stays as it is."
        if review.refit
        else "It was not fitted anew (`--no-fit`)."
    )
    return f"### Effect of the merge on the model\n\n{why}"


def _effect(effect: Effect) -> str:
    errors = _table(
        ("Rigs left out", "Median error before", "after"),
        [(code(one.stratum), f"{one.before:.1%}", f"{one.after:.1%}") for one in effect.errors],
    )
    moves = _table(
        ("Slug", "Triad, GB/s", "Cores", "Before (80 %)", "After"),
        [
            (code(m.slug), f"{m.triad_gbps:g}", str(m.cores),
             f"{m.before:.3g} ({m.low:.3g}–{m.high:.3g})", f"{m.after:.3g}")
            for m in effect.moves
        ],
    )  # fmt: skip
    moved = (
        f"{len(effect.moves)} of {effect.asked} predictions leave their own interval:\n\n{moves}"
        if effect.moves
        else f"None of {effect.asked} predictions leaves its own interval."
    )
    return (
        f"### Effect of the merge on the model\n\nRows {effect.rows[0]} → {effect.rows[1]}, rigs"
        f" {effect.rigs[0]} → {effect.rigs[1]}.\n\n{errors}\n\n{moved}"
    )


_WHOLE = "`rigbook review BASE..HEAD` prints it whole"


def _preview(pages: Sequence[Page], room: int | None) -> str:
    """Show the pages, short ones first, as long as there is `room`; name the others."""
    if not pages:
        return ""
    shown, named = [], []
    for block, one in sorted(((_page(one), one) for one in pages), key=lambda both: len(both[0])):
        if room is None or len(block) <= room:
            room = None if room is None else room - len(block)
            shown.append(block)
        else:
            named.append(code(one.address))
    if named:
        shown.append(f"Too long for a comment: {', '.join(named)}; {_WHOLE}.")
    return "\n### Pages that change\n\n" + "\n\n".join(shown) + "\n"


_TAGS = re.compile(r"</?(?:a|img|svg|figure|nav|script|style|input|button)\b[^>]*>")
_SIGNS = re.compile(r"(&#(?:64|35);)")


def quiet(block: str) -> Html:
    """Keep a page's block from mentioning, linking or loading anything in a comment."""
    return Html(_SIGNS.sub(r"\1&#8203;", _TAGS.sub("", block)))


def _page(one: Page) -> str:
    body = "\n\n".join(quiet(block) for block in one.blocks if not block.startswith("## "))
    return (
        f"<details><summary>{code(one.address)}: {quiet(text(one.title))}</summary>\n\n"
        f"{body or 'There is nothing of it on this page any more.'}\n\n</details>"
    )
