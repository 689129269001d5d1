from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_lock_file_pins_by_hash_and_names_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    pins = [line for line in lock.splitlines() if "==" in line and not line.startswith(" ")]
    assert pins
    assert lock.count("--hash=sha256:") >= len(pins)
