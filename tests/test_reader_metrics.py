"""`/metrics` of llama.cpp's server."""

import pytest

from ingest.bundle import Drafter
from tests.reading import Reader, measured, runs_of, sample


def rates(reading: Reader, text: str) -> dict[str, float | None]:
    return {m.quantity: m.value for m in measured(reading(text))}


def test_counters_become_rates_over_all_requests(reading: Reader) -> None:
    one = reading(sample("llama-server-metrics.txt"))
    told = {m.quantity: (m.value, m.how, m.protocol) for m in measured(one)}
    assert told == {
        "decode-engine": (12.5, "inferred", "server-timings"),
        "prefill-engine": (250, "inferred", "server-timings"),
        "acceptance": (0.75, "inferred", "server-timings"),
        "tokens_per_pass": (2.5, "inferred", "server-timings"),
    }
    (run,) = runs_of(one)
    assert run.engine.name == "llama.cpp"
    assert isinstance(run.launch.drafter, Drafter)


@pytest.mark.parametrize("name", ["tokens_predicted_seconds_total", "tokens_predicted_total"])
def test_a_counter_at_zero_is_no_rate(name: str, reading: Reader) -> None:
    lines = sample("llama-server-metrics.txt").split("\n")
    text = "\n".join(f"llamacpp:{name} 0" if f":{name} " in line else line for line in lines)
    assert "decode-engine" not in rates(reading, text)
    assert "prefill-engine" in rates(reading, text)


def test_without_a_drafter_nothing_was_accepted(reading: Reader) -> None:
    lines = sample("llama-server-metrics.txt").split("\n")
    one = reading("\n".join(line for line in lines if "spec_decode" not in line))
    assert runs_of(one)[0].launch.drafter is None
    assert {m.quantity for m in measured(one)} == {"decode-engine", "prefill-engine"}


def test_the_log_beside_the_counters_tells_of_its_drafts_itself(reading: Reader) -> None:
    one = reading(sample("llama-server.log") + sample("llama-server-metrics.txt"))
    assert rates(reading, one.text)["tokens_per_pass"] == 1.80
    assert not any("was another" in problem.message for problem in one.problems)


def test_of_two_scrapes_the_later_one_counts(reading: Reader) -> None:
    text = sample("llama-server-metrics.txt")
    later = text.replace("tokens_predicted_total 2500", "tokens_predicted_total 5000")
    assert rates(reading, text + later)["decode-engine"] == 25
