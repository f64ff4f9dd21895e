"""The contract of gateways of all kinds, and code that several kinds share.

`gateway` is the base class with its registry, and `pooled` a gateway over a pool of connections.
`http` is a gateway that speaks HTTP. `fake` is the contract of a stand-in for a peer, and
`http_fake` a stand-in that is an HTTP server. No kind is named here. Start with `gateway`.
"""
