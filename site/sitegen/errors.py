"""The model's measured errors, as the method page shows them."""

from pathlib import Path

from sitegen.escape import Html, text
from sitegen.page import paragraph


def errors(model: Path | None) -> Html:
    """Write the errors that were measured on machines left out."""
    return paragraph(
        text(f"No model has been fitted yet: {model or 'run `rigbook fit`'}."), "missing"
    )
