import base64
import hashlib
import html
import re

from sitegen.policy import guard, inline_scripts, policy

PAGE = """<!doctype html><html><head><meta charset="utf-8">
<script src="../assets/own.js"></script>
<script>var inline = 1</script></head>
<body><script id="__config" type="application/json">{"base": "."}</script>
<script>var inline = 1</script><script>other()</script></body></html>"""


def test_only_scripts_that_run_inside_the_page_count() -> None:
    assert inline_scripts(PAGE) == ["var inline = 1", "var inline = 1", "other()"]


def test_the_policy_names_each_inline_script_by_its_sum_and_nothing_unsafe() -> None:
    stated = policy(PAGE)
    for body in ("var inline = 1", "other()"):
        sum_ = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert stated.count(f"'sha256-{sum_}'") == 1
    assert "default-src 'self'" in stated
    assert "unsafe" not in stated


def test_the_policy_stands_before_anything_that_loads() -> None:
    guarded = guard(PAGE)
    head = guarded.index("<head>") + len("<head>")
    assert guarded[head:].startswith('<meta http-equiv="Content-Security-Policy"')
    content = re.search(r'content="([^"]*)"', guarded)
    assert content
    assert html.unescape(content[1]) == policy(PAGE)


def test_a_page_without_scripts_runs_none_of_its_own() -> None:
    assert "script-src 'self';" in policy("<html><head></head></html>")
