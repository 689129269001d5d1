"""The rig report in every paste form, and the laws that hold while it is read."""

import re
from collections.abc import Callable

import pytest

from ingest.bundle import Drafter, Off, Source
from ingest.catalog import Catalog
from ingest.readers.reader import read
from tests.reading import REPORT, Reader, find, numbers, only, sample

SOURCE = Source(kind="issue", url="example.org/rigs/7", author="someone")
FIRST_FIELD = "### Rig + bench report — paste contents of `bash scripts/report.sh --full`\n\n"
REST = "### Soak-continuous verdict\n\nPASS — clean (no errors)\n\n### Notes (optional)\n\n"


@pytest.fixture
def reading(catalog: Catalog) -> Reader:
    return lambda text: read(text, SOURCE, catalog)


def test_a_whole_report_becomes_one_bundle_with_its_evidence(reading: Reader) -> None:
    one = reading(REPORT)
    bundle = only(one)
    assert bundle.rig.cpu.cores == 16
    assert [(b.method, b.gbps) for b in bundle.rig.memory.bandwidth] == [
        ("triad-v2", 98.7),
        ("read-v2", 111.2),
    ]
    run = bundle.runs[0]
    assert run.slug == "llamacpp/deepseek-flash-dual-q8"
    assert run.launch.threads == 16
    assert run.launch.offload
    assert run.launch.offload.layers_on_cpu == 41
    decode = find(bundle, "decode", "narrative")
    assert (decode.value, decode.low, decode.high, decode.n) == (11.40, 11.20, 11.60, 5)
    line = decode.evidence.line
    assert line
    assert "decode_TPS     mean=  11.40" in one.text.split("\n")[line - 1]
    cpu = bundle.provenance["/rig/cpu/model"].line
    assert cpu
    assert "EPYC 7302P" in one.text.split("\n")[cpu - 1]


def glow(text: str) -> str:
    """As a terminal renderer shows it: bullets, no bold, a margin, no fences, wrapped at 80."""
    shown = []
    for line in text.split("\n"):
        if line.startswith("```") or "details>" in line:
            continue
        plain = re.sub(r"^( *)- ", r"\1• ", line.replace("**", ""))
        bullet = plain.lstrip().startswith("•")
        while bullet and len(plain) > 80:
            cut = plain.rindex(" ", 0, 80)
            shown.append(f"  {plain[:cut]}")
            plain = f"  {plain[cut + 1 :]}"
        shown.append(f"  {plain}" if bullet else plain)
    return "\n".join(shown)


def mojibake(text: str) -> str:
    """As UTF-8 that was read as Windows-1252."""
    return "".join(c if c.isascii() else c.encode().decode("cp1252", "ignore") for c in text)


FORMS: dict[str, Callable[[str], str]] = {
    "form field with nested fences": lambda t: (
        f"{FIRST_FIELD}```markdown\n{t}```\n\n{REST}_No response_\n"
    ),
    "bare body": lambda t: t,
    "in the notes, field holds a dash": lambda t: f"{FIRST_FIELD}```markdown\n-\n```\n\n{REST}{t}",
    "in the notes, field holds a hash": lambda t: f"{FIRST_FIELD}```markdown\n#\n```\n\n{REST}{t}",
    "fences lost": lambda t: "\n".join(x for x in t.split("\n") if not x.startswith("```")),
    "quoted": lambda t: "\n".join(f"> {x}" for x in t.split("\n")),
    "windows line ends": lambda t: t.replace("\n", "\r\n"),
    "padded console": lambda t: "\n".join(x.ljust(120) for x in t.split("\n")),
    "colours": lambda t: t.replace("PASS", "\x1b[32mPASS\x1b[0m"),
    "terminal renderer": glow,
    "one-letter user": lambda t: re.sub(r"b", "<USER>", t),
    "pager leftovers first": lambda t: "- **GPU 9:** stray\n:\n" + t,
    "mojibake": mojibake,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_paste_form_says_the_same(form: str, reading: Reader) -> None:
    wanted, bundle = only(reading(REPORT)), only(reading(FORMS[form](REPORT)))
    assert numbers(bundle) == numbers(wanted)
    assert bundle.rig.cpu == wanted.rig.cpu
    assert bundle.rig.memory == wanted.rig.memory
    assert isinstance(bundle.rig.gpus, tuple)
    assert isinstance(wanted.rig.gpus, tuple)
    assert bundle.rig.gpus[0] == wanted.rig.gpus[0]
    assert bundle.runs[0].weights.quant == wanted.runs[0].weights.quant
    assert bundle.runs[0].launch.threads == wanted.runs[0].launch.threads


def test_each_bundles_own_text_gives_it_again(reading: Reader) -> None:
    table = sample("llama-bench-offload.md")
    slower = REPORT.replace("2933 MT/s", "2666 MT/s")
    body = f"{table}\n{REPORT}\nbetween\n{slower}\n- Decode: 5 tok/s\n"
    first, second = reading(body).understood
    for one in (first, second):
        assert only(reading(one.text)) == one.bundle
    assert len(first.bundle.runs) + len(second.bundle.runs) == 5


def test_the_served_file_decides_over_the_containers_name(reading: Reader) -> None:
    swapped = REPORT.replace("UD-Q8_K_XL-00001-of-00005", "UD-IQ2_XXS-00001-of-00003")
    one = reading(swapped)
    run = only(one).runs[0]
    assert (run.slug, run.named) == (None, "llama-cpp-deepseek-flash-q8")
    assert run.weights.quant == "UD-IQ2_XXS"
    assert any("no slug" in problem.message for problem in one.problems)


def test_absent_zero_and_off_are_three_values(reading: Reader) -> None:
    silent = REPORT.replace(
        "  fired=16 last=0.500 mean=0.550 min=0.400 max=0.700 accepted=500 drafted=1000",
        "  no drafter output in the log (spec-dec off, or the engine does not log acceptance)",
    )
    assert only(reading(silent)).runs[0].launch.drafter is None
    off = silent.replace("```\n====", "```\n[spec] drafter OFF\n====", 1)
    assert isinstance(only(reading(off)).runs[0].launch.drafter, Off)
    assert isinstance(only(reading(REPORT)).runs[0].launch.drafter, Drafter)
    zero = REPORT.replace("accepted=500", "accepted=0").replace("mean=0.550", "mean=0.000")
    assert find(only(reading(zero)), "acceptance", "mixed").value == 0


def test_nothing_readable_says_what_would_be(reading: Reader) -> None:
    one = reading("my rig is quite fast, about 20 or so")
    assert one.understood == ()
    assert any("llama-bench" in problem.message for problem in one.problems)
    assert [line.line for line in one.unread] == [1]


def test_an_attached_report_is_named(reading: Reader) -> None:
    link = "https://github.com/user-attachments/files/123/report.md"
    one = reading(f"{REPORT}\nfull report: [report.md]({link})\n")
    assert any(p.message.endswith(f"rigbook read {link}") for p in one.problems)
