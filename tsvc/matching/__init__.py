"""Compares received messages with what a definition expects. Pure: no I/O, no clock.

`arguments` compares trees of arguments, `comparisons` and `equality` compare values, `tests` makes
the checks of an entry's `tests`. Findings go to a Check; `outcome` has a Check that keeps them.
Nothing here depends on a protocol or an instance. Start with `arguments`.
"""

from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Check
from tsvc.matching.tests import TestList, compile_tests

__all__ = ["Check", "TestList", "compile_tests", "match_arguments"]
