"""INAP and CAP: the operations with their arguments by variant, errors, events.

`operation` names variants and roles, `operations/` has the declarations, `parameters*` the types
that several of them share. Nothing here knows TCAP. Start with `operations.initial_dp`.
"""
