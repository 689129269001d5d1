"""What a bundle lacks, and the remedy."""

import re

from tests.reading import REPORT, Reader


def test_what_is_missing_is_told_with_the_remedy(reading: Reader) -> None:
    without = re.sub(r"- \*\*Memory (config|channels|bandwidth).*\n", "", REPORT)
    told = {p.where: p.message for p in reading(without).problems}
    assert "sudo dmidecode" in told["rig.memory.channels_populated"]
    assert "rig.memory.bandwidth" in told
    assert "rig.memory.bandwidth" not in {p.where for p in reading(REPORT).problems}
