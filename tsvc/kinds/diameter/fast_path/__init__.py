"""Diameter requests on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` knows how requests are recorded, sent and their answers compared; `replay` is the past of
the requests as an ordinary instance sees it. Start with `paths`.
"""
