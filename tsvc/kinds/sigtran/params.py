"""Parameters of runs for SIGTRAN: addresses, application contexts, extensions, a flow."""

from tsvc.schema import fields
from tsvc.schema.fields import Members


class ScpMember(Members):
    """`scp`: the target of BEGINs."""

    dri = fields.Integer(
        0,
        1,
        help="routing indicator: 1 on subsystem number, 0 on global title; absent: 1 if dpc "
        "and dssn are given",
    )
    dssn = fields.Integer(1, 255, help="subsystem number")
    dpc = fields.Integer(0, 0xFFFFFF, help="point code, 14 bits in ITU, 24 in ANSI")
    dgt_digits = fields.Digits(help="digits of the global title")
    dgt_noa = fields.Integer(0, 127, help="its nature of address")
    dgt_np = fields.Integer(0, 7, help="its numbering plan")
    dgt_tt = fields.Integer(0, 255, help="its translation type")
    tcap_timeout = fields.Number(
        0.001,
        86400,
        help="how long an instance waits for a message of the SCP before it aborts; absent: "
        "`engine.tcap_timeout_s`",
        unit="s",
    )


class NodeMember(Members):
    """`ssp`, `hlr`: addressing of the simulated node."""

    opc = fields.Integer(0, 0xFFFFFF, help="point code, 14 bits in ITU, 24 in ANSI")
    ssn = fields.Integer(1, 255, help="subsystem number")
    gt_digits = fields.Digits(help="digits of the global title")
    gt_noa = fields.Integer(0, 127, help="its nature of address")
    gt_np = fields.Integer(0, 7, help="its numbering plan")
    gt_tt = fields.Integer(0, 255, help="its translation type")


class Inap(Members):
    """`inap`."""

    extensions = fields.Object(
        help="ASN.1 type by number of extension, for extensions that the tables don't have"
    )


class Params(Members):
    """Params of a run."""

    inap = fields.Nested(Inap, help="what the INAP of this run has beside the standard")
    ssp_ac = fields.String(
        allow_none=True, help="application context of the SSP: alias, dotted OID, hex; empty: none"
    )
    hlr_ac = fields.String(allow_none=True, help="application context of the HLR")
    scp = fields.Nested(ScpMember, help="address of the control point")
    ssp = fields.Nested(NodeMember, help="own address, as SSP or SRF")
    hlr = fields.Nested(NodeMember, help="own address, as HLR")
    flow = fields.Object(help="flow document that the embedded SCP runs for this run alone")
