"""Mutation of definitions and of peers' messages: nothing wrong may pass."""

import sys
from pathlib import Path

# python -m tests.mutate works from the root of the project, without PYTHONPATH.
sys.path.insert(0, str(Path(__file__).parents[1]))
