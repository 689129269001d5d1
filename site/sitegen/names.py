"""What slugs, variants and models are called on a page, and links to theirs."""

from sitegen.address import from_page, slug_page, variant_page
from sitegen.escape import Html, inside
from sitegen.record import Record


def model_name(record: Record, model: str | None) -> str:
    """Name a model as its makers do."""
    return str(record.models[model]["name"]) if model in record.models else model or "unknown"


def slug_link(address: str, slug: str) -> Html:
    """Link a slug's page from the page at `address`."""
    return inside(from_page(address, slug_page(slug)), slug)


def variant_link(record: Record, address: str, model: str | None, quant: str | None) -> Html:
    """Link a variant's page from the page at `address`."""
    words = f"{model_name(record, model)}, {quant or 'quant unknown'}"
    return inside(from_page(address, variant_page(model, quant)), words)
