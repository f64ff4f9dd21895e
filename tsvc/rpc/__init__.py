"""The daemon's wire format: frames with four octets of length, strict JSON, the JSON-RPC envelope.

Pure: octets in, documents out. tsvc.schema checks the content of params. Start with `framing`.
"""
