from tsvc.config.load import describe
from tsvc.docs_generator.configuration import text


def test_every_key_has_its_row_in_its_table():
    sections = {part.partition("]")[0]: part for part in text().split("\n## [")[1:]}
    for doc in describe():
        assert f"| `{doc.key}` |" in sections[doc.table]
    rows = sum(line.startswith("| `") for line in text().splitlines())
    assert rows == len(describe())
