"""SUA, connectionless (RFC 3868): SCCP addresses and TCAP straight over an association.

`association` is the machine, with the states, requests and servers of tsvc.protocols.m3ua;
`connectionless` are CLDT and CLDR, `address` and `params` what M3UA does not have. It knows no
socket and no clock, and leaves segments to SCCP's reassembly. Start with `association`.
"""
