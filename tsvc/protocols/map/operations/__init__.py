"""The operations of MAP, one or a few related ones per file: values of `operation.MapOperation`.

A file declares code, versions, argument, result, errors and the facts for ladders. Test
operations, their schemas, the reference and the decoding derive from these. It knows no dialogue:
application contexts and MAP-Open are handled elsewhere. Start with `forward_sm`.
"""
