"""The operations of MAP, a file each or one for a pair: values of `operation.MapOperation`.

A file declares code, versions, argument, result, errors and what ladders show; test operations,
their schemas, the reference and the decoding follow from that. It knows no dialogue: application
contexts and MAP-Open are not its matter. Start with `forward_sm`.
"""
