"""python -m tests.fuzz TARGET [options of libFuzzer] (make fuzz). Needs atheris.

The corpus is in build/fuzz/TARGET; at first it has messages of our own encoders. An input that
fails is written next to it.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["tsvc"]):
    from fuzz.targets import SEEDS, TARGETS

_CORPUS = Path(__file__).parents[2] / "build" / "fuzz"


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in TARGETS:
        known = ", ".join(TARGETS)
        sys.exit(f"usage: python -m tests.fuzz TARGET [-max_total_time=60 …]; one of {known}")
    folder = _CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (folder / f"seed{number}").write_bytes(seed)
    # Failing inputs are stored next to the corpus, not in it.
    arguments = [sys.argv[0], f"-artifact_prefix={folder}-", *sys.argv[2:], str(folder)]
    atheris.Setup(arguments, TARGETS[name])
    atheris.Fuzz()


main()
