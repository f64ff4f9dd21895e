"""Our transaction ids: all of them, or the range of one of several processes.

The top 11 bits of an id are the number of a process of the cluster. So two processes never begin
transactions with the same id, whatever their addresses are, and an id shows which process has it.
"""

from tsvc.values import dataclass

_SPACE = 1 << 32
PROCESSES = 1 << 11
"""The number of processes that can have a range."""


@dataclass(frozen=True, slots=True)
class IdRange:
    """`count` ids, beginning with `first`."""

    first: int = 0
    count: int = _SPACE

    @classmethod
    def of_process(cls, number: int) -> "IdRange":
        """Return the range of a process. Errors: ValueError for a number that has none."""
        if not 0 <= number < PROCESSES:
            raise ValueError(f"{PROCESSES} processes have transaction ids, so not number {number}")
        count = _SPACE // PROCESSES
        return cls(number * count, count)

    @property
    def references(self) -> "IdRange":
        """The range of SCCP segmentation references (24 bits) that goes with this range."""
        return IdRange(self.first >> 8, self.count >> 8)

    @property
    def label(self) -> tuple[int, int, int] | None:
        """The lowest and the highest of the bits that all ids share, and the value of these bits;
        None if they share none.
        """
        lowest = self.count.bit_length() - 1
        return None if 1 << lowest == _SPACE else (lowest, 31, self.first >> lowest)

    def nth(self, number: int) -> int:
        """Return the id at a position in the range; positions past the end wrap around."""
        return self.first + number % self.count

    def after(self, tid: int) -> int:
        """Return the id that follows `tid` in the range."""
        return self.nth(tid - self.first + 1)


ALL_IDS = IdRange()


def process_of(tid: bytes) -> int:
    """Return the number of the process that has an id; some peers drop leading zeros."""
    return int.from_bytes(tid) * PROCESSES // _SPACE
