"""The state of one ASP in each routing context of its association."""

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua import answers, messages, params
from tsvc.protocols.m3ua.asp import AspState, Role, RoutingContext
from tsvc.protocols.m3ua.messages import Message


class Contexts:
    """Routing contexts and their states; without any, a single nameless context.

    Contexts are configured, or added and removed by registration. An ASP or IPSP without
    configured contexts takes any context that its peer names as its own. An SGP refuses unknown
    contexts.
    """

    def __init__(self, configured: tuple[int, ...], role: Role) -> None:
        contexts: tuple[RoutingContext, ...] = configured or (None,)
        self._takes_any = not configured and role is not Role.SGP
        self.states: dict[RoutingContext, AspState] = dict.fromkeys(contexts, AspState.DOWN)
        self.best = AspState.DOWN

    def enter(self, states: dict[RoutingContext, AspState]) -> dict[RoutingContext, AspState]:
        """Set new states; return those that have changed."""
        moved = {
            context: state
            for context, state in states.items()
            if state is not self.states[context]
        }
        self.states.update(moved)
        self.best = max(self.states.values())
        return moved

    def add(self, context: int) -> None:
        """Add a registered context in the state DOWN; it replaces the nameless one."""
        self.states.setdefault(context, AspState.DOWN)
        self.states.pop(None, None)

    def remove(self, context: int) -> None:
        """Remove a context; the last one is replaced by a nameless one in the same state."""
        state = self.states.pop(context, AspState.DOWN)
        if not self.states:
            self.states[None] = state
        self.best = max(self.states.values())

    def about(self, message: Message) -> tuple[tuple[RoutingContext, ...], tuple[int, ...]]:
        """Return the contexts of ours that a message is about, and unknown ones that it names."""
        named = message.get(params.ROUTING_CONTEXT)
        is_maintenance = message.message_class == messages.ASPUP[0]
        if named is None or self._takes_any or is_maintenance:
            return tuple(self.states), ()
        known = tuple(context for context in named if context in self.states)
        return known, tuple(context for context in named if context not in self.states)

    def state_for_data(self, context: int | None) -> AspState:
        """Return the state that decides about received DATA. Errors: Refused: wrong context."""
        if context is None:
            return self.best
        state = self.states.get(context)
        if state is None:
            if not self._takes_any:
                raise answers.invalid_contexts((context,))
            return self.best
        return state

    def active(self, context: int | None) -> int | None:
        """Return the context to send DATA in: the given one, or the first active one.

        Errors: LocalProtocolError if the given one is not active, or none is.
        """
        if context is not None:
            if self.states.get(context) is not AspState.ACTIVE:
                raise LocalProtocolError(f"not active for routing context {context}", path="DATA")
            return context
        for candidate, state in self.states.items():
            if state is AspState.ACTIVE:
                return candidate
        raise LocalProtocolError(f"the ASP is {self.best.name}, not ACTIVE", path="DATA")
