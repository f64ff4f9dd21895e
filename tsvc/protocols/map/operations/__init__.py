"""The operations of MAP, a file each: values of tsvc.protocols.map.operation.MapOperation.

A file declares code, versions, argument, result, errors and what ladders show; test operations,
their schemas, the reference and the decoding follow from that. It knows no dialogue: application
contexts and MAP-Open are not its matter. Start with `mt_forward_sm`.
"""
