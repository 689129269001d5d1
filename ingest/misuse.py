"""The one error for a request that cannot be answered as it was asked."""


class Misuse(Exception):  # noqa: N818 - the command line's word for exit code 2
    """What was asked makes no sense; the text says what would. Exit code 2."""
