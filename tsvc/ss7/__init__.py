"""An SS7 node over IP: associations of M3UA and SUA on TCP or SCTP, routes, SCCP, TCAP.

`network` holds all connections of a node, and `links` the common code of M3UA and SUA links. The
machines are in tsvc.protocols, the greenlets in tsvc.transport. `tcap_node` is the tester's end,
`scp_node` that of the embedded SCP, which `scp_host` creates from the configuration. `loopback`
joins both without a wire. With `relay` several processes share a node's associations. Start with
`network`.
"""
