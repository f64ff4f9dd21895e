"""SMPP messages on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` knows how messages are recorded, sent, compared and answered; `members` makes octets of
what a definition expects by expressions; `replay` is the past as an ordinary instance sees it.
Start with `paths`.
"""
