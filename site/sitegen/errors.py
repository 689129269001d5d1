"""The model's measured errors, as the method page shows them."""

from sitegen.escape import Html, text
from sitegen.fitted import Fitted
from sitegen.page import paragraph


def errors(fitted: Fitted) -> Html:
    """Write the errors that were measured on machines left out."""
    if fitted.model is None:
        return paragraph(text("No model has been fitted yet: run `rigbook fit`."), "missing")
    return paragraph(text(str(fitted.model.fitted_on)))
