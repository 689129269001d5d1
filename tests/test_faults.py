import shutil
from pathlib import Path

import pytest

from benchmarks import faults
from benchmarks.faults import Fault, killed_fit, killed_load, killed_site
from benchmarks.workplace import ROOT, Workplace, hold, workplace

SEED = 9


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    return workplace(tmp_path_factory.mktemp("place"), SEED)


@pytest.mark.parametrize("fault", faults.ONCE, ids=lambda fault: fault.__name__)
def test_the_old_state_or_the_new_one_stands_after(fault: Fault, place: Workplace) -> None:
    fault(place)


def test_a_kill_at_a_random_moment_leaves_the_old_state_or_the_new(place: Workplace) -> None:
    for _ in range(2):
        killed_load(place)


def test_a_kill_of_a_fit_leaves_the_model_that_was_there(tmp_path: Path) -> None:
    place = workplace(tmp_path, SEED, faults.machines_of(killed_fit))
    # As if a first fit had been: it would take a minute.
    shutil.copy(ROOT / "models/fitted/model.json", place.model)
    place.db.with_name("fit_lasts_s").write_text("6")
    for _ in range(2):
        killed_fit(place)


def test_a_kill_of_a_site_build_leaves_the_old_site_or_the_new(tmp_path: Path) -> None:
    killed_site(workplace(tmp_path, SEED))


def test_a_third_state_would_be_seen(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    states = iter(["old", "third"])
    monkeypatch.setattr(faults, "contents", lambda _: next(states))
    monkeypatch.setattr(faults, "wanted", lambda _: "new")
    with pytest.raises(AssertionError, match="third state"):
        killed_load(place)


def test_a_claim_that_fails_is_raised_with_what_it_says() -> None:
    hold(claim=True, what="stands")
    with pytest.raises(AssertionError, match="falls"):
        hold(claim=False, what="falls")
