from pathlib import Path

from tsvc.config.load import describe
from tsvc.reference.configuration import text

FILE = Path(__file__).parents[3] / "docs/reference/configuration.md"


def test_the_file_is_what_the_declarations_say():
    assert FILE.read_text("utf-8") == text(), (
        "python -m tsvc.reference.configuration > (that file)"
    )


def test_every_key_has_its_row_in_its_table():
    sections = {part.partition("]")[0]: part for part in text().split("\n## [")[1:]}
    for doc in describe():
        assert f"| `{doc.key}` |" in sections[doc.table]
    rows = sum(line.startswith("| `") for line in text().splitlines())
    assert rows == len(describe())
