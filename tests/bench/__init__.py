"""Benchmarks: the promises of the speed table, measured beside the alternatives of a user."""

import sys
from pathlib import Path

# python -m tests.bench works from the root of the project, without PYTHONPATH.
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
