"""The pages of docs/reference, made from the declarations of methods, results, kinds and flows.

`python -m tsvc.docs_generator FOLDER` writes all of PAGES (`__main__`). A page is a module with
`text()`; `markdown` has what they share. `stubs` makes the stub that editors and mypy read for
definitions in Python. No code of the daemon imports this package. Start with `__main__`.
"""
