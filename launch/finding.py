"""What a lint rule gets and gives: what is known beside a launch line, and a finding about it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ingest.problem import Problem, Severity
from launch.command import Command
from launch.flags import Flags
from launch.gguf import Tensor
from launch.payload import Payload
from launch.rules import CPU


class Known(NamedTuple):
    """What is known beside the line; None where it is not.

    `tensors` are those of the GGUF that the line loads, `cores` the physical cores of the host,
    `models` the folder that holds the weights on this machine, `payload` the bytes of the model,
    `cards_free_mib` the free memory of each card, `drafter_mib` the weights of the drafter.
    """

    flags: Flags
    build: str | None = None
    tensors: tuple[Tensor, ...] | None = None
    cores: int | None = None
    models: Path | None = None
    payload: Payload | None = None
    cards_free_mib: tuple[float, ...] = ()
    drafter_mib: float = 0.0


Lint = Callable[[Command, Known], Iterator[Problem]]


def found(command: Command, where: str, message: str, severity: Severity = "error") -> Problem:
    """Note a finding about one flag of a line."""
    return Problem(command.where, where, message, severity)


def offloads(command: Command) -> bool:
    """Tell whether the line keeps experts on the host."""
    said = {argument.flag for argument in command.arguments}
    return bool({"--cpu-moe", "--n-cpu-moe"} & said) or any(
        f"={CPU}" in argument.value for argument in command.all("-ot")
    )
