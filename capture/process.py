"""The serving process: who listens, its arguments, what it holds. All readable by everyone."""

import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil


class Process(NamedTuple):
    """The server's process: number, arguments, and where they come from."""

    pid: int
    argv: tuple[str, ...]


PROGRAMS = ("llama-server", "vllm", "sglang", "ds4-server", "tabbyapi", "ktransformers")
"""Names in the arguments of serving programs; a port in them decides among several."""


def port_of(url: str) -> int:
    """Tell the port of an address."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)


def is_local(url: str) -> bool:
    """Tell whether an address is this machine's: the rig that is probed must serve."""
    host = urlsplit(url).hostname or ""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False
    ours = {address.address for cards in psutil.net_if_addrs().values() for address in cards}
    return any(
        str(address) in ours or ipaddress.ip_address(str(address).split("%")[0]).is_loopback
        for address in found
    )


def find_process(url: str, pid: int | None = None) -> Process | None:
    """Find the process that serves `url`: by number, by its listening port, by its arguments."""
    port, known = port_of(url), _all_argv()
    chosen = pid or _served_by(_listener(port), known) or _named(port, known)
    if chosen is None:
        return None
    try:
        return Process(chosen, tuple(psutil.Process(chosen).cmdline()))
    except psutil.Error:
        return None


FORWARDERS = ("docker-proxy", "rootlessport", "slirp4netns", "pasta", "ssh")
"""Programs that listen for another: the server itself is behind them."""


def _served_by(listener: int | None, known: dict[int, list[str]]) -> int | None:
    """Take the listening process, unless it only passes on."""
    words = known.get(listener, []) if listener else []
    passes_on = bool(words) and words[0].rsplit("/", 1)[-1] in FORWARDERS
    return None if passes_on else listener


def _listener(port: int) -> int | None:
    """Find who listens; the kernel names processes of the same user only."""
    try:
        sockets = psutil.net_connections("tcp")
    except psutil.Error:
        return None
    listening = (
        one.pid for one in sockets
        if one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port and one.pid
    )  # fmt: skip
    return next(listening, None)


def _all_argv() -> dict[int, list[str]]:
    """List the arguments of all processes: those of containers are seen from outside, too."""
    return {one.pid: one.info["cmdline"] or [] for one in psutil.process_iter(["cmdline"])}


def _named(port: int, known: dict[int, list[str]]) -> int | None:
    serving = {pid: argv for pid, argv in known.items() if is_serving(argv)}
    exact = [pid for pid, argv in serving.items() if value_of(argv, ("--port",)) == str(port)]
    candidates = exact or list(serving)
    return candidates[0] if len(candidates) == 1 else None


def is_serving(argv: Iterable[str]) -> bool:
    """Tell whether arguments are those of a serving program, not of a shell around one."""
    words = [word.rsplit("/", 1)[-1] for word in list(argv)[:3]]
    return any(word in PROGRAMS for word in words)


def value_of(argv: Iterable[str], names: Iterable[str]) -> str | None:
    """Find the last value of a flag: `--port 8080` or `--port=8080`."""
    words, wanted, found = list(argv), set(names), None
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in wanted and equals:
            found = value
        elif word in wanted and index + 1 < len(words):
            found = words[index + 1]
    return found


SECRET = re.compile(r"(?i)(key|token|secret|password|auth)")


def public_argv(argv: Iterable[str]) -> tuple[str, ...]:
    """Write arguments so that they can be published: no secrets, of paths only the last part."""
    kept: list[str] = []
    hide = False
    for word in argv:
        name, equals, value = word.partition("=")
        if hide:
            kept.append("<SECRET>")
        elif word.startswith("-") and SECRET.search(name) and equals:
            kept.append(f"{name}=<SECRET>")
        elif equals and word.startswith("-"):
            kept.append(f"{name}={_last_part(value)}")
        else:
            kept.append(_last_part(word))
        # A flag for a file of keys hides its file; flags such as `--tokenizer X` lose no secret.
        hide = not hide and word.startswith("-") and not equals and bool(_SECRET_FLAG.match(word))
    return tuple(kept)


_SECRET_FLAG = re.compile(r"(?i)--?(api-key(-file)?|hf-token|hft|.*(secret|password)).*$")


def _last_part(word: str) -> str:
    is_path = re.match(r"^(?:~|\.{1,2})?/|^[A-Za-z]:\\", word)
    return re.split(r"[/\\]", word.rstrip("/\\"))[-1] if is_path else word


class Held(NamedTuple):
    """What the process holds: GiB in memory, MiB paged out, seconds of processor time."""

    rss_gib: float | None
    swap_mib: float | None
    cpu_s: float | None


def held(pid: int) -> Held:
    """Read what a process holds; None where it has gone."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            times, memory = process.cpu_times(), process.memory_info()
        swap = _swap_mib(pid)
    except psutil.Error:
        return Held(None, None, None)
    return Held(memory.rss / 1024**3, swap, times.user + times.system)


def _swap_mib(pid: int) -> float | None:
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            found = re.search(r"^VmSwap:\s+([0-9]+) kB", file.read(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) / 1024 if found else None
