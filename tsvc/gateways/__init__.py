"""What a gateway is: the contract of all kinds, and what several of them share.

`gateway` is the base class and its registry, `pooled` a gateway over a pool of connections,
`http` one that speaks HTTP, `fake` what a stand-in for a peer is, `http_fake` one that is an HTTP
server. No kind is named here. Start with `gateway`.
"""
