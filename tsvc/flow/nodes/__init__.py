"""One module per flow operation type; each registers its class with `tsvc.flow.node.NODES`."""
