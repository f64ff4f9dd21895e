"""What a test operation is, and those that need no gateway.

`operation` has the base class, the scope in which a definition is compiled and the registry;
`names` the spellings of types; `attributes` fields that may be expressions; `arguments` fields of
what is sent and expected; `logic` the operations that only steer; `eligibility` which operations
may be on the fast path, and `fast_path` what replays instances of a load.
Those of a gateway stand in its kind. Start with `operation`.
"""
