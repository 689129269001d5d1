"""Verify, stress and the closing check summary: which stage passed, and the prefill on the way."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.item import Doubt, Fact, Item, Seen, number
from ingest.readers.pattern import decimal, pattern, scan
from ingest.readers.report.block import Block
from ingest.readers.text import Line

_VERDICTS = {"PASS": "pass", "ADVISORY": "advisory", "FAIL": "fail", "SKIPPED": "skipped"}
_STAGES = {
    "verify-full.sh": "verify",
    "verify-stress.sh": "stress",
    "soak-test.sh": "soak",
    "bench.sh": "bench",
    "bench-agentic.sh": "agentic",
}
_ROW = re.compile(
    r"\|? *([a-z-]{4,30}\.(?:sh|py)) *\| *([0-9]{1,3}|-|—) *\| *([A-Z]{4,10}) *\| *([^|]{1,1000})",
    re.ASCII,
)
_OVERALL = re.compile(r"\**Overall: (PASS|ADVISORY|FAIL)\b")
_EXITS = re.compile(r"exits \**([0-9]{1,3})\b", re.ASCII)


def _summary(lines: Iterable[Line]) -> Iterator[Item]:
    for line in lines:
        row, overall = _ROW.match(line.text), _OVERALL.match(line.text)
        if row:
            yield from _stage(row, line.number)
        elif overall:
            yield Fact("suite.overall", _VERDICTS[overall[1]], line.number)
            exits = _EXITS.search(line.text[:1000])
            if exits:
                yield Fact("suite.exit", int(exits[1]), line.number)
        else:
            continue
        yield Seen(line.number)


def _stage(row: re.Match[str], line: int) -> Iterator[Item]:
    stage, verdict = _STAGES.get(row[1]), _VERDICTS.get(row[3])
    if not stage or not verdict:
        return
    yield Fact(f"stages.{stage}.outcome", verdict, line)
    if row[2].isdecimal():
        yield Fact(f"stages.{stage}.exit", int(row[2]), line)
    detail = row[4].strip()
    if detail not in ("—", "-", ""):
        yield Fact(f"stages.{stage}.note", detail, line)


# What a line of a numbered stage is; the first that fits.
_KINDS = {
    "probe": re.compile(r"\[([0-9]{1,2})/([0-9]{1,2})\] ", re.ASCII),
    "tally": re.compile(
        r" *(?:boundary checks|recall ladder) +([0-9]{1,3})/([0-9]{1,3}) passed", re.ASCII
    ),
    "failed": re.compile(r" *([0-9]{1,3}) (?:stress )?checks?(?:\(s\))? failed\.", re.ASCII),
    "passed": re.compile(r" *All (?:stress / boundary )?checks passed\."),
    "skipped": re.compile(r"_SKIPPED"),
    "margin": re.compile(r".{0,40}VRAM margin thin at ceiling"),
    "not applicable": re.compile(r"  ⊘"),
    "quiet": re.compile(r"  [✓✗]|    |Running|  model=|\[warmup\]"),
}
Kinds = dict[str, list[tuple[re.Match[str], int]]]


def _checks(stage: str, lines: Sequence[Line]) -> Iterator[Item]:
    """Read one stage of numbered probes: how many there are, how many failed, how it ended."""
    found: Kinds = {kind: [] for kind in _KINDS}
    for line in lines:
        for kind, regex in _KINDS.items():
            match = regex.match(line.text)
            if match:
                found[kind].append((match, line.number))
                yield Seen(line.number)
                break
    ended = max(
        ((line, kind) for kind in ("failed", "passed", "skipped") for _, line in found[kind]),
        default=None,
    )
    if ended:
        yield Fact(f"stages.{stage}.outcome", _outcome(found, ended[1]), ended[0], rank=1)
        if ended[1] != "skipped":
            yield from _counts(stage, found)


def _outcome(found: Kinds, ended: str) -> str:
    if ended != "failed":
        return "pass" if ended == "passed" else "skipped"
    passed, total = _tallied(found)
    only_margin = found["margin"] and passed == total > 0 and int(found["failed"][-1][0][1]) == 1
    return "advisory" if only_margin else "fail"


def _tallied(found: Kinds) -> tuple[int, int]:
    tallies = [(int(match[1]), int(match[2])) for match, _ in found["tally"]]
    return sum(passed for passed, _ in tallies), sum(total for _, total in tallies)


def _counts(stage: str, found: Kinds) -> Iterator[Item]:
    passed, total = _tallied(found)
    line = max((at for kind in ("tally", "probe") for _, at in found[kind]), default=1)
    if not total and found["probe"]:
        total = int(found["probe"][-1][0][2])
        passed = total - (int(found["failed"][-1][0][1]) if found["failed"] else 0)
    if total:
        yield Fact(f"stages.{stage}.passed", max(0, passed), line)
        yield Fact(f"stages.{stage}.total", total, line)
    if found["not applicable"]:
        note = f"{len(found['not applicable'])} of {total} not applicable"
        yield Fact(f"stages.{stage}.note", note, found["not applicable"][0][1], rank=1)


PROTOCOL = "club-stress"


def _recall(found: re.Match[str], line: int) -> Iterable[Item]:
    if "CACHE-HIT" in found.string:
        yield Doubt(line, "the prompt was cached in part: no prefill rate", "note")
    elif found[2]:
        yield _prefill(line, decimal(found[2]), int(found[1]), None)


def _rung(found: re.Match[str], line: int) -> Iterable[Item]:
    target, actual = int(found[1]) * 1000, int(found[2]) * 1000
    if found[3]:
        yield _prefill(line, decimal(found[3]), actual, target)


def _prefill(line: int, rate: float, tokens: int, nominal: int | None) -> Item:
    return number(
        line, "prefill", rate, PROTOCOL, prompt_tokens=tokens, nominal_tokens=nominal, n=1,
        statistic="single", workload="long-context",
    )  # fmt: skip


def _ceiling(found: re.Match[str], line: int) -> Iterable[Item]:
    yield number(line, "ctx_ceiling", int(found[1]), PROTOCOL, statistic="single")


_RATE = r"(?:.{0,160}? prefill=([0-9]{1,9}(?:[.,][0-9]{1,6})?) t/s)?"
STRESS = (
    pattern(rf" +[✓△] +([0-9]{{3,8}}) tokens: recall{_RATE}", _recall),
    pattern(
        rf" +[✓△] rung [0-9]+/[0-9]+: target=([0-9]{{1,5}})K +actual=([0-9]{{1,5}})K{_RATE}", _rung
    ),
    pattern(
        r" +[✓✗] ceiling ladder: .{0,120}?(?:fillable to|filled up to|passed up to)"
        r" ([0-9]{1,9}) tok",
        _ceiling,
    ),
    pattern(r" +\S{0,3} ?rung [0-9]+/[0-9]+: target"),
    pattern(
        r" +\S{1,2} ?output quality request failed",
        lambda _, line: [
            Doubt(line, "the output-quality probe timed out: too slow for it", "note")
        ],
    ),
)

VERIFY = (
    pattern(
        r" +\S{1,2} ?MTP acceptance length = ([0-9]{1,3}(?:\.[0-9]{1,4})?)",
        lambda found, line: (
            [number(line, "tokens_per_pass", float(found[1]), "club-verify", statistic="single")]
            if float(found[1]) >= 1
            else []
        ),
    ),
)

_DIED = re.compile(r".{0,12}The engine died during this run")
_UNREACHED = re.compile(r".{0,12}The endpoint was never reachable")
_AFTER = re.compile(r"\*\*(verify-full|verify-stress|soak-test|bench|bench-agentic)(?:\.sh)?\*\*")
_SHORT = {"verify-full": "verify", "verify-stress": "stress", "soak-test": "soak"}


def _liveness(lines: Iterable[Line]) -> Iterator[Item]:
    """A run that ended early is a row too."""
    for line in lines:
        if _UNREACHED.match(line.text):
            yield Fact("outcome.state", "failed", line.number)
            yield Fact("outcome.reason", "the endpoint was never reachable", line.number)
        elif _DIED.match(line.text):
            yield Fact("outcome.state", "partial", line.number)
            yield Fact("outcome.reason", "the engine died during the run", line.number)
        after = _AFTER.search(line.text[:500])
        if after:
            stage = _SHORT.get(after[1], after[1].removeprefix("bench-"))
            yield Fact("outcome.stage", stage, line.number)
        yield Seen(line.number)


_NAMES = {"verify-full": "verify", "verify-stress": "stress"}


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read the numbered stages and the check summary."""
    for prefix, stage in _NAMES.items():
        lines = [
            line for block in blocks if block.section.startswith(prefix) for line in block.lines
        ]
        if lines:
            yield from _checks(stage, lines)
            yield from scan(lines, (*VERIFY, *STRESS))
    for block in blocks:
        if block.section == "engine liveness":
            yield from _liveness(block.lines)
        if block.section in ("check summary", "") or "rig + bench" in block.section:
            yield from _summary(block.lines)
