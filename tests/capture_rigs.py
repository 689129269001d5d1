"""Fixtures of the tests of `capture`: invented kernel trees, a scripted server, a free port."""

import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from capture.tree import Tree

ROOT = Path(__file__).parents[1]


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[str], Tree]:
    """Lay out one of the invented kernel trees in `tests/trees` below a folder of its own."""

    def laid_out(name: str) -> Tree:
        root = tmp_path / name
        for line in (ROOT / f"tests/trees/{name}.tsv").read_text(encoding="utf-8").splitlines():
            path, _, told = line.partition("\t")
            content: str = json.loads(told)
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            is_hex = content.startswith("hex:")
            target.write_bytes(bytes.fromhex(content[4:]) if is_hex else content.encode() + b"\n")
        return Tree(root)

    return laid_out


Script = Callable[[str, dict[str, Any]], list[bytes | float]]
"""What a server does for a path and a body: bytes to send, and seconds to wait between."""


def answer(content: bytes, kind: str = "application/json", status: str = "200 OK") -> bytes:
    """Write a whole HTTP answer."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


class FakeServer:
    """A local server that does what `script` says for chat requests, down to the bytes."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.models: bytes | None = b'{"data": [{"id": "tiny"}]}'
        self.pages: dict[str, bytes] = {}
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                path = self.rfile.readline().decode().split(" ")[1]
                length = 0
                while (line := self.rfile.readline().strip()) != b"":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                outer._play(self, path, self.rfile.read(length))

        self._tcp = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._tcp.daemon_threads = True
        self._tcp.block_on_close = False
        threading.Thread(target=self._tcp.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._tcp.server_address[1]}"

    def _play(self, handler: socketserver.StreamRequestHandler, path: str, content: bytes) -> None:
        if path == "/v1/models":
            if self.models is not None:
                handler.wfile.write(answer(self.models))
            return
        if path in self.pages:
            handler.wfile.write(answer(self.pages[path]))
            return
        if path != "/v1/chat/completions":
            handler.wfile.write(answer(b"no such page", "text/plain", "404 Not Found"))
            return
        self.bodies.append(json.loads(content))
        try:
            for act in self.script(path, self.bodies[-1]):
                if isinstance(act, float):
                    time.sleep(act)
                else:
                    handler.wfile.write(act)
                    handler.wfile.flush()
        except ConnectionError:
            pass  # the client had enough, as some tests want it to

    def close(self) -> None:
        self._tcp.shutdown()
        self._tcp.server_close()


@pytest.fixture
def fake_server() -> Iterator[Callable[[Script], FakeServer]]:
    """Start local servers that follow a script; all are closed at the end."""
    started: list[FakeServer] = []

    def start(script: Script) -> FakeServer:
        started.append(FakeServer(script))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def unused_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
