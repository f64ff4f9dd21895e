"""The configuration: tsvc.toml, conf.d and the environment as one frozen Config, or all problems.

`tables` and `scp_tables` declare the keys, `sources` collects the values of files and environment,
`load` checks these values. Gateways check their own tables; nothing here opens a socket.
Start with `tables`.
"""
