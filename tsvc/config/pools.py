"""[cluster.pools]: values that differ in each process of a cluster, put into its gateways' tables.

The pool `opc = "1001-1004"` has four values. `opc = "{opc}"` in the table of a gateway is 1001 in
the daemon, 1002 in its first worker, and so on.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tsvc.config.fields import Workers
from tsvc.config.tables import Application, Config

_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_WHOLE_NUMBER = re.compile(r"(0|[1-9][0-9]{0,17})")
MOST_VALUES = 4096


def worker_count(workers: int) -> int:
    """Return how many processes `cluster.workers` means on this machine."""
    if workers != Workers.AUTO:
        return workers
    cores = len(os.sched_getaffinity(0))
    return cores if cores <= 2 else cores - 1


def problems(config: Config) -> Iterator[tuple[str, str]]:
    """Yield (key, text) of each problem of the pools."""
    needed = worker_count(config.cluster.workers) + 1
    for name, text in config.cluster.pools.items():
        try:
            count = len(values(text))
        except ValueError as error:
            yield f"cluster.pools.{name}", str(error)
            continue
        if count < needed:
            yield f"cluster.pools.{name}", f"has {count} values for {needed} processes"


def values(text: str) -> list[str]:
    """Return the values that a pool's text lists. Errors: ValueError, saying what is wrong."""
    found: list[str] = []
    for item in (item.strip() for item in text.split(",")):
        numbers = _RANGE.fullmatch(item)
        if not item:
            raise ValueError("has an empty value")
        if numbers is None:
            found.append(item)
            continue
        first, last = (int(number) for number in numbers.groups())
        if not first <= last < first + MOST_VALUES:
            raise ValueError(f"{item}: is no range of up to {MOST_VALUES} numbers")
        width = len(numbers[1]) if numbers[1].startswith("0") else 0
        found += (str(number).zfill(width) for number in range(first, last + 1))
    if len(set(found)) < len(found):
        raise ValueError("has a value twice")
    return found


def names_in(members: object, pools: Mapping[str, str]) -> set[str]:
    """Return the names of the pools that the texts in a gateway's members use."""
    if isinstance(members, str):
        return {name for name in pools if f"{{{name}}}" in members}
    if isinstance(members, Mapping):
        members = list(members.values())
    if isinstance(members, list | tuple):
        return {name for one in members for name in names_in(one, pools)}
    return set()


def of_process(config: Config, index: int) -> Config:
    """Return the configuration of a process, with the pool values put into its gateways' tables.

    `index`: 0 is the daemon itself. The caller must have checked the pools with problems().
    """
    pools = config.cluster.pools
    if not pools:
        return config
    filled = {name: _filled(one, pools, index) for name, one in config.applications.items()}
    return replace(config, applications=MappingProxyType(filled))


def _filled(application: Application, pools: Mapping[str, str], index: int) -> Application:
    own: dict[str, str] = {}
    for name in names_in(application.members, pools):
        own[name] = values(pools[name])[index]
    if not own:
        return application
    members = {name: _put(value, own) for name, value in application.members.items()}
    return replace(application, members=MappingProxyType(members))


def _put(value: Any, own: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _put(one, own) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_put(one, own) for one in value]
    if not isinstance(value, str):
        return value
    for name, text in own.items():
        if value == f"{{{name}}}":  # if it is the whole text, a number becomes an integer
            return int(text) if _WHOLE_NUMBER.fullmatch(text) else text
        value = value.replace(f"{{{name}}}", text)
    return value
