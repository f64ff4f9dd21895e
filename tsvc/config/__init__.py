"""tsvc.toml, conf.d and the environment, as one frozen Config or as all that is wrong with them.

`tables` and `scp_tables` declare the keys, `sources` takes what files and environment give,
`load` checks the one by the other. Gateways judge their own tables; nothing here opens a socket.
Start with `tables`.
"""
