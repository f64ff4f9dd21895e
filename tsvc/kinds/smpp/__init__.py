"""SMPP 3.4, the tester as an SMSC to which ESMEs bind.

`gateway` listens and `node` holds the bound sessions. `inbox` holds the submitted messages that no
operation has taken. The session machine is in tsvc.protocols.smpp. Start with `operations`.
"""

from tsvc.kind import Kind

KIND = Kind(
    name="smpp",
    title="SMPP",
    package=__name__,
    purpose="An SMSC to which ESMEs bind, SMPP 3.4.",
    dissector="smpp",
    fake="EsmeFake",
    fake_name="esme",
    example="""\
[application."SMSC01"]
module = "smpp"
host = "0.0.0.0"
port = 2775
accounts = [{ system_id = "esme1" }]
password_file = "/etc/tsvc/esme.password"
""",
)
