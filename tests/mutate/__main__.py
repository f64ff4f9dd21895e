"""python -m tests.mutate (make mutate): exit 1 if a mutant passes that survivors.txt does not
explain, or an unchanged run does not pass. With names of mutants: plays these, and shows them.
"""

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

from mutate import report
from mutate.campaign import Campaign, campaign
from mutate.play import Altered, Outcome, play, play_altered


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate")
    parser.add_argument("--mutants", type=int, default=20_000, help="of definitions")
    parser.add_argument("--messages", type=int, default=4_000, help="of what the SCP sends")
    parser.add_argument("--unchanged", type=int, default=20_000, help="runs as they are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    logging.disable(logging.ERROR)  # aborts are what is wanted here
    with (
        tempfile.TemporaryDirectory(prefix="tsvc-mutate-") as folder,
        campaign(Path(folder)) as made,
    ):
        if options.names:
            return max(_show(made, name) for name in options.names)
        return max(_mutants(made, options), _unchanged(made, options.unchanged))


def _show(made: Campaign, name: str) -> int:
    one = made.named(name)
    if isinstance(one, Altered):
        outcome = play_altered(made.lines[one.subject.world], one)
    else:
        (outcome,) = play(made.daemons, [one])
        print(report.difference(one.subject.definition, one.definition))
    print(f"{outcome.name}: {outcome.verdict}")
    return int(bool(report.unexplained([outcome])))


def _mutants(made: Campaign, options: argparse.Namespace) -> int:
    begun = time.monotonic()
    mutants = made.mutants(options.mutants, options.seed)
    messages = made.altered(options.messages, options.seed)
    outcomes: list[Outcome] = []
    for one in made.play(mutants, messages):
        outcomes.append(one)
        if len(outcomes) % 1000 == 0:
            print(f"{len(outcomes)} after {time.monotonic() - begun:.0f} s", flush=True)
    print(report.table(outcomes))
    definitions = {one.name: one for one in mutants}
    bad = report.unexplained(outcomes)
    for one in bad:
        print(f"SURVIVED {one.name}")
        if one.name in definitions:
            mutant = definitions[one.name]
            print(report.difference(mutant.subject.definition, mutant.definition))
    survivors = sum(one.survived for one in outcomes)
    score = 100 * (1 - len(bad) / max(len(outcomes), 1))
    print(
        f"{len(outcomes)} mutants, seed {options.seed}: score {score:.2f} %, {survivors} passed,"
        f" {len(bad)} of them unexplained; {time.monotonic() - begun:.0f} s"
    )
    return int(bool(bad))


def _unchanged(made: Campaign, count: int) -> int:
    played = right = 0
    for name, instances, passed in made.unchanged(count):
        played, right = played + instances, right + passed
        if passed != instances:
            print(f"NOT PASSED {name}: {instances - passed} of {instances} as they are")
    print(f"{played} unchanged: {right} passed")
    return int(played != right)


if __name__ == "__main__":
    sys.exit(main())
