"""One folder a kind of gateway: everything that is special to it.

A folder holds the Kind in its `__init__` and the parts that tsvc.kind names: the gateway, the
operations, the messages as people see them, a fake peer. No kind imports another, but `outside`,
which stands in for four of them; nothing below this package names a kind.
Start with `pi`, the smallest.
"""
