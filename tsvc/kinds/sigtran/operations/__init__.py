"""The test operations of INAP, CAP, MAP and TCAP, derived from declared operations.

`inap_expect`, `map_expect`, `map_register` and `tcap` register the types; `*_send` and `*_expect`
perform them on a `dialogue`. No operation of a protocol is listed here. Start with `inap_expect`.
"""
