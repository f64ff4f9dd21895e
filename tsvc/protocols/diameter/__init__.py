"""Diameter: messages, their AVPs by a dictionary of data files, and a peer's state machine. Pure.

RFC 6733 is the base; RFC 8506 credit control and the AVPs of 3GPP are data only.
"""
