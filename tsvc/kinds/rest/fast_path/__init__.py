"""REST requests on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` knows how requests are recorded, sent and their responses compared; `answers` which
responses are the same; `looked_at` what operations look at in them; `replay` is the past of the
requests as an ordinary instance sees it. Start with `paths`.
"""
