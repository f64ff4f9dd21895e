"""Definition files: from a file on the disk to the params of ExecuteTest.

`document` reads one file, JSON, YAML or TOML; `positions` finds the positions of its members;
`load` assembles a definition from all files that it names; `cases` reads the rows of variables;
`json_edit` changes values in a text. Nothing here knows a service. Start with `load`.
"""

from tsvc.cli.definition_file.load import read_definition

__all__ = ["read_definition"]
