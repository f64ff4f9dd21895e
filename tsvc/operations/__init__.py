"""The base of all test operations, and the operations that need no gateway.

`operation` has the base class, the scope in which a definition is compiled and the registry;
`names` the spellings of types; `attributes` fields that may be expressions; `arguments` fields of
sent and expected values; `logic` the operations that control the flow; `eligibility` decides which
operations may be on the fast path, and `fast_path` replays instances of a load.
The operations of a gateway are in the package of its kind. Start with `operation`.
"""
