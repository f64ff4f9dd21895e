"""M3UA (RFC 4666): codec, stream framing, and the association as a sans-IO machine."""
