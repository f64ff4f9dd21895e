"""TCAP dialogues on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` records, sends and compares messages of dialogues; `expected` encodes the values that a
definition expects; `timers` checks whether an answer may come too late; `replay` is the past of a
dialogue as an ordinary instance sees it. Only the ordinary instance interprets a message, and
decides whether it may come and whether it is right. Nothing here switches. Start with `paths`.
"""
