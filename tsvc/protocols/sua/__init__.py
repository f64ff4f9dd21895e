"""SUA, connectionless (RFC 3868): SCCP addresses and TCAP directly over an association.

`association` is the machine, with the states, requests and servers of tsvc.protocols.m3ua.
`connectionless` has CLDT and CLDR; `address` and `params` have the parameters that M3UA lacks. The
package knows no socket and no clock, and leaves segments to SCCP's reassembly. Start with
`association`.
"""
