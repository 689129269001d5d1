import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.dimms import (
    Dimm,
    channel_of,
    dimm_fields,
    dmidecode_dimms,
    lshw_dimms,
    mebibytes,
    smbios_dimms,
)

DMIDECODE = """# dmidecode 3.3
Handle 0x0040, DMI type 16, 23 bytes
Physical Memory Array
\tMaximum Capacity: 2 TB

Handle 0x0041, DMI type 17, 92 bytes
Memory Device
\tSize: 32 GB
\tLocator: CPU0_DIMM_A1
\tBank Locator: NODE 1
\tType: DDR5
\tSpeed: 5600 MT/s
\tSerial Number: 0123ABCD
\tConfigured Clock Speed: 4200 MT/s

Handle 0x0042, DMI type 17, 92 bytes
Memory Device
\tSize: No Module Installed
\tLocator: CPU0_DIMM_B1
\tBank Locator: NODE 1
\tType: Unknown
\tSpeed: Unknown
"""

LSHW = """  *-memory
       description: System Memory
       size: 64GiB
     *-bank:0
          description: DIMM DDR4 Synchronous Registered 3200 MHz (0.3 ns)
          serial: 0123ABCD
          slot: DIMM_A1
          size: 64GiB
     *-bank:1
          description: [empty]
          slot: DIMM_B1
"""


def told(dimms: tuple[Dimm, ...]) -> dict[str, object]:
    return {field.at: field.value for field in dimm_fields(dimms, "reported", "text")}


def test_dmidecode_text_tells_modules_channels_and_the_configured_rate() -> None:
    assert told(dmidecode_dimms(DMIDECODE)) == {
        "memory.dimms": "1× 32 GiB",
        "memory.kind": "DDR5",
        "memory.mts": 4200,
        "memory.channels_populated": 1,
        "memory.channels_total": 2,
    }


def test_lshw_text_tells_the_same_and_an_empty_bank_is_empty() -> None:
    found = told(lshw_dimms(LSHW))
    assert (found["memory.dimms"], found["memory.mts"]) == ("1× 64 GiB", 3200)
    assert (found["memory.channels_populated"], found["memory.channels_total"]) == (1, 2)


@pytest.mark.parametrize(
    ("slot", "bank", "channel"),
    [
        ("DIMM 0", "P0 CHANNEL A", "P0 A"),
        ("DIMMC1", "P0_Node0_Channel2_Dimm0", "P0 2"),
        ("ChannelB-DIMM0", "BANK 1", "B"),
        ("CPU1_DIMM_C1", "NODE 2", "CPU1 C"),
        ("P1-DIMMA2", "", "P1 A"),
        ("A1", "", None),
        ("", "BANK 0", None),
    ],
)
def test_the_channel_is_read_from_either_label(slot: str, bank: str, channel: str | None) -> None:
    assert channel_of(Dimm(slot, bank, 1024, None, None)) == channel


def test_slots_that_name_no_channel_leave_channels_unknown() -> None:
    assert "memory.channels_total" not in told((Dimm("A1", "", 1024, "DDR4", 3200),))


def test_mixed_sizes_are_listed_and_the_slowest_module_sets_the_rate() -> None:
    dimms = (
        Dimm("A1", "", 16384, "DDR4", 3200),
        Dimm("A2", "", 32768, "DDR4", 2666),
        Dimm("A3", "", 32768, "DDR4", 3200),
    )
    assert told(dimms) == {
        "memory.dimms": "2× 32 GiB + 1× 16 GiB",
        "memory.kind": "DDR4",
        "memory.mts": 2666,
    }


@pytest.mark.parametrize(
    ("text", "mib"),
    [("32 GB", 32768), ("32 GiB", 32768), ("16384 MB", 16384), ("No Module Installed", 0), ("", 0)],
)
def test_a_capacity_is_binary_whatever_its_unit(text: str, mib: int) -> None:
    assert mebibytes(text) == mib


@given(st.binary(max_size=400))
def test_any_bytes_are_a_table_of_some_or_no_modules(table: bytes) -> None:
    assert all(dimm.mib >= 0 for dimm in smbios_dimms(table))


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_error(text: str) -> None:
    told(dmidecode_dimms(f"Memory Device\n{text}"))
    told(lshw_dimms(f"*-bank\n{text}"))
