"""Open Services Development: operations in SOAP over HTTP.

`gateway` puts an operation into an envelope (tsvc.protocols.soap) and takes its answer out of one,
over the HTTP gateway of tsvc.gateways.http. Start with `operations`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="osd",
    title="OSD",
    words=("ocncc",),
    package=__name__,
    purpose="Open Services Development: operations in SOAP over HTTP.",
    dissector="http",
    fake="OsdFake",
    example="""\
[application."OSD-SLC01"]
module = "osd"
remote_host = "slc01.example.net"
remote_port = 7777
security = "inline"
username = "tester"
password_file = "/etc/tsvc/osd.password"
""",
)
