"""How TCAP messages are shown: decoded as JSON can carry it, and as arrows of a ladder.

`decoding` follows the dialogues of an instance, so that results and errors have the names of what
was invoked; `arrows` draws a decoded message by what its operations declare. Pure: no gateway is
known here, and octets that can't be read are shown as such. Start with `decoding`.
"""
