"""The reference: pages of docs/reference made from what methods, results, kinds and flows declare.

`python -m tsvc.reference FOLDER` writes all of PAGES (`__main__`); a page is a module with
`text()`, and `markdown` is what they share. `stubs` is what editors and mypy read of definitions
in Python. Nothing that a daemon runs imports it. Start with `__main__`.
"""
