"""The soak: hours of everything at once, with the invariants checked throughout."""

import sys
from pathlib import Path

# python -m tests.soak works from the root of the project, without PYTHONPATH.
sys.path.insert(0, str(Path(__file__).parents[1]))
