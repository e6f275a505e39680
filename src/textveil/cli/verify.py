"""textveil rewrite."""


def run() -> None:
    """Rewrite the texts of a file."""
