"""Comparison of what came with what a definition expects. Pure: no I/O, no clock.

`arguments` compares trees of arguments, `comparisons` and `equality` values, `tests` what an
entry's `tests` say; what is found goes to a Check, of which `outcome` has the one that keeps it.
No protocol and no instance is known here. Start with `arguments`.
"""

from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Check
from tsvc.matching.tests import TestList, compile_tests

__all__ = ["Check", "TestList", "compile_tests", "match_arguments"]
