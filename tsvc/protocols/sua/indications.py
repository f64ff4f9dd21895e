"""What an SUA association tells its user, where that is more than an M3UA association does.

Both are special cases of what M3UA tells: who knows M3UA only still understands them.
"""

from dataclasses import dataclass

from tsvc.protocols.m3ua.indications import DataInd, DestinationInd
from tsvc.protocols.sua.connectionless import Connectionless


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitdataInd(DataInd):
    """A CLDT or CLDR arrived: N-UNITDATA or N-NOTICE indication."""

    message: Connectionless


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsystemInd(DestinationInd):
    """An SNM message that speaks about one subsystem of these nodes, not about the nodes.

    `smi`: the subsystem multiplicity indicator as it came; None if there was none.
    """

    ssn: int
    smi: int | None = None
