"""What is wrong with an existing launch line, each finding with its fix.

One function a rule: it takes the line and what is known beside it, and yields findings. The rules
of overrides stand in `lint_rules`, those of files in `lint_files`, of memory in `lint_memory`.
"""

from collections.abc import Iterator
from difflib import get_close_matches

from ingest.problem import Problem, Severity
from launch.command import Command
from launch.finding import Known, Lint, found, offloads
from launch.lint_files import FILE_RULES
from launch.lint_memory import MEMORY_RULES
from launch.lint_rules import OVERRIDE_RULES

CACHE_BATCH = 8
"""Largest batch that the expert cache serves (engine range 1 to 8, default 8)."""
OP_OFFLOAD_BATCH = 32
"""Batches from here on go to the cards anyway; between the two lies a dead band."""
NEVER_SET = "GGML_OP_OFFLOAD_MIN_BATCH"


def lint(command: Command, known: Known) -> list[Problem]:
    """Run every rule on a line, the engine build taken from the image where none is given."""
    if known.build is None and command.image:
        known = known._replace(build=known.flags.of_image(command.image))
    return [problem for rule in RULES for problem in rule(command, known)]


def missing_gpu_layers(command: Command, _: Known) -> Iterator[Problem]:
    """Find offload without `-ngl`: the dense part then goes where the engine likes."""
    if offloads(command) and command.get("-ngl") is None:
        yield found(
            command,
            "-ngl",
            "is missing: say -ngl 99, so that all dense layers are on cards",
            "flag",
        )


def split_mode(command: Command, _: Known) -> Iterator[Problem]:
    """Find a split of tensors across cards together with offload."""
    mode = command.get("-sm")
    if offloads(command) and mode in ("row", "tensor"):
        yield found(
            command,
            "-sm",
            f"{mode} with experts on the host: prefill 305 against 2031 t/s, decode 33 against 47, "
            "and a crash with drafts (measured); use -sm layer",
        )


def card_drafter_with_cache(command: Command, _: Known) -> Iterator[Problem]:
    """Find a drafter on the cards beside an expert cache, which then may never hit."""
    place = command.get("-devd")
    if not command.get("--moe-cache") or not command.get("-md") or place == "none":
        return
    if place and "," not in place:
        yield found(
            command,
            "-devd",
            f"a drafter on {place} left DeepSeek's expert cache no hits; GLM-5.3 with DFlash2 on "
            "one card kept them (0.21 with and without): look at the hit rate, or say -devd none",
            "flag",
        )
        return
    yield found(
        command, "-devd", "a drafter on a card leaves the expert cache no hits; add -devd none"
    )


def draft_depth(command: Command) -> int | None:
    """Read the drafted tokens a pass, in whichever flag says it."""
    for flag in ("--spec-draft-n-max", "--draft-max", "--draft"):
        value = command.get(flag) or ""
        if value.isdecimal():
            return int(value)
    return None


def cache_batch(command: Command, _: Known) -> Iterator[Problem]:
    """Find drafts that bypass the expert cache: a pass verifies depth + 1 tokens."""
    depth = draft_depth(command)
    if command.get("--moe-cache") is None or depth is None:
        return
    name = "GGML_CUDA_MOE_CACHE_MAX_BATCH"
    said = command.environment.get(name, "")
    limit = int(said) if said.isdecimal() else CACHE_BATCH
    if depth < limit:
        return
    if depth < CACHE_BATCH:
        fix = f"set {name}={depth + 1}"
    else:
        dead = ", and is below the batch that goes to the cards" if depth < OP_OFFLOAD_BATCH else ""
        fix = f"no setting serves it{dead}; draft at most {CACHE_BATCH - 1}"
    yield found(
        command,
        "--moe-cache",
        f"verifies {depth + 1} tokens a pass, but serves batches of {limit} at most; {fix}",
    )


def op_offload(command: Command, _: Known) -> Iterator[Problem]:
    """Find the setting that keeps the expert cache from being made."""
    if NEVER_SET in command.environment:
        yield found(
            command,
            NEVER_SET,
            "must not be set: 22.3 fell to 5.3 t/s with it; remove it",
        )


def silent_drafter(command: Command, known: Known) -> Iterator[Problem]:
    """Find a drafter that is loaded and never drafts."""
    if not command.get("-md") or command.get("--spec-type"):
        return
    if known.build is None or known.flags.has("draft-kind", known.build):
        sure = known.build == "b11434"
        yield found(
            command,
            "-md",
            "loads a drafter, but without --spec-type "
            f"{'this build never drafts' if sure else 'newer builds (11434) never draft'}; "
            "add --spec-type draft-simple (or the drafter's own kind)",
            "error" if sure else "flag",
        )


def refused_flags(command: Command, known: Known) -> Iterator[Problem]:
    """Find flags that the build refuses, with what says the same there."""
    builds = [known.build] if known.build else [b for b in known.flags.builds if b == "b11434"]
    for build in builds:
        for argument in command.arguments:
            entry = known.flags.refused(argument.said, build)
            if entry is None:
                continue
            instead = known.flags.instead(entry, build)
            if known.build is None and instead is None:
                continue  # a fork's own flag, on a build that nobody named
            fix = f"write {instead}" if instead else "remove it"
            severity: Severity = "error" if known.build else "note"
            yield found(command, argument.said, f"is an error on build {build}; {fix}", severity)


def unproven_flags(command: Command, known: Known) -> Iterator[Problem]:
    """Find flags of other builds where the build has a form of its own for the same."""
    if known.build is None:
        return
    for argument in command.arguments:
        entry = known.flags.unproven(argument.said, argument.value, known.build)
        instead = known.flags.instead(entry, known.build) if entry else None
        if entry and instead and entry.holds:
            yield found(
                command,
                argument.said,
                f"is known of {', '.join(entry.holds)}, not of build {known.build}, which may be "
                f"older or newer; write {instead}",
                "flag",
            )


def unknown_flags(command: Command, known: Known) -> Iterator[Problem]:
    """Find flags that the build does not have, where all of its flags are known."""
    names = known.flags.spellings.get(known.build or "")
    if not names:
        return
    for argument in command.arguments:
        said = argument.said
        dashed = said.replace("_", "-") if said.startswith("--") else said
        if dashed in names or known.flags.refused(said, known.build or ""):
            continue
        near = get_close_matches(dashed, names, n=1)
        hint = f"did you mean {near[0]}?" if near else "remove it"
        yield found(command, said, f"is no flag of build {known.build}; {hint}")


def too_many_threads(command: Command, known: Known) -> Iterator[Problem]:
    """Find more threads than physical cores: they wait for one another."""
    said = command.get("-t") or ""
    if known.cores and said.isdecimal() and int(said) > known.cores:
        yield found(
            command,
            "-t",
            f"is {said}, above the {known.cores} physical cores; decode falls behind its knee; "
            f"say -t {known.cores} or fewer",
            "flag",
        )


def engine_fit(command: Command, known: Known) -> Iterator[Problem]:
    """Find placement by rules while the engine still chooses a placement of its own."""
    if command.all("-ot") and command.get("--fit") is None:
        if known.build and not known.flags.has("fit", known.build):
            return
        yield found(command, "--fit", "is on by default and moves layers; add --fit off", "flag")


RULES: tuple[Lint, ...] = (
    *OVERRIDE_RULES,
    *FILE_RULES,
    *MEMORY_RULES,
    missing_gpu_layers,
    split_mode,
    card_drafter_with_cache,
    cache_batch,
    op_offload,
    silent_drafter,
    refused_flags,
    unproven_flags,
    unknown_flags,
    too_many_threads,
    engine_fit,
)
