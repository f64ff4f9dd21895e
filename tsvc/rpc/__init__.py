"""The daemon's own wire: frames of four octets of length, strict JSON, the JSON-RPC envelope.

Pure: octets in, documents out. What params may hold is the matter of tsvc.schema. Start with
`framing`.
"""
