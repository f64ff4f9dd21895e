"""Calls and queries over TCAP: the tester is the SSP, SRF or HLR of an SCP.

`gateway` drives one node of tsvc.ss7, or the loopback to the embedded SCP. `operations` are the
`inap.*`, `map.*` and `tcap.*` types, derived from the operations that tsvc.protocols declares.
Codecs and machines are there, too; this package decodes no octets. Start with `operations`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="sigtran",
    title="SIGTRAN",
    package=__name__,
    purpose="INAP, CAP and MAP over TCAP: to a peer over M3UA or SUA, or to the embedded SCP.",
    guide="definitions",
    words=("inap", "map", "tcap", "m3ua"),
    example="""\
[application."SCP-LINK"]
module = "sigtran"
opc = 1
default_scp = { dpc = 2, dssn = 106 }

[[application."SCP-LINK".connections]]
name = "scp1"
type = "m3ua"
remote_host = "10.1.2.3"
remote_port = 2905
routing_context = 100
""",
)
