"""`module = "package.module:Class"`: finds the class, and makes a kind of gateway of it.

It is code: whatever it does at import and afterwards, it does with the rights of the daemon.
"""

import importlib
import re

from tsvc.gateways.gateway import GATEWAYS, Gateway
from tsvc.transport.children import share_subprocess
from tsvc.words import did_you_mean, quoted

_SPEC = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


class LoadError(Exception):
    """The class can't be used; the text says why."""


def gateway_class(spec: str) -> type[Gateway]:
    """Return the gateway class of "package.module:Class". Blocks: on the import of its files.

    Errors: LoadError if the module or the class is not there, or its `kind` is none of ours.
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise LoadError(f'{quoted(spec)} is neither a kind nor "package.module:Class"')
    found = _found(*match.groups())
    kind = getattr(found, "kind", None)
    if not isinstance(kind, str) or GATEWAYS.get(kind) is None:
        known = ", ".join(GATEWAYS.names())
        hint = did_you_mean(str(kind), GATEWAYS.names())
        found_kind = "has no attribute kind" if kind is None else f"has kind {quoted(kind)}"
        raise LoadError(f"{spec} {found_kind}, it must be one of {known}{hint}")
    if issubclass(found, Gateway):
        if not hasattr(found, "Config"):
            raise LoadError(f"{spec} is a Gateway without a Config, a marshmallow schema")
        return found
    from tsvc.kinds.outside.adapters import ADAPTERS  # of all these kinds

    adapter = ADAPTERS.get(kind)
    if adapter is None:
        known = ", ".join(sorted(ADAPTERS))
        raise LoadError(f"{spec}: {kind} takes a subclass of Gateway only; plain classes: {known}")
    return type(f"{adapter.__name__}Of{found.__name__}", (adapter,), {"outside": found})


def _found(module_name: str, class_name: str) -> type:
    share_subprocess()  # before it takes names from there
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        by = "" if module_name.startswith(missing) else f", which {module_name} imports"
        raise LoadError(f"no module {quoted(missing)} on the Python path{by}") from None
    except BaseException as error:  # noqa: BLE001 - what its top level does is its own
        raise LoadError(f"{module_name}: {type(error).__name__}: {error}") from None
    found = getattr(module, class_name, None)
    if found is None:
        names = [name for name, one in vars(module).items() if isinstance(one, type)]
        hint = did_you_mean(class_name, names)
        raise LoadError(f"module {module_name} has no class {class_name}{hint}")
    if not isinstance(found, type):
        raise LoadError(f"{module_name}:{class_name} is no class")
    return found
