"""Codecs and protocol machines: octets in, indications out; no sockets, clocks or random values.

Each protocol is a folder; ASN.1 (`asn1`, `ber`), numbers of ISUP (`party_number`) and the
declarations of remote operations (`ros`) are shared. An outermost machine has receive(),
data_to_send(), next_timer() and handle_timer(), so one driver runs them all.
Start with `tcap`.
"""
