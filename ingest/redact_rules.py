"""What to take out of a text: the rules of `ingest.redact`, as data.

Every repetition is bounded, so that a rule costs time linear in the text.
"""

import ipaddress
import re
from collections.abc import Callable
from typing import NamedTuple


def _always(_: str) -> bool:
    return True


class Rule(NamedTuple):
    """Replace group 1 of `regex` by `tag` where `holds` says so.

    `guards` are fragments of which one must stand in a line for the pattern to be tried there.
    """

    kind: str
    tag: str
    guards: tuple[str, ...]
    regex: "re.Pattern[str]"
    holds: Callable[[str], bool] = _always
    spans_lines: bool = False


_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
_SHARED = frozenset(
    """
    public shared default all users user root ubuntu runner node app www linuxbrew
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def _is_personal(name: str) -> bool:
    return name.casefold() not in _SHARED


USER_RULES = (
    Rule(
        "user",
        "<USER>",
        ("[sudo] password for ",),
        re.compile(rf"\[sudo\] password for ({_NAME}?)(?=[:\s]|$)"),
    ),
    Rule(
        "user",
        "<USER>",
        ("rw", "r-x"),
        re.compile(
            rf"^ *[dl-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]? +[0-9]{{1,6}} ({_NAME}) ",
            re.MULTILINE,
        ),
        _is_personal,
    ),
    Rule(
        "user",
        "<USER>",
        ("/home/",),
        re.compile(rf"/home/({_NAME})(?=[/\s:;,\"'`)\]}}]|$)", re.MULTILINE),
    ),
    Rule(
        "user",
        "<USER>",
        ("Users",),
        re.compile(rf"[/\\]Users(?:\\\\|[/\\])({_NAME})(?=[/\\\s:;,\"'`)]|$)", re.MULTILINE),
        _is_personal,
    ),
    Rule(
        "user",
        "<USER>",
        ("/media/", "/run/media/"),
        re.compile(rf"(?<![A-Za-z0-9])/(?:run/)?media/({_NAME})(?=/)"),
    ),
    Rule(
        "user",
        "<USER>",
        ("USER=", "USER:", "LOGNAME", "USERNAME", "Username"),
        re.compile(rf"\b(?:SUDO_USER|USERNAME|USER|LOGNAME|Username)(?:=|: +)[\"']?({_NAME})"),
        _is_personal,
    ),
    Rule(
        "user",
        "<USER>",
        ("@",),
        re.compile(
            r"(?<![A-Za-z0-9_.+/-])([a-z_][a-z0-9_.-]{0,31})"
            r"@(?=[A-Za-z0-9-]{1,63}(?::[~/]| [^\]\n]{0,60}\][$#]))",
        ),
        lambda name: name not in {"root", "git"},
    ),
)

HOST_RULES = (
    Rule(
        "host",
        "<HOST>",
        ("DESKTOP-", "LAPTOP-"),
        re.compile(r"\b((?:DESKTOP|LAPTOP)-[A-Z0-9]{5,12})\b"),
    ),
    Rule(
        "host",
        "<HOST>",
        ("@",),
        re.compile(
            r"(?<![A-Za-z0-9_.+/-])(?:[a-z_][a-z0-9_.-]{0,31}|<USER>)@([A-Za-z0-9-]{1,63})"
            r"(?=:[~/]| [^\]\n]{0,60}\][$#])"
        ),
    ),
    Rule(
        "host",
        "<HOST>",
        ("Linux ",),
        re.compile(r"\bLinux ([A-Za-z0-9][A-Za-z0-9.-]{0,62}) [0-9]+\.[0-9]+\.[0-9]"),
    ),
    Rule(
        "host",
        "<HOST>",
        ("HOSTNAME", "ostname"),
        re.compile(r"\b(?:HOSTNAME=|(?:Static )?[Hh]ostname *: *)([A-Za-z0-9][A-Za-z0-9.-]{0,62})"),
    ),
    Rule(
        "host",
        "<HOST>",
        ("://",),
        re.compile(r"\bhttps?://([A-Za-z][A-Za-z0-9-]{0,62})(?=:[0-9]{2,5}\b)"),
        lambda name: name.casefold() != "localhost",
    ),
    Rule(
        "host",
        "<HOST>",
        (".local", ".lan", ".internal", ".home", ".ts.net"),
        re.compile(
            r"(?<![A-Za-z0-9_./~-])([A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[a-z0-9-]{1,30}){0,2})"
            r"\.(?:local|lan|internal|home\.arpa|ts\.net)(?![A-Za-z0-9_./-])"
        ),
    ),
    Rule(
        "host",
        "<HOST>",
        ("]:",),
        re.compile(
            r"^(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}) ([A-Za-z0-9][A-Za-z0-9.-]{0,62})"
            r" [A-Za-z0-9_./-]{1,60}\[[0-9]{1,9}\]:",
            re.MULTILINE,
        ),
    ),
)

_WORDS = frozenset(
    """
    admin agent agentic all amd app auto bare base bench bird box build builder cache card
    claude cli club code cold compose container core cpu cuda data default depth dev dmon docker
    draft engine expert experts fast file fit flash gemma glm gpt gpu growth host idle image
    inkling install kimi kvm lab lan large layer linux live llama local main max mean media
    memory metal min mini mode model models moe narrative nas node none nvidia off ollama output
    pass peak pool port prefill prompt proxmox public pve qwen ram rate repo report rig root
    router run server service sglang share shared slot small soak spec split stack standard
    status storage stream studio stress swap system task test test1 thread threads token tokens
    total triad turn unit user users verify vision vllm warm weights work workspace wsl
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_MIN_NAME_CHARS = 5


def keeps_its_word(name: str) -> bool:
    """Tell whether a report would use `name` as an ordinary word, so that only paths lose it."""
    return len(name) < _MIN_NAME_CHARS or name.casefold() in _WORDS


def _is_host_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


_TOKENS = (
    (("hf_",), r"hf_[A-Za-z0-9]{10,100}"),
    (("sk-",), r"sk-[A-Za-z0-9_-]{16,200}"),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{16,255}"),
    (("github_pat_",), r"github_pat_[A-Za-z0-9_]{16,255}"),
    (("glpat-",), r"glpat-[A-Za-z0-9_-]{16,100}"),
    (("AKIA",), r"AKIA[0-9A-Z]{16}"),
    (("ASIA",), r"ASIA[0-9A-Z]{16}"),
    (("xox",), r"xox[abeprs]-[A-Za-z0-9-]{10,200}"),
    (("AIza",), r"AIza[A-Za-z0-9_-]{30,50}"),
    (("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,300}"),
    (("eyJ",), r"eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,500}"),
    (("nvapi-",), r"nvapi-[A-Za-z0-9_-]{20,200}"),
    (("r8_",), r"r8_[A-Za-z0-9]{20,100}"),
    (("gsk_",), r"gsk_[A-Za-z0-9]{20,100}"),
    (("tskey-",), r"tskey-[A-Za-z0-9-]{10,100}"),
    (("npm_",), r"npm_[A-Za-z0-9]{30,50}"),
    (("pypi-",), r"pypi-[A-Za-z0-9_-]{30,300}"),
    (("dckr_pat_",), r"dckr_pat_[A-Za-z0-9_-]{20,100}"),
    (("wandb",), r"wandb_v[0-9]_[A-Za-z0-9_]{20,200}"),
)

RULES = (
    Rule(
        "key",
        "<REDACTED>",
        ("PRIVATE KEY",),
        re.compile(r"(?<=PRIVATE KEY-----\n)((?:[A-Za-z0-9+/=:, -]{1,200}\n){1,200})(?=-----END )"),
        spans_lines=True,
    ),
    *(
        Rule("key", "<REDACTED>", guards, re.compile(rf"(?<![A-Za-z0-9_])({shape})"))
        for guards, shape in _TOKENS
    ),
    Rule(
        "key",
        "<REDACTED>",
        ("earer ",),
        re.compile(r"\b[Bb]earer ([A-Za-z0-9._~+/=-]{8,500})"),
    ),
    Rule(
        "key",
        "<REDACTED>",
        (
            *("_token", "_TOKEN", "--token", "api_key", "api-key", "apikey", "API_KEY", "APIKEY"),
            *("ecret", "SECRET", "ccess-key", "ccess_key", "ACCESS_KEY", "assw", "PASSW", "assphr"),
        ),
        re.compile(
            r"(?i:_token|--token|api[-_]?key|secret(?:_key)?|access[-_]key|passw(?:or)?d|passphrase)"
            r"\b[\"']?(?: ?[=:] ?| )[\"']?([^\s\"'<>,;|`)]{6,500})"
        ),
        lambda secret: any(c.isdigit() for c in secret) and not secret.replace(".", "").isdigit(),
    ),
    Rule(
        "key",
        "<REDACTED>",
        ("://",),
        re.compile(r"://([^\s:/@<>\"']{1,100}:[^\s:/@<>\"']{1,200})@"),
    ),
    Rule(
        "e-mail",
        "<EMAIL>",
        ("@",),
        re.compile(
            r"(?<![A-Za-z0-9._%+/:-])([A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}"
            r"@[A-Za-z0-9][A-Za-z0-9.-]{0,200}\.[A-Za-z]{2,20})(?![A-Za-z0-9_:/-])"
        ),
        lambda address: not address.startswith("git@"),
    ),
    Rule(
        "mac",
        "<MAC>",
        (":", "-"),
        re.compile(
            r"(?<![A-Za-z0-9:-])([0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5}))"
            r"(?![A-Za-z0-9:-])"
        ),
    ),
    Rule(
        "ip",
        "<IP>",
        ("::", ":"),
        re.compile(r"(?<![A-Za-z0-9:.])([0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{3,40})(?![A-Za-z0-9:])"),
        _is_host_address,
    ),
    # The lookahead leaves a log line's clock, `24.11.202.141 I slot …`, and longer versions alone.
    Rule(
        "ip",
        "<IP>",
        (".",),
        re.compile(
            r"(?<![A-Za-z0-9._-])((?:[0-9]{1,3}\.){3}[0-9]{1,3})"
            r"(?![A-Za-z0-9_]|[.-][A-Za-z0-9]| [IWED] )"
        ),
        _is_host_address,
    ),
    Rule(
        "uuid",
        "<UUID>",
        ("-",),
        re.compile(
            r"(?<![A-Za-z0-9_-])((?:GPU-|MIG-)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
            r"(?![A-Za-z0-9_-])"
        ),
    ),
    Rule(
        "serial",
        "<SERIAL>",
        ("erial", "Asset Tag"),
        re.compile(
            r"\b(?:[Ss]erial(?: [Nn]umber| No\.?)?|Asset Tag) {0,40}: {0,4}([A-Za-z0-9_.:/-]{4,64})"
        ),
        lambda text: any(c.isdigit() for c in text) and text.casefold() not in {"n/a", "unknown"},
    ),
)
