"""Precision and recall against truth files, on the project's own samples and on those beside it."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ingest.catalog import Catalog

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared/reports"
OWN = [ROOT / "tests/reports/samples", ROOT / "tests/reports/wild"]
WANTED = 0.99


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    """The scorer is a script of `benchmarks/`, which is no package."""
    spec = importlib.util.spec_from_file_location(
        "reader_accuracy", ROOT / "benchmarks/reader_accuracy.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["reader_accuracy"] = module
    spec.loader.exec_module(module)
    return module


def test_every_own_sample_has_a_truth_and_every_truth_a_claim(scorer: ModuleType) -> None:
    paired = {text for _, text in scorer.texts_of(OWN)}
    assert paired == {text for folder in OWN for text in folder.iterdir()}


def test_own_samples_are_read_in_full(scorer: ModuleType, catalog: Catalog) -> None:
    known = scorer.known_fields()
    for truth, text in scorer.texts_of(OWN):
        score = scorer.score(truth, text, catalog, known)
        assert (score.missed, score.extra) == ((), ()), text.name


@pytest.mark.shared
def test_shared_samples_are_read_as_people_wrote_them(scorer: ModuleType, catalog: Catalog) -> None:
    known = scorer.known_fields()
    pairs = list(scorer.texts_of([SHARED / "samples", SHARED / "wild"]))
    assert len(pairs) == 22
    scores = [scorer.score(truth, text, catalog, known) for truth, text in pairs]
    right = sum(score.right for score in scores)
    missed = [claim for score in scores for claim in score.missed]
    extra = [claim for score in scores for claim in score.extra]
    assert right / (right + len(missed)) >= WANTED, missed
    assert right / (right + len(extra)) >= WANTED, extra
