"""A search for work that blocks the event loop: see __main__.py.

`meter` measures slices, and `requests` makes requests of up to 1 MiB. `expressions` calls every
function and operator on the largest values; `search` mutates towards longer slices.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
