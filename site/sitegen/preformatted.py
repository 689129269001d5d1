"""Text whose lines and indents matter, for a page: SQL, a command's help, what was printed."""

from sitegen.escape import Html, text

_SPACE = "&#32;"


def preformatted(raw: str, kind: str = "schema") -> Html:
    """Write `raw` as a block that keeps its lines and scrolls sideways, by key too."""
    code = f"<code>{_lines(raw)}</code>"
    return Html(f'<pre class="{kind}" tabindex="0" data-search-exclude>{code}</pre>')


def _lines(raw: str) -> Html:
    """Keep the lines and spaces of a text, which `text` folds."""
    return Html("\n".join(_line(line) for line in raw.splitlines()))


def _line(line: str) -> str:
    # An empty line would end the block in Markdown's eyes.
    return _SPACE.join(text(word) for word in line.split(" ")) if line.strip() else _SPACE
