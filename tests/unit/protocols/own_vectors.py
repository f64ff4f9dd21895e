"""Our own vectors of INAP, CAP and MAP: one file for each operation."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tsvc.protocols.ros import OperationSet


@dataclass(frozen=True)
class Vector:
    """One of our own vectors, in one variant. `component`: invoke, result."""

    operation: Any
    id: str
    component: str
    variant: str
    given: dict[str, Any]
    octets: bytes | None

    def __str__(self) -> str:
        return f"{self.operation.name}-{self.component}-{self.id}-{self.variant}"

    def encode(self, args: dict[str, Any]) -> bytes | None:
        if self.component == "result":
            return self.operation.encode_result(args, self.variant)
        return self.operation.encode_argument(args, self.variant)

    def decode(self, octets: bytes | None, notes: list[Any]) -> dict[str, Any]:
        if self.component == "result":
            return self.operation.decode_result(octets, self.variant, notes)
        return self.operation.decode_argument(octets, self.variant, notes)

    @property
    def type(self) -> Any:
        if self.component == "result":
            return self.operation.result_in(self.variant)
        return self.operation.argument_in(self.variant)


def vectors_in(folder: Path, operations: OperationSet) -> list[Vector]:
    found = []
    for path in sorted(folder.glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))
        operation = operations.required(text["operation"])
        for item in text["vectors"]:
            octets = None if item["hex"] is None else bytes.fromhex(item["hex"])
            found += [
                Vector(operation, item["id"], item["component"], variant, item["given"], octets)
                for variant in item["variants"]
            ]
    return found


def give(metafunc: pytest.Metafunc, read: Callable[[], list[Vector]]) -> None:
    """Parametrize tests that use `own_vectors` or `dissected` with all vectors of `read`."""
    if "own_vectors" in metafunc.fixturenames:
        metafunc.parametrize("own_vectors", [read()], ids=["all"])
    if "dissected" in metafunc.fixturenames:
        metafunc.parametrize("dissected", [read()], ids=["all"], indirect=True)
