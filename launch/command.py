"""An existing launch line, read: from a shell line, a `docker run`, or a compose file."""

import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import yaml

from launch.flags import plain

SERVERS = {"llama-server", "llama-server.exe", "llama-cli", "llama-bench", "server"}
TEXT_LIMIT = 1 << 20
"""Characters of a line or file read; the largest published compose file has about 20 thousand."""
ALIAS_LIMIT = 20
"""Nested YAML aliases multiply what they stand for; no compose file of a server needs more."""
_ASSIGNED = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*=")
_VARIABLE = re.compile(r"\$(?:\$|\{([A-Za-z_]\w*)(?:(:?[-?+])([^{}]*))?\}|([A-Za-z_]\w*))")
_DOCKER_PLAIN = re.compile(
    r"^(--rm|-d|-i|-t|-it|-dit|--detach|--interactive|--tty|--init|--\w[\w-]*=.*)$"
)


class CommandError(ValueError):
    """A text in which no launch line is found."""


class Argument(NamedTuple):
    """A flag with its values, in the order of the line."""

    flag: str
    values: tuple[str, ...]
    said: str

    @property
    def value(self) -> str:
        """Give the first value, or nothing."""
        return self.values[0] if self.values else ""


class Command(NamedTuple):
    """One server that a text starts. `mounts` maps folders in the container to those outside."""

    where: str
    words: tuple[str, ...]
    environment: dict[str, str]
    image: str | None
    mounts: dict[str, str]

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Split the words into flags and their values; a value does not look like a flag."""
        found: list[Argument] = []
        for word in self.words:
            if re.match(r"^--?[A-Za-z]", word):
                name, equals, value = word.partition("=")
                whole = equals and word.startswith("--")
                found.append(
                    Argument(plain(name), (value,), name)
                    if whole
                    else Argument(plain(word), (), word)
                )
            elif found:
                last = found[-1]
                found[-1] = last._replace(values=(*last.values, word))
        return tuple(found)

    def all(self, flag: str) -> list[Argument]:
        """List every occurrence of a flag, whatever its spelling."""
        return [argument for argument in self.arguments if argument.flag == flag]

    def get(self, flag: str) -> str | None:
        """Give the value that holds: the last."""
        found = self.all(flag)
        return found[-1].value if found else None


def read_commands(text: str, name: str) -> list[Command]:
    """Read every server that a text starts. Raises CommandError, in one line."""
    if len(text) > TEXT_LIMIT:
        raise CommandError(f"{name}: has {len(text)} characters, more than {TEXT_LIMIT}")
    found = _compose(text, name) if _looks_like_compose(text) else _shell(text, name)
    if not found:
        raise CommandError(f"{name}: holds no llama-server line and no service that runs one")
    return found


def _looks_like_compose(text: str) -> bool:
    return re.search(r"(?m)^\s*[\"']?services[\"']?\s*:", text) is not None


def _shell(text: str, name: str) -> list[Command]:
    joined = re.sub(r"\\\r?\n", " ", text)
    try:
        words = shlex.split(joined, comments=True)
    except ValueError as error:
        raise CommandError(f"{name}: is no shell line: {error}") from error
    start = next((n for n, word in enumerate(words) if _is_server(word)), None)
    docker = next((n for n, word in enumerate(words[:start]) if word in ("docker", "podman")), None)
    if docker is not None and words[docker + 1 : docker + 2] == ["run"]:
        return [_docker(words[docker + 2 :], name)]
    if start is None:
        return []
    environment = _pairs(word for word in words[:start] if _ASSIGNED.match(word))
    return [Command(name, tuple(words[start + 1 :]), environment, None, {})]


def _is_server(word: str) -> bool:
    return PurePosixPath(word).name in SERVERS


def _docker(words: list[str], name: str) -> Command:
    """Read `docker run OPTIONS IMAGE ARGUMENTS`."""
    options: list[tuple[str, str]] = []
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if _DOCKER_PLAIN.match(words[at]):
            flag, _, value = words[at].partition("=")
            options.append((flag, value))
            at += 1
        else:
            options.append((words[at], words[at + 1] if at + 1 < len(words) else ""))
            at += 2
    if at >= len(words):
        raise CommandError(f"{name}: docker run names no image")
    arguments = words[at + 1 :]
    if arguments and _is_server(arguments[0]):
        arguments = arguments[1:]
    environment = _pairs(value for flag, value in options if flag in ("-e", "--env"))
    mounts = [value for flag, value in options if flag in ("-v", "--volume")]
    return Command(name, tuple(arguments), environment, words[at], _mounts(mounts))


def _pairs(words: Iterable[str]) -> dict[str, str]:
    split = (word.partition("=") for word in words)
    return {key: value for key, _, value in split}


def _mounts(volumes: Iterable[object]) -> dict[str, str]:
    """Map a container's folders to the host's: `HOST:CONTAINER[:MODE]`, or the long form."""
    found: dict[str, str] = {}
    for volume in volumes:
        if isinstance(volume, Mapping):
            found[str(volume.get("target", ""))] = str(volume.get("source", ""))
        else:
            host, _, rest = str(volume).partition(":")
            found[rest.partition(":")[0]] = host
    return found


def _compose(text: str, name: str) -> list[Command]:
    try:
        aliases = sum(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text))
        document = yaml.safe_load(text) if aliases <= ALIAS_LIMIT else None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        told = " ".join(str(error).split())
        raise CommandError(f"{name}: is no YAML: {told}") from error
    if aliases > ALIAS_LIMIT:
        raise CommandError(f"{name}: has {aliases} YAML aliases, more than {ALIAS_LIMIT}")
    services = document.get("services") if isinstance(document, Mapping) else None
    if not isinstance(services, Mapping):
        raise CommandError(f"{name}: services: should be a map of services")
    found = []
    for key, service in services.items():
        if not isinstance(service, Mapping):
            raise CommandError(f"{name}: services.{key}: should be a map")
        command = _service(service, f"{name}: services.{key}")
        if command:
            found.append(command)
    return found


def _service(service: Mapping[str, Any], where: str) -> Command | None:
    """Read a service whose entry point and command make a server's line."""
    words = [*_words(service.get("entrypoint"), where), *_words(service.get("command"), where)]
    start = next((n for n, word in enumerate(words) if _is_server(word)), None)
    image = interpolated(str(service.get("image", "")))
    if start is None and "-m" not in {plain(word) for word in words}:
        return None
    environment = service.get("environment") or {}
    pairs = (
        {str(k): interpolated(str(v)) for k, v in environment.items()}
        if isinstance(environment, Mapping)
        else _pairs(interpolated(str(word)) for word in environment)
    )
    volumes = service.get("volumes") or []
    mounts = _mounts(v if isinstance(v, Mapping) else interpolated(str(v)) for v in volumes)
    rest = tuple(words if start is None else words[start + 1 :])
    return Command(where, rest, pairs, image or None, mounts)


def _words(value: object, where: str) -> list[str]:
    """Split a command: a list as it stands, a text as a shell does."""
    if value is None:
        return []
    if isinstance(value, list):
        return [interpolated(str(word)) for word in value]
    try:
        words = shlex.split(interpolated(str(value)))
    except ValueError as error:
        raise CommandError(f"{where}: command: {error}") from error
    # An entry script in one text (`sh -c "exec llama-server …"`) holds the line in its last word.
    script = next((word for word in words if "llama-server" in word and " " in word), None)
    return words if script is None else shlex.split(re.sub(r"\\\r?\n", " ", script))


def interpolated(text: str) -> str:
    """Fill in a compose file's variables by their defaults; one without a default is empty."""

    def filled(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        return (found[3] or "") if found[2] in ("-", ":-") else ""

    return _VARIABLE.sub(filled, text)
