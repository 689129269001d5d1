"""Processor and memory of a report."""

import re

from tests.reading import REPORT, Reader, only


def test_v1_and_v2_bandwidth_are_different_methods(reading: Reader) -> None:
    old = re.sub(r" · 111.2 GB/s read .*\)", "", REPORT)
    assert [b.method for b in only(reading(old)).rig.memory.bandwidth] == ["triad-v1"]


def test_legacy_processor_lines_leave_cores_to_inference(reading: Reader) -> None:
    old = re.sub(r"- \*\*CPU topology.*\n", "", REPORT).replace(
        "16-Core Processor\n", "16-Core Processor (32 threads)\n"
    )
    one = reading(old)
    assert (only(one).rig.cpu.cores, only(one).rig.cpu.threads) == (16, 32)
    assert "/rig/cpu/cores" in [place.pointer for place in one.understood[0].inferred]


def test_empty_slots_are_no_missing_channels_and_missing_channels_are_told(
    reading: Reader,
) -> None:
    spare = REPORT.replace("8 of 8 populated\n", "8 of 8 populated — EMPTY: P0 CHANNEL A\n")
    assert not any("channels" in problem.message for problem in reading(spare).problems)
    lost = reading(REPORT.replace("channels:** 8 of 8", "channels:** 7 of 8"))
    assert any("only 7 of 8 memory channels" in problem.message for problem in lost.problems)
    assert only(lost).rig.memory.channels_populated == 7


def test_slots_that_are_counted_as_channels_are_clamped_to_the_platform(reading: Reader) -> None:
    text = REPORT.replace("EPYC 7302P 16-Core", "Ryzen 9 9950X3D 16-Core").replace(
        "channels:** 8 of 8", "channels:** 4 of 4"
    )
    memory = only(reading(text)).rig.memory
    assert (memory.channels_populated, memory.channels_total) == (2, 2)
