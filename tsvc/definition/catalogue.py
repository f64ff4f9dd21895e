"""The types of operations by their names: what they take stands in catalogue.pyi, for editors.

At run time they are the types that this installation declares, those of kinds from outside too.
"""

from typing import Any

from tsvc.definition.build import Namespace, define

definition = define


def __getattr__(name: str) -> Any:
    return getattr(Namespace(), name)
