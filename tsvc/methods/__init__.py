"""The JSON-RPC methods, one file each. They hold no logic: each calls the service.

`method` says what a method is. Names on the wire are in the classes, not in the files' names.
Start with `method`.
"""
