"""What the tests of MAP share: our own vectors."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tsvc.protocols.map.operation import OPERATIONS, MapOperation

VECTORS = Path(__file__).parent / "vectors"


@dataclass(frozen=True)
class Vector:
    """One of our own vectors, in one version of MAP."""

    operation: MapOperation
    id: str
    component: str
    variant: str
    given: dict[str, Any]
    octets: bytes

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


def own_vectors() -> list[Vector]:
    found = []
    for path in sorted(VECTORS.glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))
        operation = OPERATIONS.get(text["operation"])
        assert operation is not None, path
        for item in text["vectors"]:
            octets = bytes.fromhex(item["hex"])
            found += [
                Vector(operation, item["id"], item["component"], variant, item["given"], octets)
                for variant in item["variants"]
            ]
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "own_vectors" in metafunc.fixturenames:
        metafunc.parametrize("own_vectors", [own_vectors()], ids=["all"])
    if "dissected" in metafunc.fixturenames:
        metafunc.parametrize("dissected", [own_vectors()], ids=["all"], indirect=True)
