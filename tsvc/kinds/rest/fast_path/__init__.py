"""REST requests on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` records and sends requests, and compares their responses; `answers` decides which responses
count as equal; `looked_at` finds the members of responses that operations read; `replay` is the
past of the requests as an ordinary instance sees it. Start with `paths`.
"""
