"""SMPP 3.4: codec as tables, stream framing, and the SMSC's side of a session, sans-IO."""
