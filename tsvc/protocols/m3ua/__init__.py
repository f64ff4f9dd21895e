"""M3UA (RFC 4666): codec, stream framing, and the association as a sans-IO machine.

`messages` and `params` read and write octets, `data` reads and writes the usual DATA faster.
`association` is one association in any role, and `asp` has the tables of its states. `servers` has
the Application Servers that the associations of one SGP share. The package knows no socket, no
clock, and not what its DATA carries. Start with `association`.
"""
