"""Score the readers against truth files: precision and recall of fields, per format.

    python benchmarks/reader_accuracy.py FOLDER…

Each `FOLDER-NAME.toml` in `tests/truth` tells what stands in the text `NAME` of a folder.
A truth lists bundles, their rig, their runs, and every measurement.
"""

import statistics
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ingest.bundle import Bundle, Measurement, Run, Source
from ingest.catalog import Catalog, load_catalog
from ingest.readers.reader import read

ROOT = Path(__file__).parents[1]
TRUTH = ROOT / "tests/truth"
OWN = [ROOT / "tests/reports/samples", ROOT / "tests/reports/wild"]
TOLERANCE = 1e-3
"""Of a value: truth files are written with the digits of the text."""


class Claim(NamedTuple):
    """One thing said of a text: its place and its value."""

    place: str
    value: object


class Score(NamedTuple):
    """What agrees, what is missing and what is too much."""

    format: str
    right: int
    missed: tuple[Claim, ...]
    extra: tuple[Claim, ...]

    @property
    def precision(self) -> float:
        """Share of what was read that is true."""
        return self.right / (self.right + len(self.extra) or 1)

    @property
    def recall(self) -> float:
        """Share of the truth that was read."""
        return self.right / (self.right + len(self.missed) or 1)


def _worked(text: str) -> object:
    """Work out a value: `mean 1 2 3`, `ratio 1 2`, `mib 1024`, `percent 5`, or a figure."""
    word, *rest = text.split()
    if not rest:
        return float(word)
    if word == "range":
        return "-".join(rest)
    if word == "session":
        first, last = (list(map(float, part.split())) for part in text[7:].split("/"))
        return statistics.median(last) / statistics.median(first)
    figures = [float(part) for part in rest]
    ways: dict[str, Callable[[], float]] = {
        "mean": lambda: statistics.fmean(figures),
        "median": lambda: statistics.median(figures),
        "ratio": lambda: figures[0] / figures[1],
        "sum": lambda: sum(figures),
        "mib": lambda: figures[0] / 1024,
        "percent": lambda: figures[0] / 100,
        "per": lambda: figures[0] / figures[1],
    }
    return ways[word]()


def true_claims(document: dict[str, Any]) -> list[Claim]:
    """List the claims of a truth file."""
    claims = []
    for i, bundle in enumerate(document.get("bundles", [])):
        claims += [Claim(f"{i}.rig.{at}", value) for at, value in bundle.get("rig", {}).items()]
        claims += [Claim(f"{i}.gpu.{n}", gpu) for n, gpu in enumerate(bundle.get("gpus", []))]
        claims += [
            Claim(f"{i}.bandwidth.{told.split()[0]}", told) for told in bundle.get("bandwidth", [])
        ]
        for j, run in enumerate(bundle.get("runs", [])):
            at = f"{i}.{j}"
            claims += [Claim(f"{at}.{key}", value) for key, value in run.get("run", {}).items()]
            claims += [Claim(f"{at}.quality", told) for told in run.get("quality", [])]
            for told in run.get("numbers", []):
                name, _, value = told.partition(" = ")
                claims.append(Claim(f"{at}.number {name}", _worked(value)))
    return claims


def read_claims(bundles: Iterable[Bundle], known: set[str]) -> Iterator[Claim]:
    """List what was read, of the fields that truth files speak of."""
    for i, bundle in enumerate(bundles):
        rig = bundle.rig.model_dump(mode="json", exclude_none=True)
        for at in known:
            value = _at(rig, at.removeprefix("rig.")) if at.startswith("rig.") else None
            if value is not None:
                yield Claim(f"{i}.{at}", value)
        for n, gpu in enumerate(bundle.rig.gpus if isinstance(bundle.rig.gpus, tuple) else ()):
            figures = (gpu.vram_mib, gpu.power_w, gpu.power_default_w)
            told = (gpu.name, *("" if f is None else f"{f:g}" for f in figures))
            yield Claim(f"{i}.gpu.{n}", "|".join(told))
        for figure in bundle.rig.memory.bandwidth:
            threads = f" {figure.threads}" if figure.threads else ""
            yield Claim(f"{i}.bandwidth.{figure.method}", f"{figure.method} {figure.gbps}{threads}")
        for j, run in enumerate(bundle.runs):
            yield from _run_claims(f"{i}.{j}", run, known)


def _run_claims(at: str, run: Run, known: set[str]) -> Iterator[Claim]:
    document = run.model_dump(mode="json", exclude_none=True)
    for field in known:
        value = None if field.startswith("rig.") else _at(document, field)
        if value is not None and (field, value) != ("outcome.state", "ok"):
            yield Claim(f"{at}.{field}", value)
    for q in run.quality:
        mode = "" if q.thinking is None else " thinking" if q.thinking else " no-thinking"
        yield Claim(f"{at}.quality", f"{q.pack} {q.passed:g}/{q.total}{mode}")
    for m in run.measurements:
        value = m.value if m.value is not None else f"{m.low:g}-{m.high:g}"
        yield Claim(f"{at}.number {_name(m)}", value)


TWO_STATISTICS = ("decode-engine", "prefill-engine")


def _name(m: Measurement) -> str:
    parts = [m.quantity, m.workload or "-", m.protocol]
    parts += [f"@{m.nominal_tokens}"] if m.nominal_tokens else []
    parts += [f"p{m.prompt_tokens}"] if m.prompt_tokens else []
    parts += [f"c{m.context_tokens}"] if m.context_tokens else []
    parts += [f"s{m.streams}"] if m.streams and m.streams > 1 else []
    parts += [str(m.statistic)] if m.quantity in TWO_STATISTICS else []
    return " ".join(parts)


def _at(document: Any, path: str) -> Any:  # noqa: ANN401 - JSON
    for step in path.split("."):
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _agree(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= TOLERANCE * max(1e-9, abs(one)) + 1e-9
    if isinstance(one, str) and isinstance(other, str) and one.split()[:1] == other.split()[:1]:
        return one.replace(".0", "") == other.replace(".0", "")
    return one == other


def score(truth: Path, text: Path, catalog: Catalog, known: set[str]) -> Score:
    """Score one text."""
    document = tomllib.loads(truth.read_text())
    reading = read(text.read_bytes(), Source(kind="file", url=text.name), catalog)
    bundles = [one.bundle for one in reading.understood]
    wanted, found = true_claims(document), list(read_claims(bundles, known))
    missed = []
    for claim in wanted:
        fits = [c for c in found if c.place == claim.place and _agree(claim.value, c.value)]
        if fits:
            found.remove(fits[0])
        else:
            missed.append(claim)
    form = document.get("format", "club-report")
    return Score(form, len(wanted) - len(missed), tuple(missed), tuple(found))


def known_fields() -> set[str]:
    """List the fields that any truth file speaks of: the rest is not scored."""
    fields = set()
    for truth in TRUTH.glob("*.toml"):
        for bundle in tomllib.loads(truth.read_text()).get("bundles", []):
            fields |= {f"rig.{at}" for at in bundle.get("rig", {})}
            fields |= {at for run in bundle.get("runs", []) for at in run.get("run", {})}
    return fields


def texts_of(folders: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Pair each truth file with its text, where the text is there."""
    for folder in folders:
        for text in sorted(folder.iterdir()):
            truth = TRUTH / f"{folder.name}-{text.stem if text.suffix == '.md' else text.name}.toml"
            if truth.exists():
                yield truth, text


def main() -> int:
    """Print precision and recall of each format, and every miss."""
    folders = [Path(word) for word in sys.argv[1:]] or OWN
    catalog, _ = load_catalog(ROOT / "data/catalog")
    known = known_fields()
    sums: dict[str, list[Score]] = {}
    for truth, text in texts_of(folders):
        one = score(truth, text, catalog, known)
        sums.setdefault(one.format, []).append(one)
        for word, claims in (("missed", one.missed), ("extra", one.extra)):
            for claim in claims:
                print(f"{text.name}: {word}: {claim.place} = {claim.value}")
    for form, scores in sorted(sums.items()):
        whole = Score(
            form,
            sum(one.right for one in scores),
            tuple(claim for one in scores for claim in one.missed),
            tuple(claim for one in scores for claim in one.extra),
        )
        print(
            f"{form:<16} {len(scores):>3} texts  {whole.right:>5} right"
            f"  precision {whole.precision:.4f}  recall {whole.recall:.4f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
