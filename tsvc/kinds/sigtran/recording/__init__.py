"""Turns captures of TCAP into operations: carriers, dialogues by transaction id, arguments.

`carriers` extracts TCAP messages and `dialogues` groups them by transaction id. `steps` turns them
into operations, and `arguments` writes their arguments so that they encode to the same octets.
Pure: no gateway is known here. Start with `dialogues`.
"""
