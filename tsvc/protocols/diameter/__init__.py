"""Diameter: messages, their AVPs by a dictionary of data files, and a peer's state machine. Pure.

RFC 6733 is the base; RFC 8506 credit control and the AVPs of 3GPP are data only. Start with
`message` (framing, and the layout of AVPs), then `peer`, which has the states and their messages.
"""
