"""Captures of TCAP as operations: what links carried, dialogues by transaction id, arguments.

`carriers` goes down to TCAP, `dialogues` puts its messages together, `steps` makes operations of
them and `arguments` spells what they carry, so that it gives the same octets back. Pure: no
gateway is known here. Start with `dialogues`.
"""
