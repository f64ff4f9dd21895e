"""One folder for each kind of gateway: it holds everything that is special to the kind.

A folder holds the Kind in its `__init__` and the modules that tsvc.kind names: the gateway, the
operations, the presentation of messages, a fake peer. No kind imports another kind, except
`outside`, which stands in for four of them. Nothing below this package names a kind.
Start with `pi`, the smallest.
"""
