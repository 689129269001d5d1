"""Server-sent events out of chunks of bytes, cut anywhere: inside a line, inside a character."""

from collections.abc import Iterator

MAX_LINE_BYTES = 4_000_000
"""An event of a chat stream has some hundred bytes; timings and usage a thousand."""


class TooLong(Exception):  # noqa: N818 - what the line is
    """A line that no server of good faith sends."""


class Events:
    """Feed bytes, take out the data of whole events."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Take in a chunk; give the data of each line that it completes.

        Lines end at a line feed alone: text may hold other separators of Unicode, raw.
        """
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise TooLong(f"a line of more than {MAX_LINE_BYTES:,} bytes")
        for line in lines:
            data = data_of(line)
            if data is not None:
                yield data

    def end(self) -> Iterator[str]:
        """Give what a last line without its end holds."""
        data = data_of(self._rest)
        self._rest = b""
        if data is not None:
            yield data


def data_of(line: bytes) -> str | None:
    """Find the data of one line; comments, names and ids of events say nothing here."""
    if not line.startswith(b"data:"):
        return None
    value = line.rstrip(b"\r").removeprefix(b"data:")
    return value.removeprefix(b" ").decode("utf-8", errors="replace")
