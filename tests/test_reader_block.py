"""A report cut into blocks, also where its headings are gone."""

import re

import pytest

from tests.reading import REPORT, Reader


def test_a_report_whose_headings_are_gone_describes_the_same_rig(reading: Reader) -> None:
    bare = re.sub(r"(?m)^##? .*$", "", REPORT)
    one, other = (reading(text).understood[0].bundle.rig for text in (REPORT, bare))
    assert one == other


@pytest.mark.parametrize("stray", ["- **OS:** Plan 9", "- **CPU:** Z80\n- **RAM:** 1Gi total"])
def test_lines_before_the_report_do_not_stand_for_its_sections(stray: str, reading: Reader) -> None:
    one, other = (
        reading(text).understood[0].bundle.rig for text in (REPORT, f"{stray}\n\n{REPORT}")
    )
    assert one == other
