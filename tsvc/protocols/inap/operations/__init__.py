"""The operations of INAP and CAP: one file for each, or one for a family of related ones.

Every file declares values of tsvc.protocols.ros.Operation; the test operations, their schemas,
the reference and the ladder derive from these. Start with `connect`, which has most kinds of
members, then `dp_specific` for a family.
"""
