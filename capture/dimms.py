"""Memory modules and channels, by every way that needs no root, and by pasted root text.

Ways, best first: the firmware's own table (SMBIOS type 17: `dmidecode` text, or sysfs where it is
readable), the memory controller's driver (EDAC), `lshw` text. SMBIOS 3.7 (DMTF DSP0134) §7.18 has
the layout.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from capture.field import Field
from ingest.bundle import How


class Dimm(NamedTuple):
    """One slot: `mib` is 0 where it is empty; `bank` and `slot` are the firmware's labels."""

    slot: str
    bank: str
    mib: int
    kind: str | None
    mts: int | None


MIB = {"kb": 1 / 1024, "kib": 1 / 1024, "mb": 1, "mib": 1, "gb": 1024, "gib": 1024,
       "tb": 1024**2, "tib": 1024**2}  # fmt: skip
"""Capacities of modules are binary whatever the unit is called (dmidecode 3.7 renamed it)."""


def mebibytes(text: str) -> int:
    """Read a module's capacity: `32 GB`, `32 GiB`, `16384 MB`; 0 for an empty slot."""
    found = re.match(r"([0-9]{1,9}) ?([KMGT]i?B)\b", text, re.IGNORECASE)
    return int(int(found[1]) * MIB[found[2].casefold()]) if found else 0


def _figure(text: str | None) -> int | None:
    found = re.match(r"([0-9]{2,6}) ?(?:MT/s|MHz)\b", text or "")
    return int(found[1]) if found else None


def _named(text: str | None) -> str | None:
    unknown = (None, "", "Unknown", "Other", "<OUT OF SPEC>", "None", "Not Specified")
    return None if text in unknown else text


DMIDECODE_LINE = r"^\s*([A-Z][A-Za-z ]{1,40}):[ \t]*(\S.*?)?\s*$"


def dmidecode_dimms(text: str) -> tuple[Dimm, ...]:
    """Read the memory devices of `dmidecode -t memory` (or of a whole `dmidecode`)."""
    found = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        if not re.search(r"^\s*Memory Device\s*$", block, re.MULTILINE):
            continue
        told = dict(
            re.findall(r"^\s*([A-Z][A-Za-z ]{1,40}):[ \t]*(\S.*?)?\s*$", block, re.MULTILINE)
        )
        # Versions before 3.2 call the configured speed a clock; the rated one is `Speed`.
        speed = told.get("Configured Memory Speed") or told.get("Configured Clock Speed")
        mts = _figure(speed) or _figure(told.get("Speed"))
        slot, bank = told.get("Locator", ""), told.get("Bank Locator", "")
        size = mebibytes(told.get("Size", ""))
        found.append(Dimm(slot, _named(bank) or "", size, _named(told.get("Type")), mts))
    return tuple(found)


DDR = {0x18: "DDR3", 0x1A: "DDR4", 0x1D: "LPDDR3", 0x1E: "LPDDR4", 0x22: "DDR5", 0x23: "LPDDR5",
       0x20: "HBM", 0x21: "HBM2", 0x24: "HBM3"}  # fmt: skip
"""SMBIOS 3.7 §7.18.2, the types of this century's machines."""

TYPE_17, SIZE_IN_EXTENDED, SIZE_UNKNOWN, KIB_FLAG = 17, 0x7FFF, 0xFFFF, 0x8000


def smbios_dimms(table: bytes) -> tuple[Dimm, ...]:
    """Read the memory devices of a raw SMBIOS table, or of one entry of it."""
    found, at = [], 0
    while at + 4 <= len(table):
        kind, length = table[at], table[at + 1]
        end = table.find(b"\0\0", at + length)
        if length < 4 or end < 0:
            break
        if kind == TYPE_17:
            found.append(_smbios_dimm(table[at : at + length], table[at + length : end]))
        at = end + 2
    return tuple(found)


def _smbios_dimm(body: bytes, strings: bytes) -> Dimm:
    names = [name.decode("latin-1") for name in strings.split(b"\0")]

    def number(at: int, width: int = 2) -> int:
        return int.from_bytes(body[at : at + width], "little") if at + width <= len(body) else 0

    def name(at: int) -> str:
        index = number(at, 1)
        return names[index - 1].strip() if 0 < index <= len(names) else ""

    size = number(0x0C)
    mib = size & ~KIB_FLAG if not size & KIB_FLAG else (size & ~KIB_FLAG) // 1024
    if size == SIZE_IN_EXTENDED:
        mib = number(0x1C, 4) & 0x7FFFFFFF
    mts = number(0x20) or number(0x15)
    return Dimm(name(0x10), _named(name(0x11)) or "", 0 if size == SIZE_UNKNOWN else mib,
                DDR.get(number(0x12, 1)), mts or None)  # fmt: skip


def lshw_dimms(text: str) -> tuple[Dimm, ...]:
    """Read the banks of `lshw -class memory` text."""
    found = []
    for block in re.split(r"^\s*\*-", text, flags=re.MULTILINE)[1:]:
        told = dict(re.findall(r"^\s*([a-z ]{2,20}): (\S.*?)\s*$", block, re.MULTILINE))
        if not block.startswith("bank"):
            continue
        kind = re.search(r"\b(LP)?DDR[3-6]\b", told.get("description", ""))
        speed = re.search(r"\b([0-9]{3,5}) ?(?:MHz|MT/s)", told.get("description", ""))
        size = 0 if "[empty]" in told.get("description", "") else mebibytes(told.get("size", ""))
        mts = int(speed[1]) if speed else None
        found.append(Dimm(told.get("slot", ""), "", size, kind[0] if kind else None, mts))
    return tuple(found)


CHANNEL = (
    # `P0 CHANNEL A`, `P0_Node0_Channel3_Dimm0`, `ChannelB-DIMM1`: the label says channel.
    re.compile(r"(?P<socket>\b(?:P|CPU|PROC|NODE)[ _]?[0-9])?.*?CHANNEL[ _-]?(?P<channel>[A-Z0-9])",
               re.IGNORECASE),
    # `CPU1_DIMM_A1`, `P1-DIMMA2`, `DIMM_B1`: a letter for the channel, a number in it.
    re.compile(r"(?P<socket>\b(?:P|CPU|PROC)[ _]?[0-9])?.*?DIMM[ _-]?(?P<channel>[A-P])[0-9]\b",
               re.IGNORECASE),
)  # fmt: skip


def channel_of(dimm: Dimm) -> str | None:
    """Name the channel a slot hangs on; None where the firmware's labels do not say."""
    for shape in CHANNEL:
        for label in (dimm.bank, dimm.slot):
            found = shape.search(label)
            if found:
                socket = found["socket"] or _socket(dimm)
                return f"{socket} {found['channel']}".upper().strip()
    return None


def _socket(dimm: Dimm) -> str:
    found = re.search(r"\b(?:P|CPU|PROC)[ _]?([0-9])", f"{dimm.bank} {dimm.slot}", re.IGNORECASE)
    return f"P{found[1]}" if found else ""


def dimm_fields(dimms: Iterable[Dimm], how: How, way: str) -> Iterator[Field]:
    """List what a table of slots tells: modules, kind, rate, channels."""
    slots = list(dimms)
    filled = [dimm for dimm in slots if dimm.mib]
    if not filled:
        return
    yield Field("memory.dimms", described(filled), how, way)
    yield Field("memory.kind", _only(dimm.kind for dimm in filled), how, way)
    # One rate for all channels: the slowest module sets it.
    yield Field("memory.mts", min((d.mts for d in filled if d.mts), default=None), how, way)
    channels = [channel_of(dimm) for dimm in slots]
    if None not in channels:
        used = {channel_of(dimm) for dimm in filled}
        yield Field("memory.channels_populated", len(used), how, way)
        yield Field("memory.channels_total", len(set(channels)), how, way)


def described(filled: Iterable[Dimm]) -> str:
    """Describe modules by size: `7× 32 GiB`, largest group first."""
    sizes = Counter(dimm.mib for dimm in filled)
    return " + ".join(f"{count}× {_size(mib)}" for mib, count in sizes.most_common())


def _size(mib: int) -> str:
    return f"{mib // 1024} GiB" if mib % 1024 == 0 else f"{mib} MiB"


def _only(values: Iterable[str | None]) -> str | None:
    distinct = {value for value in values if value}
    return distinct.pop() if len(distinct) == 1 else None
