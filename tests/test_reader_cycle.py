"""Several benches in one stretch."""

from tests.reading import REPORT, Reader, numbers, only


def test_several_benches_in_one_fence_are_several_runs(reading: Reader) -> None:
    bench = REPORT[REPORT.index("========== NARRATIVE") : REPORT.index("```\n\n</details>")]
    again = REPORT.replace("```\n\n</details>", f"--------\n{bench}```\n\n</details>")
    bundle = only(reading(again.replace("mean=  15.20", "mean=  15.25", 1)))
    assert [numbers(bundle, run)["decode", "code", "club-canonical"] for run in (0, 1)] == [
        15.25,
        15.20,
    ]
    assert len({run.id for run in bundle.runs}) == 2
