import re
import shlex
import subprocess
from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.formats import FORMATS, Launch, compose, llama_swap, shell, systemd

ARGV = (
    "-m",
    "/models/a b/m'x.gguf",
    "--host",
    "127.0.0.1",
    "--port",
    "8030",
    "-ts",
    "1,1",
    "-ot",
    r"blk\.(0|1)\.ffn_(up|down)_exps=CUDA0,blk\.[0-9]+\.ffn=CPU",
    "--n-cpu-moe",
    "-1",
    "--cpu-moe",
)
LAUNCH = Launch("ds-flash", ARGV, (("A_B", "1 $x"),), 8030, "img:1", (0, 1), "16g", host_ipc=True)


def from_compose(text: str) -> dict[str, Any]:
    service: dict[str, Any] = yaml.safe_load(text)["services"]["ds-flash"]
    return service


def from_shell(text: str) -> list[str]:
    """Let a real shell split the line."""
    called = f"llama-server() {{ [ $# -eq 0 ] || printf '%s\\0' \"$@\"; }}\n{text}"
    ran = subprocess.run(["bash", "-c", called], capture_output=True, text=True, check=True)
    return ran.stdout.split("\0")[:-1]


def from_unit(text: str) -> list[str]:
    """Undo a unit's escapes as systemd.service(5) says."""
    start = text.split("ExecStart=")[1].split("\nRestart=", maxsplit=1)[0].replace("\\\n", " ")
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', start)
    plain = [re.sub(r"\\(.)", r"\1", quoted) if quoted else bare for quoted, bare in words]
    return [word.replace("$$", "$").replace("%%", "%") for word in plain]


def test_the_shell_line_is_the_arguments_again() -> None:
    assert from_shell(shell(LAUNCH)) == list(ARGV)
    assert shell(LAUNCH).startswith("A_B='1 $x' llama-server \\\n")
    assert "\n  --n-cpu-moe -1 \\\n" in shell(LAUNCH), "a negative number is a value"


def test_the_compose_file_runs_the_same_arguments_on_the_containers_own_port() -> None:
    service = from_compose(compose(LAUNCH))
    inside = list(ARGV)
    inside[3], inside[5] = "0.0.0.0", "8080"  # noqa: S104 - inside the container
    assert service["command"] == inside
    assert service["ports"] == ["127.0.0.1:8030:8080"]
    assert service["healthcheck"]["test"][-1] == "http://localhost:8080/health"
    devices = service["deploy"]["resources"]["reservations"]["devices"]
    assert devices[0]["device_ids"] == ["0", "1"]
    assert service["environment"] == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "A_B": "1 $$x"}
    assert (service["shm_size"], service["ipc"]) == ("16g", "host")


def test_a_host_without_cards_reserves_none() -> None:
    service = from_compose(compose(LAUNCH._replace(cards=(), shm_size=None, host_ipc=False)))
    assert not {"deploy", "shm_size", "ipc"} & service.keys()


def test_the_unit_is_the_arguments_again() -> None:
    assert from_unit(systemd(LAUNCH))[2:] == list(ARGV)
    assert 'Environment="A_B=1 $$x"' in systemd(LAUNCH)


def test_llama_swap_chooses_the_port() -> None:
    entry = yaml.safe_load(llama_swap(LAUNCH))["models"]["ds-flash"]
    words = shlex.split(entry["cmd"])
    assert words[words.index("--port") + 1] == "${PORT}"
    assert [w for w in words if w != "${PORT}"] == [
        "llama-server",
        *(w for w in ARGV if w != "8030"),
    ]
    assert entry["env"] == ["A_B=1 $x"]


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_is_one_text_that_ends_without_trailing_blanks(form: str) -> None:
    text = FORMATS[form](LAUNCH)
    assert not any(line.endswith(" ") for line in text.splitlines())


def undo(form: str, text: str) -> Iterable[str]:
    if form == "argv":
        return from_shell(text)
    if form == "compose":
        command: list[str] = yaml.safe_load(text)["services"]["n"]["command"]
        return [word.replace("$$", "$") for word in command]
    if form == "systemd":
        return from_unit(text)[2:]
    return shlex.split(yaml.safe_load(text)["models"]["n"]["cmd"])[1:]


@given(
    st.lists(st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1), max_size=6),
    st.sampled_from(sorted(FORMATS)),
)
@settings(deadline=None, max_examples=60)
def test_no_word_is_lost_or_run_by_any_form(words: list[str], form: str) -> None:
    argv = tuple(word for word in words if word not in {"--host", "--port"})
    assert list(undo(form, FORMATS[form](Launch("n", argv)))) == list(argv)
