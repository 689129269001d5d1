"""Logs and answers of llama.cpp's server and command line → one run with its rates."""

from collections.abc import Iterator, Sequence

from ingest.readers.boot import BOOT
from ingest.readers.drafting import drafted_lines, numbers
from ingest.readers.item import Clue, Item, Seen, number
from ingest.readers.jsons import Found, figure_of, objects, text_of, whole_of
from ingest.readers.llama.command import command_facts
from ingest.readers.llama.metrics import metric_items
from ingest.readers.llama.timings import Phase, Times, Timing, times_of, timing_items
from ingest.readers.part import Part
from ingest.readers.pattern import pattern, scan
from ingest.readers.text import Line

FORMAT = "llama-server"
PROGRAMS = ("llama-server", "llama-cli", "llama-completion")
METRIC = "llamacpp:tokens_predicted"
MARKS = ("eval time", "Generation:", ", tg = ", "draft acceptance", '"timings"', '"draft_n"')


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether some line holds a timing of llama.cpp."""
    if any(line.text.lstrip().startswith(METRIC) for line in lines):
        return True
    marked = [line for line in lines if any(mark in line.text for mark in MARKS)]
    if not marked:
        return False
    times = times_of(marked)
    return bool(times.timings or times.progress or drafted_lines(marked) or _answers(lines))


def _answers(lines: Sequence[Line]) -> list[Found]:
    return [found for found in objects(lines) if isinstance(found.value.get("timings"), dict)]


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read the log or the answers: rates, drafts, and what was launched."""
    found = objects(lines)
    items: list[Item] = [*scan(lines, LOG), *scan(lines, BOOT), *command_facts(lines, PROGRAMS)]
    items += timing_items(times_of(lines))
    drafted = drafted_lines(lines)
    items += [*(Seen(one.line) for one in drafted), *numbers(drafted)]
    items += [item for one in found for item in _properties(one)]
    answers = list(
        _answer_items([one for one in found if isinstance(one.value.get("timings"), dict)])
    )
    told = bool(drafted) or any(isinstance(item, Clue) for item in answers)
    items += [*answers, *metric_items(lines, drafts_told=told)]
    items.append(Clue("engine_line", "llama.cpp", lines[0].number))
    yield Part(FORMAT, lines[0].number, lines[-1].number, (), (tuple(items),))


LOG = (
    pattern(
        r".{0,60}?build:? ([0-9]{3,6}) \(([0-9a-z]{4,12})\)",
        lambda found, line: [Clue("build_tag", f"b{found[1]} ({found[2]})", line)],
    ),
    pattern(r"[0-9.]{6,16} [IWED] |llamacpp:|# (?:HELP|TYPE) llamacpp:"),
    pattern(r".{0,60}?(?:total time =|graphs reused =|sample time =|sampling time =)"),
)


def _properties(found: Found) -> Iterator[Item]:
    """Read an answer of `/props`, or the model of a completion."""
    value = found.value
    if "model_path" in value and "default_generation_settings" in value:
        yield from (Seen(line) for line in range(found.first, found.last + 1))
        for key, kind in (
            ("model_path", "model_path"),
            ("model_ftype", "ftype"),
            ("build_info", "build_tag"),
        ):
            text = text_of(value.get(key))
            if text:
                yield Clue(kind, text, found.line_of(key))
    elif isinstance(value.get("timings"), dict) and text_of(value.get("model")):
        yield Clue("served_id", str(value["model"])[:300], found.line_of("model"))


RATES: tuple[tuple[Phase, str, str], ...] = (
    ("prefill", "prompt_n", "prompt_per_second"),
    ("decode", "predicted_n", "predicted_per_second"),
)


def _answer_items(answers: Sequence[Found]) -> Iterator[Item]:
    """Read the `timings` of answers; `draft_n` is only there when something was drafted."""
    timings: list[Timing] = []
    accepted = drafted = 0
    last = 0
    for found in answers:
        told = found.value["timings"]
        yield from (Seen(line) for line in range(found.first, found.last + 1))
        for phase, tokens, rate in RATES:
            speed = figure_of(told.get(rate))
            if speed and speed > 0:
                line, count = found.line_of(rate), whole_of(told.get(tokens))
                timings.append(Timing(line, phase, count, speed, "server-timings"))
        accepted += whole_of(told.get("draft_n_accepted")) or 0
        drafted += whole_of(told.get("draft_n")) or 0
        last = found.line_of("draft_n") if "draft_n" in told else last
    yield from timing_items(Times(tuple(timings), (), ()))
    if 0 <= accepted <= drafted and drafted:
        yield Clue("drafted", "yes", last)
        yield number(
            last, "acceptance", round(accepted / drafted, 6), "server-timings", n=len(answers),
            statistic="single" if len(answers) == 1 else "mean",
        )  # fmt: skip
