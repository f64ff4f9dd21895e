"""Diameter requests on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` records and sends requests, and compares their answers; `replay` is the past of the
requests as an ordinary instance sees it. Start with `paths`.
"""
