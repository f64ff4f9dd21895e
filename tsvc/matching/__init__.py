"""Comparison of what came with what a definition expects. Pure: no I/O, no clock."""

from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Check
from tsvc.matching.tests import TestList, compile_tests

__all__ = ["Check", "TestList", "compile_tests", "match_arguments"]
