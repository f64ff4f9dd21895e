"""The operations of INAP and CAP: one file each, or one file for a family of one kind.

Every file declares values of tsvc.protocols.ros.Operation; the test operations, their schemas,
the reference and the ladder follow from these. Start with `connect`: an operation with most kinds
of members; then `dp_specific` for a family.
"""
