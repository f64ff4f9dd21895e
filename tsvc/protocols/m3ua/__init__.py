"""M3UA (RFC 4666): codec, stream framing, and the association as a sans-IO machine.

`messages` and `params` read and write octets, `data` the usual DATA in one go; `association` is
one association in any role, `asp` the tables of its states, `servers` the Application Servers
that the associations of one SGP share. It knows no socket, no clock, and not what its DATA
carries. Start with `association`.
"""
