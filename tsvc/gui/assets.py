"""The browser's part: index.html and the files that it loads, made by `make gui-build`."""

import re
from pathlib import Path

from tsvc.gui.asked import Answer, Asked, Refusal

_PACKAGE = Path(__file__).parent / "static"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_INDEX = "index.html"
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_CHANGING = (".html", ".txt")  # their names stay when their content changes


class Assets:
    """The files of one folder, without its subfolders. Blocks: on the files."""

    def __init__(self, folder: Path = _PACKAGE) -> None:
        self._folder = folder

    @property
    def are_built(self) -> bool:
        """True if there is a page to show."""
        return (self._folder / _INDEX).is_file()

    def index(self, asked: Asked) -> Answer:
        """Return the page, with the nonce of this response in it."""
        octets = (self._folder / _INDEX).read_bytes()
        octets = octets.replace(b"__NONCE__", asked.nonce.encode("ascii"))
        return Answer(octets, type=_TYPES[".html"])

    def file(self, asked: Asked) -> Answer:
        """Return a file; browsers may cache it for ever if its name changes with its content."""
        name = asked.path["name"]
        path = self._folder / name
        kind = _TYPES.get(path.suffix)
        if not _NAME.fullmatch(name) or kind is None or not path.is_file():
            raise Refusal(404, "there is no such file")
        kept = {} if path.suffix in _CHANGING else _FOR_EVER
        headers = {**kept, "Vary": "Accept-Encoding"}
        packed = self._folder / f"{name}.gz"
        if _takes_gzip(asked.headers.get("accept-encoding", "")) and packed.is_file():
            return Answer(
                packed.read_bytes(), kind, headers={**headers, "Content-Encoding": "gzip"}
            )
        return Answer(path.read_bytes(), kind, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    for one in accepted.lower().split(","):
        coding, _, weight = one.partition(";")
        if coding.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
