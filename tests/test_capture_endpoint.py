import socket
import threading
from collections.abc import Iterator

import pytest

from capture.client import Target
from capture.endpoint import describe

MODELS = b'{"data": [{"id": "m"}]}'
PROPS = b'{"default_generation_settings": {"n_ctx": 20000}}'


def _answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.fixture
def closing() -> Iterator[str]:
    """A server that promises to keep a connection, and closes it on the second question."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked = connection.recv(65_536)
                body = PROPS if b"/props" in asked else MODELS if b"/v1/models" in asked else b"{}"
                connection.sendall(_answer(body))
                connection.recv(65_536)

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def test_a_connection_that_is_closed_between_questions_loses_no_answer(closing: str) -> None:
    assert describe(Target(closing), None).ctx == 20_000
