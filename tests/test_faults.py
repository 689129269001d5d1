from pathlib import Path

import pytest

from benchmarks import faults
from benchmarks.faults import Fault, killed_fit, killed_load, killed_site
from benchmarks.workplace import Workplace, hold, workplace

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


@pytest.mark.parametrize("fault", [killed_fit, killed_site], ids=lambda fault: fault.__name__)
def test_a_kill_of_what_is_made_of_the_database_leaves_the_old_or_the_new(
    fault: Fault, tmp_path: Path
) -> None:
    fault(workplace(tmp_path, SEED, faults.machines_of(fault)))


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
