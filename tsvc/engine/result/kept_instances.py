"""The instances of a run that are kept in detail: one of each cause of a failure, the slowest."""

from collections.abc import Callable
from typing import cast

from tsvc import turns
from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import FailureGroup, InstanceState
from tsvc.log import get_logger
from tsvc.operations.fast_path.contract import Replayed

MAX_KEPT = 20  # of those that failed, and of those that were aborted
SLOWEST = 10

log = get_logger("kept")

# State of an instance, index of the operation, and the reason without values.
Cause = tuple[InstanceState, int | None, str]


class KeptInstances:
    """The kept instances of one run. `fails` and `aborts`: the first instance of each cause.

    Replayed instances among the slowest become ordinary ones on request: `ordinary` makes one.
    """

    def __init__(self) -> None:
        self.fails: dict[Cause, Instance] = {}
        self.aborts: dict[Cause, Instance] = {}
        self.ordinary: Callable[[Replayed], Instance] | None = None  # None: nothing is replayed
        self._slowest: list[Instance | Replayed] = []

    def keep(self, found: dict[Cause, Instance], group: FailureGroup, instance: Instance) -> None:
        """Keep an instance in `found`, fails or aborts, if it is the first of its cause."""
        if group.count == 1 and len(found) < MAX_KEPT:
            instance.keep_records()
            found[group.state, group.position, group.cause] = instance

    def keep_slow(self, instance: Instance | Replayed, duration: float) -> None:
        """Keep an instance if it is one of the slowest by now. `duration`: in seconds."""
        slowest = self._slowest
        if len(slowest) == SLOWEST:
            if duration <= slowest[-1].finished_at - slowest[-1].started_at:
                return
            slowest.pop()
        at = 0
        while at < len(slowest) and slowest[at].finished_at - slowest[at].started_at >= duration:
            at += 1
        if not isinstance(instance, Instance) and instance.carriers_spoke():
            shown = self._shown(instance)  # links soon forget their own messages
            if shown is None:
                return
            instance = shown
        if isinstance(instance, Instance):
            instance.keep_records()
        slowest.insert(at, instance)

    @property
    def slowest(self) -> list[Instance]:
        """The slowest instances; ordinary ones are made now for those that were replayed.

        Blocks: for turns of others, if yielding is enabled.
        """
        while self.ordinary is not None:
            replayed = next((one for one in self._slowest if not isinstance(one, Instance)), None)
            if replayed is None:
                break
            at = self._slowest.index(replayed)
            shown = self._shown(replayed)
            self._slowest[at : at + 1] = [] if shown is None else [shown]
            turns.walked(turns.PORTION)
        return cast("list[Instance]", [*self._slowest])

    @slowest.setter
    def slowest(self, instances: list[Instance]) -> None:
        self._slowest = [*instances]

    def _shown(self, replayed: Replayed) -> Instance | None:
        """Return the ordinary instance of a replayed one, None if it can't be made.

        That is an internal failure: it is logged, and the result has one instance less.
        """
        assert self.ordinary is not None
        try:
            return self.ordinary(replayed)
        except Exception as error:  # noqa: BLE001 - a result must be had whatever is wrong with it
            log.failure("a replayed instance can't be shown", error, idx=replayed.idx)
            return None

    def of_causes(self) -> list[Instance]:
        """Return the failed instances, then the aborted ones."""
        return [*self.fails.values(), *self.aborts.values()]

    def let_go(self) -> None:
        """Forget all instances, and the function that makes ordinary ones."""
        self.fails, self.aborts, self._slowest = {}, {}, []
        self.ordinary = None
