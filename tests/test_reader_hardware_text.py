"""dmidecode, lshw, lscpu and bandwidth tools, alone or beside a report."""

from tests.reading import REPORT, Reader, sample


def test_hardware_beside_a_report_fills_what_the_report_lacks(reading: Reader) -> None:
    bare = "\n".join(line for line in REPORT.split("\n") if "Memory c" not in line)
    one = reading(f"{bare}\n---- comment ----\n{sample('hardware.txt')}")
    memory = one.understood[0].bundle.rig.memory
    assert (memory.mts, memory.dimms) == (2933, "2x16GB")
    assert memory.gib == 125.7
    assert {figure.method for figure in memory.bandwidth} >= {"triad-v2", "stream"}


def test_an_empty_slot_is_no_module_and_its_channel_is_missing(reading: Reader) -> None:
    memory = reading(sample("hardware.txt")).understood[0].bundle.rig.memory
    assert (memory.gib, memory.channels_populated, memory.channels_total) == (32, 2, 3)
    full = sample("hardware.txt").replace("No Module Installed", "16 GB")
    memory = reading(full).understood[0].bundle.rig.memory
    assert (memory.gib, memory.channels_populated) == (48, 3)


def test_lshw_gives_the_rated_speed_as_inferred(reading: Reader) -> None:
    text = (
        "  *-memory\n     *-bank:0\n          description: DIMM DDR4 3200 MHz (0.3 ns)\n"
        "          slot: DIMM_A1\n          size: 32GiB\n          clock: 3200MHz (0.3ns)\n"
        "     *-bank:1\n          description: DIMM [empty]\n          slot: DIMM_A2\n"
    )
    bundle = reading(text).understood[0].bundle
    assert (bundle.rig.memory.gib, bundle.rig.memory.dimms) == (32, "1x32GB")
    assert bundle.provenance["/rig/memory/mts"].how == "inferred"
