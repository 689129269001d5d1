"""A launch line in the forms that people start servers from; each holds the same arguments."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

CONTAINER_PORT = 8080
START_PERIOD = "900s"
"""Loading 151 GB without mapping takes 8 to 10 minutes (reference facts)."""


class Launch(NamedTuple):
    """What is to be started: arguments of `llama-server`, environment, and where it runs.

    `image` and the fields after it matter to containers only. `models` is the model folder as the
    arguments name it; in a container it is a mount.
    """

    name: str
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    port: int = 8080
    image: str | None = None
    cards: tuple[int, ...] = ()
    shm_size: str | None = None
    host_ipc: bool = False
    models: str = "/models"


def shell(launch: Launch) -> str:
    """Write a line for a shell, one flag a row."""
    rows = [shlex.join(group) for group in _groups(launch.argv)]
    before = " ".join(f"{key}={shlex.quote(value)}" for key, value in launch.environment)
    head = f"{before} llama-server" if before else "llama-server"
    return " \\\n  ".join([head, *rows])


def _groups(argv: Sequence[str]) -> list[list[str]]:
    """Put each flag with its values: a value does not start with a dash and a letter."""
    groups: list[list[str]] = []
    for word in argv:
        flag = word.startswith("-") and not word[1:2].isdecimal()
        if flag or not groups:
            groups.append([word])
        else:
            groups[-1].append(word)
    return groups


def compose(launch: Launch) -> str:
    """Write a compose file. Inside the container the server listens on one port on all addresses.

    A `$` would be taken for a variable, so it is doubled.
    """
    service: dict[str, object] = {
        "image": launch.image or "ghcr.io/ggml-org/llama.cpp:server-cuda",
        "container_name": launch.name,
        "command": [word.replace("$", "$$") for word in _contained(launch)],
        "environment": {
            "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
            **{key: value.replace("$", "$$") for key, value in launch.environment},
        },
        "volumes": [f"${{MODEL_DIR:?set MODEL_DIR to the model folder}}:{launch.models}:ro"],
        "ports": [f"127.0.0.1:{launch.port}:{CONTAINER_PORT}"],
        "restart": "unless-stopped",
        "healthcheck": {
            # The port inside the container, whatever it is outside.
            "test": ["CMD", "curl", "-fsS", f"http://localhost:{CONTAINER_PORT}/health"],
            "interval": "30s",
            "retries": 40,
            "start_period": START_PERIOD,
        },
    }
    if launch.shm_size:
        service["shm_size"] = launch.shm_size
    if launch.host_ipc:
        service["ipc"] = "host"
    if launch.cards:
        device = {
            "driver": "nvidia",
            "device_ids": [str(card) for card in launch.cards],
            "capabilities": ["gpu"],
        }
        service["deploy"] = {"resources": {"reservations": {"devices": [device]}}}
    return "\n".join(_yaml({"services": {launch.name: service}})) + "\n"


def _contained(launch: Launch) -> list[str]:
    argv = list(launch.argv)
    for flag, value in (("--host", "0.0.0.0"), ("--port", str(CONTAINER_PORT))):  # noqa: S104 - inside the container
        if flag in argv:
            argv[argv.index(flag) + 1] = value
    return argv


def _yaml(value: object, indent: int = 0) -> list[str]:
    """Write maps and lists as blocks and every scalar as JSON, which YAML reads as it stands."""
    space = " " * indent
    if isinstance(value, Mapping):
        pairs = ((f"{space}{json.dumps(key)}:", inner) for key, inner in value.items())
    elif isinstance(value, list):
        pairs = ((f"{space}-", inner) for inner in value)
    else:
        return [f"{space}{json.dumps(value)}"]
    lines: list[str] = []
    for head, inner in pairs:
        if isinstance(inner, Mapping | list) and inner:
            lines += [head, *_yaml(inner, indent + 2)]
        else:
            lines.append(f"{head} {json.dumps(inner)}")
    return lines


def systemd(launch: Launch) -> str:
    """Write a unit. systemd undoes C escapes, `%` and `$` itself, so they are doubled."""
    words = " \\\n  ".join(" ".join(map(_unit_word, group)) for group in _groups(launch.argv))
    environment = [
        f"Environment={_unit_word(f'{key}={value}')}" for key, value in launch.environment
    ]
    return "\n".join(
        [
            "[Unit]",
            f"Description=llama-server {launch.name}",
            "After=network.target",
            "",
            "[Service]",
            *environment,
            "ExecStart=/usr/bin/env llama-server \\",
            f"  {words}",
            "Restart=on-failure",
            "TimeoutStartSec=infinity",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def _unit_word(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("%", "%%").replace("$", "$$") + '"'


def llama_swap(launch: Launch) -> str:
    """Write an entry for llama-swap, which chooses the port and splits the line as a shell does."""
    argv = list(launch.argv)
    if "--port" in argv:
        argv[argv.index("--port") + 1] = "${PORT}"
    line = shlex.join(["llama-server", *argv]).replace("'${PORT}'", "${PORT}")
    entry: dict[str, object] = {"cmd": line, "proxy": "http://127.0.0.1:${PORT}"}
    if launch.environment:
        entry["env"] = [f"{key}={value}" for key, value in launch.environment]
    return "\n".join(_yaml({"models": {launch.name: entry}})) + "\n"


FORMATS: dict[str, Callable[[Launch], str]] = {
    "argv": shell,
    "compose": compose,
    "systemd": systemd,
    "llama-swap": llama_swap,
}
