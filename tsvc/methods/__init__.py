"""The JSON-RPC methods, one file each. They have no logic: each calls the service.

`method` has the base class. Names on the wire are in the classes, not in the names of the files.
Start with `method`.
"""
