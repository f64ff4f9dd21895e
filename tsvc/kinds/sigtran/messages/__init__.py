"""Presentation of TCAP messages: decoded to JSON, and as arrows of a ladder.

`decoding` follows the dialogues of an instance, so that results and errors have the names of the
invoked operations. `arrows` draws a decoded message by the facts that its operations declare.
Pure: no gateway is known here, and unreadable octets are shown as such. Start with `decoding`.
"""
