"""Coverage-guided fuzzing with atheris; `make fuzz`, beside make test."""

import sys
from pathlib import Path

# python -m tests.fuzz works from the root of the project, without PYTHONPATH.
sys.path.insert(0, str(Path(__file__).parents[1]))
