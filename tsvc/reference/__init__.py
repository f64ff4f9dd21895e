"""The references, written from what the tree declares: python -m tsvc.reference FOLDER.

A page a module: methods, results, definitions, operations, gateways, flows, configuration; `pages`
lists them and `markdown` writes tables. A test compares the files in docs/reference with these.
Nothing is declared here. Start with `pages`.
"""
