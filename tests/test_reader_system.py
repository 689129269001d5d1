"""The header and the system section of a report."""

import pytest

from tests.reading import REPORT, Reader


@pytest.mark.parametrize(
    ("environment", "guest"),
    [
        ("bare metal", False),
        ("kvm (virtualized)", True),
        ("WSL2 (kernel reports WSL2)", True),
        ("lxc (virtualized)", None),
        ("docker (virtualized)", None),
        ("inside-container (unusual for this script)", None),
    ],
)
def test_a_container_is_no_virtual_machine(
    environment: str,
    guest: bool | None,  # noqa: FBT001 - a case of the table
    reading: Reader,
) -> None:
    text = REPORT.replace("**Environment:** bare metal", f"**Environment:** {environment}")
    rig = reading(text).understood[0].bundle.rig
    assert (rig.environment, rig.cpu.guest) == (environment, guest)
