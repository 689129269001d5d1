"""What a plan could not know, and what it took instead: said beside every line that rests on it."""

from launch.line import UNNAMED
from launch.payload import Payload
from launch.subject import Subject


def cache_notes(payload: Payload) -> list[str]:
    """Say what stands in for a cache of unpublished size: the gate errs to the safe side."""
    if "kv_mib_per_1k" not in payload.inferred:
        return []
    if not payload.kv_mib_per_1k:
        return ["the cache's size is not known and counts as nothing: keep more VRAM free"]
    told = (
        "the cache's size is not published: all that was seen to grow with the context counts as "
        f"cache, {payload.kv_mib_per_1k:g} MiB for 1,000 tokens at f16; the true size is smaller"
    )
    return [told]


def unpublished_notes(subject: Subject) -> list[str]:
    """Say what the author of a slug never published, and what stands in the line instead."""
    named = subject.config.unpublished if subject.config else ()
    notes = []
    if "model" in named and subject.server.model.endswith(UNNAMED):
        notes.append(f"the weights' file names are not published: put yours for {UNNAMED}")
    if "drafter_file" in named:
        notes.append("the slug's drafter is not published by name: this line drafts nothing")
    return notes
