"""An SS7 node over IP: associations of M3UA and SUA on TCP or SCTP, routes, SCCP, TCAP.

`network` holds all connections of a node, `links` what M3UA and SUA links have in common; the
machines are in tsvc.protocols, the greenlets in tsvc.transport. `tcap_node` is a tester's end,
`scp_node` the embedded SCP's, which `scp_host` makes of the configuration; `loopback` joins the
two without octets on a wire, by `relay` several processes share a node's associations. Start with
`network`.
"""
