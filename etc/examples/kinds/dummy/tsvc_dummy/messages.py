"""The texts of questions and answers in ladders and reports."""

from tsvc.results.exchanges import Exchange, exchange


@exchange("dummy")
def decode(octets: bytes, is_sent: bool) -> Exchange:
    """Return what a line says; never raises."""
    line = octets.decode("utf-8", "replace").rstrip("\n")
    title, _, text = line.partition(" ")
    return Exchange(title, (text,), {"line": line}, is_failure=title == "NO")
