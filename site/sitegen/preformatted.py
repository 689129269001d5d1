"""Text whose lines and indents matter, for a page: SQL, a command's help, what was printed."""

from sitegen.escape import Html, verbatim


def preformatted(raw: str, kind: str = "schema") -> Html:
    """Write `raw` as a block that keeps its lines and scrolls sideways, by key too."""
    code = f"<code>{verbatim(raw)}</code>"
    return Html(f'<pre class="{kind}" tabindex="0" data-search-exclude>{code}</pre>')
