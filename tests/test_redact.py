from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.redact import Redaction, redact


@pytest.mark.parametrize(
    ("text", "wanted", "kind"),
    [
        ("ls /home/alice42/models", "ls /home/<USER>/models", "user"),
        ("C:\\Users\\Alice\\x", "C:\\Users\\<USER>\\x", "user"),
        ("ssh://bob:pw12@example.org", "ssh://<REDACTED>@example.org", "key"),
        ("mail foo.bar@example.org.", "mail <EMAIL>.", "e-mail"),
        ("HF_TOKEN=hf_abcdefghijklmnop", "HF_TOKEN=<REDACTED>", "key"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer <REDACTED>", "key"),
        ("--api-key s3cretvalue", "--api-key <REDACTED>", "key"),
        ("ghp_abcdefghijklmnopqrst", "<REDACTED>", "key"),
        ("at http://192.168.1.20:8030/v1", "at http://<IP>:8030/v1", "ip"),
        ("addr fe80::1ff:fe23:4567:890a", "addr <IP>", "ip"),
        ("ether aa:bb:cc:dd:ee:ff", "ether <MAC>", "mac"),
        ("GPU-5a1b2c3d-1111-2222-3333-444455556666", "<UUID>", "uuid"),
        ("Serial Number: 8F3A21BC", "Serial Number: <SERIAL>", "serial"),
        ("Linux ai-box 6.8.0-71 x86_64", "Linux <HOST> 6.8.0-71 x86_64", "host"),
        ("[sudo] password for carol:", "[sudo] password for <USER>:", "user"),
        ("-rw-r--r-- 1 carol users 9 x", "-rw-r--r-- 1 <USER> users 9 x", "user"),
        ("on DESKTOP-AB12CD3 today", "on <HOST> today", "host"),
        ("http://rigbox:8030/v1", "http://<HOST>:8030/v1", "host"),
        ("Sep 18 22:14:15 rigbox docker[12]: up", "Sep 18 22:14:15 <HOST> docker[12]: up", "host"),
    ],
)
def test_what_names_a_person_a_host_or_a_key_goes(text: str, wanted: str, kind: str) -> None:
    assert redact(text) == (wanted, (Redaction(kind, 1),))


@pytest.mark.parametrize(
    "text",
    [
        "VBIOS 94.02.42.00.A1 | persistence=Enabled",
        "24.11.202.141 I slot print_timing: id  0",
        "- **Kernel:** 6.6.87.2-microsoft-standard-WSL2",
        "bus 00000000:41:00.0 at 20:14:07 UTC, [::]:8030->8080/tcp",
        "http://localhost:8030 http://127.0.0.1:8080 0.0.0.0:8030",
        "image ghcr.io/example/llamacpp@sha256:9c1e5f0b7a2d4c6e",
        "max_tokens=1000 tokens=[800, 166] eos_token 151645",
        "-rw-r--r-- 1 root root 9 x",
        "git@a1b2c3d4e and git@github.com:x/y.git",
        "~/.club3090/estate.yml at /home/<USER>/models",
        "Serial Number: Not Specified",
    ],
)
def test_what_a_report_needs_stays(text: str) -> None:
    assert redact(text) == (text, ())


def test_a_name_found_in_a_path_goes_elsewhere_unless_it_is_a_word() -> None:
    text = "/home/alice42/x and /home/max/x\nalice42 at /srv/alice42, max=366 W at /srv/max/y\n"
    assert redact(text).text == (
        "/home/<USER>/x and /home/<USER>/x\n<USER> at /srv/<USER>, max=366 W at /srv/<USER>/y\n"
    )


def test_a_private_key_goes_and_the_lines_keep_their_numbers() -> None:
    text = "-----BEGIN X PRIVATE KEY-----\nabc=\ndef=\n-----END X PRIVATE KEY-----\nafter"
    redacted = redact(text).text
    assert "abc" not in redacted
    assert redacted.split("\n")[4] == "after"


SECRETS = ["/home/carol77/", "dave@example.org", "10.20.30.40", "hf_0123456789abcdef", "ab:" * 5]
PIECES = st.one_of(st.text(max_size=20), st.sampled_from([*SECRETS, "\n", "=", "<USER>", "://"]))


@given(st.lists(PIECES, max_size=20).map("".join))
def test_redacting_twice_changes_nothing_more_and_no_line_moves(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert once.text.count("\n") == text.count("\n")


@given(st.lists(st.sampled_from(["a report", "12.5 t/s", "\n", " | "]), max_size=20))
def test_a_secret_between_blanks_never_survives(pieces: list[str]) -> None:
    text = " ".join([*pieces, "/home/carol77/x", *pieces, "hf_0123456789abcdef", "carol77"])
    redacted = redact(text).text
    assert "carol77" not in redacted
    assert "hf_0" not in redacted


@pytest.mark.parametrize("piece", ["a@", "1.1.1.1.", "/home/a ", "aa:", "a-", "http://", "\n"])
def test_the_time_for_a_hostile_text_grows_with_its_length_alone(
    piece: str, growth: Callable[[Callable[[str], object], str], float]
) -> None:
    assert growth(redact, piece) < 1.7
