"""Diameter peers: requests to a charging system, and requests that it sends by itself.

`gateway` holds the connections (`connections`) and the sessions that a run has registered
(`sessions`). The peer machine, messages and dictionaries are in tsvc.protocols.diameter. Start
with `operations`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="diameter",
    title="Diameter",
    package=__name__,
    purpose="Diameter peers such as a charging system, as a client, a server or both.",
    dissector="diameter",
    fake="OcsFake",
    example="""\
[application."OCS"]
module = "diameter"
remote_hosts = ["ocs1.example.net:3868", "ocs2.example.net:3868"]
origin_host = "tester.example.net"
destination_realm = "example.net"
vendor_id = 10415
applications = [{ id = 4 }]
avps = [{ name = "My-Bonus", code = 4711, vendor_id = 9999, type = "Unsigned32" }]
""",
)
