"""SCCP connectionless (Q.713, Q.714): addresses, messages, segmentation and reassembly.

`messages` are the octets of UDT, XUDT, LUDT and of what returns them, `address` those of party
addresses, ITU and ANSI; `reassembly` is a machine with `now` for its timer. What carries the
messages (M3UA, a loopback) and what they carry (TCAP) is not known here. Start with `messages`.
"""
