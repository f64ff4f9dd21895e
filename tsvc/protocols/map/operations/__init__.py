"""The operations of MAP, one file each: values of tsvc.protocols.map.operation.Operation."""
