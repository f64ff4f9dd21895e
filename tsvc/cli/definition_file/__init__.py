"""Definition files: from one on the disk to the params of ExecuteTest.

`document` reads one file, JSON, YAML or TOML, `positions` where its members stand; `load` puts a
definition together out of all files that it names, `cases` has the rows it is run with;
`json_edit` changes values in a text. Nothing here knows a service. Start with `load`.
"""

from tsvc.cli.definition_file.load import read_definition

__all__ = ["read_definition"]
