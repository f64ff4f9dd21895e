"""TCAP dialogues on the fast path: see tsvc/operations/fast_path/frame.py.

`paths` knows how messages of dialogues are recorded, sent and compared; `expected` what makes the
octets of values that a definition expects; `timers` when an answer may come too late; `replay` is
the past of a dialogue as an ordinary instance sees it. What a message means, whether it may come
and whether it is right is said by the ordinary instance alone. Nothing here switches. Start with
`paths`.
"""
