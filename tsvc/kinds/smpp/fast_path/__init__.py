"""SMPP messages on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` records, sends, compares and answers messages; `members` encodes parameters that contain
expressions; `replay` is the past as an ordinary instance sees it. Start with `paths`.
"""
