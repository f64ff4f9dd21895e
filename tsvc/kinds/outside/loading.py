"""`module = "package.module:Class"`: finds the class, and makes a gateway class of it.

The class is code: all that it does, at import and later, it does with the rights of the daemon.
"""

import importlib
import re

from tsvc.gateways.gateway import GATEWAYS, Gateway
from tsvc.transport.children import share_subprocess
from tsvc.words import did_you_mean, quoted

_SPEC = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")


class LoadError(Exception):
    """The class can't be used; the text is the reason."""


def gateway_class(spec: str) -> type[Gateway]:
    """Return the gateway class of "package.module:Class". Blocks: on the import of its files.

    Errors: LoadError if the module or the class does not exist, or its `kind` is unknown.
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
    from tsvc.kinds.outside.adapters import ADAPTERS  # it imports all these kinds

    adapter = ADAPTERS.get(kind)
    if adapter is None:
        known = ", ".join(sorted(ADAPTERS))
        raise LoadError(f"{spec}: {kind} takes a subclass of Gateway only; plain classes: {known}")
    return type(f"{adapter.__name__}Of{found.__name__}", (adapter,), {"outside": found})


def _found(module_name: str, class_name: str) -> type:
    share_subprocess()  # before the module imports names from subprocess
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        by = "" if module_name.startswith(missing) else f", which {module_name} imports"
        raise LoadError(f"no module {quoted(missing)} on the Python path{by}") from None
    except BaseException as error:  # noqa: BLE001 - its top level may raise anything
        raise LoadError(f"{module_name}: {type(error).__name__}: {error}") from None
    found = getattr(module, class_name, None)
    if found is None:
        names = [name for name, one in vars(module).items() if isinstance(one, type)]
        hint = did_you_mean(class_name, names)
        raise LoadError(f"module {module_name} has no class {class_name}{hint}")
    if not isinstance(found, type):
        raise LoadError(f"{module_name}:{class_name} is no class")
    return found
