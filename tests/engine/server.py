"""Starts a real llama-server (and rpc servers that stand in for cards) and reads its log."""

import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

START_S = 60.0
_OVERRIDDEN = re.compile(r"tensor (\S+) \(.*\) buffer type overridden to (\S+)")
_ASSIGNED = re.compile(r"layer +(\d+) assigned to device ([^,\s]+)")


class Log(NamedTuple):
    """What a server said about where things went; the last statement counts."""

    text: str

    @property
    def overridden(self) -> dict[str, str]:
        return dict(_OVERRIDDEN.findall(self.text))

    @property
    def layers(self) -> dict[int, str]:
        return {int(layer): device for layer, device in _ASSIGNED.findall(self.text)}


class Running(NamedTuple):
    """A server that answers."""

    url: str
    log_path: Path

    @property
    def log(self) -> Log:
        # At this verbosity the log holds bytes of the model, not always UTF-8.
        return Log(self.log_path.read_text(encoding="utf-8", errors="replace"))

    def complete(self, prompt: str, tokens: int) -> dict[str, Any]:
        body = json.dumps({"prompt": prompt, "n_predict": tokens, "temperature": 0}).encode()
        request = urllib.request.Request(  # noqa: S310 - a loopback address
            f"{self.url}/completion", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
        return found


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def _stopped(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def cards(count: int, folder: Path) -> Iterator[list[str]]:
    """Start rpc servers; yields their addresses."""
    with ExitStack() as stack:
        addresses = []
        for _ in range(count):
            port = free_port()
            log = stack.enter_context((folder / f"rpc-{port}.log").open("wb"))
            words = ["ggml-rpc-server", "--host", "127.0.0.1", "--port", str(port)]
            process = subprocess.Popen(words, stdout=log, stderr=log)
            stack.callback(_stopped, process)
            _await_port(port, process)
            addresses.append(f"127.0.0.1:{port}")
        yield addresses


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on {port}; exit code {process.poll()}")


@contextmanager
def started(
    words: Sequence[str], port: int, folder: Path, rpc: Sequence[str] = ()
) -> Iterator[Running]:
    """Run a command that starts llama-server on `port`, wait until it is healthy, stop it."""
    log_path = folder / f"server-{port}.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            words, stdout=log, stderr=log, env=environment(rpc), start_new_session=True
        )
        try:
            _await_health(port, process, log_path)
            yield Running(f"http://127.0.0.1:{port}", log_path)
        finally:
            _stopped(process)


def environment(rpc: Sequence[str]) -> Mapping[str, str]:
    """Say by environment what a line does not: the cards' addresses, and a log that tells all."""
    said = {"LLAMA_ARG_LOG_VERBOSITY": "5", "OMP_WAIT_POLICY": "passive"}
    return os.environ | said | ({"LLAMA_ARG_RPC": ",".join(rpc)} if rpc else {})


def _await_health(port: int, process: subprocess.Popen[bytes], log_path: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    tail = log_path.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise AssertionError(f"the server did not start; exit code {process.poll()}:\n{tail}")
