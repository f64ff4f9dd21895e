"""sigtran in a soak: the loopback and the link to the SCP, which the world has anyway."""

from soak.kind import SoakKind

SOAK = SoakKind(held=("dialogues",))
