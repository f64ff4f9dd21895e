"""The names that are declared in each block, and the slot of each `my` variable."""

from tsvc.expr.syntax import FIRST_FREE_SLOT, FIRST_SLOT, SECOND_SLOT, TOPIC_SLOT, Slot

ROOTS = ("v", "i", "g", "r")
_SPECIAL = {"$_": TOPIC_SLOT, "$a": FIRST_SLOT, "$b": SECOND_SLOT}


class Blocks:
    """A stack of blocks. A variable is visible from the statement after its declaration on."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Slot]] = [{}]
        self._pending: list[dict[str, Slot]] = [{}]
        self._next = FIRST_FREE_SLOT
        self._is_used = False
        self.hashes: set[int] = set()  # positions of braces after map, grep or sort: hashes
        self.tr_signs = 0  # in the ranges of tr///

    @property
    def slot_count(self) -> int:
        """The number of slots that an evaluation needs."""
        return self._next if self._is_used else 0

    def enter(self) -> None:
        """Open a block."""
        self._blocks.append({})
        self._pending.append({})
        self._is_used = True

    def leave(self) -> None:
        """Close the innermost block."""
        self._blocks.pop()
        self._pending.pop()

    def declare(self, sigil: str, name: str) -> Slot:
        """Declare a `my` variable of the innermost block."""
        slot = Slot(self._next, sigil)
        self._next += 1
        self._is_used = True
        self._pending[-1][sigil + name] = slot
        return slot

    def end_statement(self) -> None:
        """Make the declarations of the statement just parsed visible."""
        self._blocks[-1].update(self._pending[-1])
        self._pending[-1].clear()

    def find(self, sigil: str, name: str) -> Slot | None:
        """Return a variable's slot, None if it is not declared."""
        full = sigil + name
        for block in reversed(self._blocks):
            if full in block:
                return block[full]
        if full in _SPECIAL:
            self._is_used = True
            return Slot(_SPECIAL[full], "$")
        return None

    def topic(self) -> Slot:
        """Return $_."""
        self._is_used = True
        return Slot(TOPIC_SLOT, "$")
