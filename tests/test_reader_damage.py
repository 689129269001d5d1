"""Whatever is done to a text, reading it never fails, never invents a figure, never takes long."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.bundle import Bundle, Measurement, Source, canonical_json
from ingest.catalog import Catalog
from ingest.readers.reader import read
from ingest.readers.reading import Reading

REPORTS = Path(__file__).parent / "reports"
TEXTS = [
    path.read_text()
    for path in [REPORTS / "rig-report.md", *sorted((REPORTS / "samples").iterdir())]
]
TEXTS.append(f"first\n{TEXTS[1]}\n{TEXTS[0]}\nthen\n{TEXTS[0].replace('2933', '2666')}\nlast\n")
SOURCE = Source(kind="file", url="pasted.md")
MANY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def cut(text: str, at: float) -> str:
    return text[: int(len(text) * at)]


def behead(text: str, at: float) -> str:
    return text[int(len(text) * at) :]


def wrap(text: str, at: float) -> str:
    width = 20 + int(80 * at)
    lines = (
        line[i : i + width] for line in text.split("\n") for i in range(0, len(line) + 1, width)
    )
    return "\n".join(lines)


def interleave(text: str, at: float) -> str:
    other = TEXTS[int(at * (len(TEXTS) - 1))]
    pairs = zip(text.split("\n"), other.split("\n"), strict=False)
    return "\n".join(line for pair in pairs for line in pair)


def colour(text: str, at: float) -> str:
    return text.replace(" ", f" \x1b[{int(at * 40)}m", 40)


def carriage(text: str, _: float) -> str:
    return text.replace("\n", "\r\n")


def comma(text: str, _: float) -> str:
    return re.sub(r"([0-9])\.([0-9])", r"\1,\2", text)


def unicode_damage(text: str, at: float) -> str:
    cut_at = int(len(text) * at)
    return text[:cut_at] + "\u200b\ud7ff\U0001d7d9\u0661\u00a0" + text[cut_at:]


DAMAGES: list[Callable[[str, float], str]] = [
    cut, behead, wrap, interleave, colour, carriage, comma, unicode_damage,
]  # fmt: skip


def _apply(text: str, damages: list[tuple[Callable[[str, float], str], float]]) -> str:
    for damage, at in damages:
        text = damage(text, at)
    return text


WHERE = st.floats(0, 1, allow_nan=False)
damaged = st.builds(
    _apply,
    st.sampled_from(TEXTS),
    st.lists(st.tuples(st.sampled_from(DAMAGES), WHERE), max_size=3),
)


def figures(text: str) -> set[float]:
    """Every figure of a text, read with a decimal point, a decimal comma, and thousands commas."""
    found = set()
    for token in re.findall(r"-?[0-9][0-9.,]*", text):
        for spelling in (token, token.replace(",", "."), token.replace(",", "")):
            for piece in (spelling, spelling.strip(".,"), *re.split(r"[.,]", spelling)):
                try:
                    found.add(abs(float(piece)))
                except ValueError:
                    continue
            if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", spelling):
                found.add(abs(float(spelling)))
    return found


# What a reader may do to a figure: percent, MiB to GiB, ms to s, MB to GB, minutes, thousands.
CONVERSIONS = (1, 100, 1024, 1000, 1 / 1000, 1 / 60)


def is_there(measurement: Measurement, known: set[float]) -> bool:
    value = abs(measurement.value or 0.0)
    wanted = [value * factor for factor in CONVERSIONS]
    return any(abs(one - figure) <= 1e-6 * max(1, figure) for one in wanted for figure in known)


COMPUTED = {"acceptance", "hit_rate", "cache_slots", "draft-fire-rate"}
"""Ratios and sums of printed counts."""


def invented(reading: Reading) -> list[Measurement]:
    known = figures(reading.text)
    return [
        m
        for one in reading.understood
        for run in one.bundle.runs
        for m in run.measurements
        if m.how != "inferred" and m.quantity not in COMPUTED and not is_there(m, known)
    ]


@given(damaged)
@MANY
def test_a_damaged_text_never_fails_and_no_figure_is_invented(catalog: Catalog, text: str) -> None:
    reading = read(text, SOURCE, catalog)
    assert invented(reading) == []
    for one in reading.understood:
        for run in one.bundle.runs:
            for measurement in run.measurements:
                line = measurement.evidence.line
                assert line
                assert line <= reading.text.count("\n") + 1


@given(st.one_of(st.binary(max_size=3000), st.text(max_size=3000).map(str.encode)))
@MANY
def test_any_bytes_are_answered(catalog: Catalog, content: bytes) -> None:
    reading = read(content, SOURCE, catalog)
    assert reading.understood or reading.problems


@given(damaged)
@MANY
def test_a_bundle_survives_its_file_and_its_own_text_gives_it_again(
    catalog: Catalog, text: str
) -> None:
    for one in read(text, SOURCE, catalog).understood:
        assert Bundle.model_validate_json(canonical_json(one.bundle)) == one.bundle
        again = read(one.text, SOURCE, catalog).understood
        assert [found.bundle for found in again] == [one.bundle]


PIECES = [
    "[soak]   turn 1/5: status=200 wall=10609ms ttft=5888ms decode_tps=24.735 vram=45944MiB\n",
    "[bench] code run 1/5: 800 tok in 27.3s (29.45 decode TPS, ttft 144ms)\n",
    "  run-1      wall= 41.34s  ttft=   135ms  toks=1000  wall_TPS= 24.19  decode_TPS= 24.27\n",
    '{"n_prompt":512,"n_gen":0,"avg_ts":12.5,"n_threads":4}\n',
    '{"benchmarks":[{"metrics":{"inter_token_latency_ms":{"successful":{"mean":2}}}}]}\n',
    "# club-3090 rig report\n",
    "---- comment ----\n[soak] x\n",
    "toolcall-15 (v1.0) | 12 / 15 (80%) | x\n",
    "Memory Device\n\tSize: 32 GB\n\tLocator: P0 CHANNEL A\n",
    "| Run | Decode tok/s |\n|--|--|\n| 1 | 5.0 |\n",
    "llama-server -m x \\\n",
    '{"a":',
    "[",
    "[\n",
    "========== ",
    "| ",
    "> ",
    "-",
    "9",
    "a@b.",
]


@pytest.mark.parametrize("piece", PIECES)
def test_the_time_for_a_hostile_text_grows_with_its_length_alone(
    piece: str, catalog: Catalog, growth: Callable[[Callable[[str], object], str], float]
) -> None:
    assert growth(lambda text: read(text, SOURCE, catalog), piece) < 1.7


def test_five_megabytes_are_refused_with_the_remedy(catalog: Catalog) -> None:
    reading = read(b"[soak] x\n" * 600_000, SOURCE, catalog)
    assert "cut the log" in reading.problems[0].message
    assert reading.understood == ()
