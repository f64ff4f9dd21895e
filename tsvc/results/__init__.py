"""Recorded messages made readable, and reports of completed runs: pure.

`exchanges` decodes what was recorded, `arrow`, `layout` and `ladder` draw it, `pcap` writes it;
`xunit`, `csv_buckets` and `html` report runs from the client's typed results. How the
messages of a kind are shown is said by the kind itself. Start with `exchanges`.
"""
