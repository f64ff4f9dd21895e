"""Definitions that are drawn from a seed, and the answers of their peers.

Each value of a definition is drawn as a pair: the text of an expression, and its value in the
instance of an index. Peers learn the index from the messages that they receive, so they know what
a definition expects. Values that no peer has to know may be drawn in the instance.
"""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from kinds.diameter.credit import avp, credit, units
from kinds.together.testbed import Params, merged
from support.scripted_scp import evaluate, expect, send

WAIT_S = 0.3  # for messages of peers, which come at once or not at all
FIRST, SECOND, USSD = 1, 2, 3  # the dialogues of an instance
NAMES = {FIRST: "A", SECOND: "B", USSD: "M"}
EVENTS = ("oAnswer", "oDisconnect")
PUSSR = "ProcessUnstructuredSSRequest"
TESTS = [
    {"kpath": "rest.code", "type": "integer", "value": 200},
    {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450},
]
LOOKUPS = (
    "$i->{DIAMETER}{response}{avp}{'Granted-Service-Unit'}{'CC-Time'}",
    "$i->{Connect}{destinationRoutingAddress_digits}",
    "$i->{REST}{content_json}{balance}",
)

Group = list[Params]  # operations that stay together


class Value(NamedTuple):
    """A value of a definition: its text there, and its value in the instance of an index.

    before: operations that must come before the operation with the value.
    """

    text: Any
    of: Callable[[int], Any]
    before: tuple[Params, ...] = ()


class Script(NamedTuple):
    """The messages of an SCP in a dialogue.

    flavour:  the kind of call.
    to:       the number it connects to; cause: of its release; seconds: that it grants.
    answer:   the text of its final answer to a USSD request.
    is_split: True if it sends two messages where one would do.
    """

    flavour: str
    to: Value
    cause: Value
    seconds: Value
    answer: Value
    is_split: bool


class Plan(NamedTuple):
    """A definition, and how its peers behave.

    sorts:    the protocols that it uses: inap, ussd, diameter, rest.
    scripts:  by dialogue: FIRST, SECOND, USSD.
    has_keys: the service key of a dialogue gives the index; otherwise the caller's number does.
    in_order: peers count dialogues instead, as there is no other way to know the index.
    odd:      share of a peer's answers that deviate.
    ways:     number of ways to answer that all pass; has_own_ways: each peer takes its own way.
    is_crowd: many instances at once.
    """

    seed: int
    operations: list[Params]
    given: Params
    sorts: frozenset[str]
    scripts: dict[int, Script]
    has_keys: bool
    in_order: bool
    instances: int
    odd: float
    ways: int
    has_own_ways: bool
    is_crowd: bool


def plan_of(seed: int) -> Plan:
    """Return the plan of a seed."""
    return _Drawing(seed).plan()


def constant(value: Any) -> Value:
    """Return a value that is the same in all instances."""
    return Value(value, lambda idx: value)


def _power(count: int) -> Callable[[int], int]:
    return lambda idx: 10 ** (idx % count)


class _Drawing:
    """The plan of one seed while it is drawn."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.given: Params = {}
        self.is_crowd = self.chance.random() < 0.2
        self.has_keys = self.chance.random() < 0.4
        self.in_order = False
        self.scripts: dict[int, Script] = {}
        self._labels = 0

    def plan(self) -> Plan:
        """Draw the plan, and return it."""
        chance = self.chance
        sorts = self._sorts()
        sequences: list[list[Group]] = []
        if "inap" in sorts:
            # The values may be constant: a peer can't read the index in them, so it counts.
            self.in_order = sorts == {"inap"} and not self.is_crowd and chance.random() < 0.2
            sequences.append(self._call(FIRST))
            if chance.random() < 0.3 and not self.in_order:
                sequences.append(self._call(SECOND))
        if "ussd" in sorts:
            sequences.append(self._ussd())
        if "diameter" in sorts:
            sequences.append(self._sessions())
        if "rest" in sorts:
            sequences.append(self._requests())
        if chance.random() < 0.4:
            between = self._between()
            if self.in_order:  # no operation may come before the call, which is counted
                sequences[0] += between
            else:
                sequences.append(between)
        operations = (
            [one for each in sequences for group in each for one in group]
            if chance.random() < 0.2
            else merged(chance, *sequences)
        )
        if self.is_crowd or chance.random() < 0.3:
            odd = chance.choice([0.0, 0.01, 0.02])
        else:
            odd = chance.choice([0.02, 0.04, 0.08])
        return Plan(
            self.seed,
            operations,
            self.given,
            frozenset(sorts),
            self.scripts,
            self.has_keys,
            self.in_order,
            chance.choice([100, 150, 250]),
            odd,
            chance.choice([1, 1, 2, 3]),
            chance.random() < 0.3,
            self.is_crowd,
        )

    def _sorts(self) -> set[str]:
        every = ["inap", "ussd", "diameter", "rest"]
        return set(self.chance.sample(every, self.chance.choice([1, 1, 2, 2, 3, 4])))

    # -- values --------------------------------------------------------------------------------

    def _variable(self, made: Any) -> str:
        name = f"v{len(self.given)}"
        self.given[name] = made
        return name

    def _number(self, most: int = 10**8) -> tuple[str, Callable[[int], int], tuple[Params, ...]]:
        """Return the source of an expression that gives a number of 1 to `most`, a function from
        the index to this number, and the operations that must come before."""
        chance = self.chance
        first, step = chance.randint(1, 9), chance.choice([1, 1, 3, 7])
        most -= 10
        forms: list[tuple[str, Callable[[int], int]]] = [
            (f"$r->{{idx}} * {step} % {most} + {first}", lambda idx: idx * step % most + first),
            (f"$r->{{idx}} % {first} + 1", lambda idx: idx % first + 1),
        ]
        powers = min(8, len(str(most)) - 1)
        if powers > 1:
            forms.append((f"10 ** ($r->{{idx}} % {powers})", _power(powers)))
        source, of = chance.choice(forms)
        how = chance.randrange(5)
        if how == 0:
            name = self._variable(f"{{{source}}}")
            return f"$v->{{{name}}}", of, ()
        if how == 1:
            name = f"e{len(self.given)}_{chance.randrange(10**6)}"
            return f"$v->{{{name}}}", of, (evaluate(f"$v->{{{name}}} = {source}"),)
        if how == 2 and most > 1500:
            name = self._variable({"$sequence": {"start": first, "step": step}})
            return f"$v->{{{name}}}", lambda idx: first + step * idx, ()
        if how == 3:
            name = self._variable(chance.randint(1, min(most, 9999)))
            number = self.given[name]
            return f"($v->{{{name}}} + 0)", lambda idx: number, ()
        return f"({source})", of, ()

    def number(self, most: int = 10**8) -> Value:
        """Return an integer of 1 to `most`, with one number of digits or with several."""
        source, of, before = self._number(most)
        return Value(f"{{{source}}}", of, before)

    def digits(self) -> Value:
        """Return digits, of one length or of several."""
        chance = self.chance
        how = chance.randrange(6)
        if how == 0:
            return constant("4329100")
        if how == 1:
            name = self._variable({"$sequence": {"start": 4329000, "step": 3, "width": 8}})
            return Value(f"{{$v->{{{name}}}}}", lambda idx: f"{4329000 + 3 * idx:08}")
        if how == 2:
            source, of, before = self._number(1000)
            return Value(f"{{sprintf('43%05d', {source})}}", lambda n: f"43{of(n):05}", before)
        if how == 3:
            text = "98765432109876"
            take = "substr('98765432109876', 0, $r->{idx} % 11 + 3)"
            return Value(f"{{{take}}}", lambda idx: text[: idx % 11 + 3])
        source, of, before = self._number()
        return Value(f"{{'43' . {source}}}", lambda idx: f"43{of(idx)}", before)

    def text(self) -> Value:
        """Return a text of 3 to 40 octets."""
        chance = self.chance
        how = chance.randrange(4)
        source, of, before = self._number()
        if how == 0:
            return Value(f"{{'user-' . {source}}}", lambda idx: f"user-{of(idx)}", before)
        if how == 1:
            most = chance.randint(5, 30)
            made = f"{{'abc' . ('x' x ($r->{{idx}} % {most})) . {source}}}"
            return Value(made, lambda idx: f"abc{'x' * (idx % most)}{of(idx)}", before)
        if how == 2:
            made = "{substr('the quick brown fox jumps over a lazy d', 0, $r->{idx} % 36 + 3)}"
            whole = "the quick brown fox jumps over a lazy d"
            return Value(made, lambda idx: whole[: idx % 36 + 3])
        return constant("somebody")

    def cause(self) -> Value:
        """Return the cause of a release."""
        how = self.chance.randrange(4)
        if how == 0:
            return Value("{$r->{idx} % 3 + 16}", lambda idx: idx % 3 + 16)
        if how == 1:
            return Value("{15 + ($r->{idx} >= 0)}", lambda idx: 16)
        return constant(16)

    # -- INAP ----------------------------------------------------------------------------------

    def _call(self, which: int) -> list[Group]:
        chance = self.chance
        flavour = chance.choice(["call", "call", "call", "charged", "short", "released"])
        still = self.in_order and chance.random() < 0.5
        to = constant("4329100") if still else self.digits()
        script = self.scripts[which] = Script(
            flavour,
            to,
            self.cause(),
            self.number(800_000) if chance.random() < 0.7 else constant(6000),
            constant(""),
            chance.random() < 0.3,
        )
        groups = [self._opening(which)]
        connects = expect("Connect", arguments={"destinationRoutingAddress_digits": to.text})
        releases = expect("ReleaseCall", arguments={"initialCallSegment_cause": script.cause.text})
        if chance.random() < 0.3:
            releases["last_component"] = 1
        if flavour == "short":
            groups.append([*to.before, connects])
        elif flavour == "released":
            groups.append([releases])
        elif flavour == "charged":
            seconds = script.seconds
            duration = {"timeDurationCharging": {"maxCallPeriodDuration": seconds.text}}
            grants = expect(
                "ApplyCharging", arguments={"aChBillingChargingCharacteristics": duration}
            )
            groups += [[*seconds.before, grants], [expect("Continue")], self._report(), [releases]]
        else:
            events = [
                {"eventTypeBCSM_name": event, "monitorMode_name": "notifyAndContinue"}
                for event in EVENTS
            ]
            arms = expect("RequestReportBCSMEvent")
            if chance.random() < 0.6:
                arms["arguments"] = {"bcsmEvents": events}
            groups += [[arms], [*to.before, connects]]
            answered = send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"})
            groups.append(self._sometimes([answered]) if chance.random() < 0.25 else [answered])
            groups += [[send("EventReportBCSM", {"eventTypeBCSM_name": "oDisconnectLeg2"})]]
            groups.append([releases])
        return [[self._in_dialogue(one, which) for one in group] for group in groups]

    def _in_dialogue(self, entry: Params, which: int) -> Params:
        kind = entry["type"]
        if not kind.startswith(("inap.", "map.")):
            return entry
        wait = {"seconds": WAIT_S} if "_from_" in kind else {}
        return {**entry, **wait, "dialogue": NAMES[which]}

    def _opening(self, which: int) -> Group:
        chance = self.chance
        called = self.digits() if chance.random() < 0.4 else constant("0800432900")
        caller: Value
        if self.in_order and chance.random() < 0.5:
            caller = constant("6421000001")
        elif self.has_keys or self.in_order:
            caller = self.digits()
        elif chance.random() < 0.5:
            name = self._variable({"$sequence": {"start": 6400000000, "step": 1, "width": 10}})
            caller = Value(f"{{$v->{{{name}}}}}", lambda idx: "")
        else:
            caller = Value("{'64' . $r->{idx}}", lambda idx: "")
        arguments: Params = {
            "serviceKey": f"{{$r->{{idx}} * 8 + {which}}}" if self.has_keys else 44 + which,
            "calledPartyNumber_digits": called.text,
            "callingPartyNumber_digits": caller.text,
            "callingPartyNumber_noa": 4,
        }
        if chance.random() < 0.3:
            arguments["eventTypeBCSM"] = 2
        if chance.random() < 0.3:
            located = self.digits()
            arguments["locationNumber_digits"] = located.text
            return [*called.before, *caller.before, *located.before, send("InitialDP", arguments)]
        return [*called.before, *caller.before, send("InitialDP", arguments)]

    def _report(self) -> Group:
        used = self.number(800_000)
        result = {
            "partyToCharge": {"receivingSideID_hex": "01"},
            "timeInformation": {"timeIfNoTariffSwitch": used.text},
            "callActive": 0,
        }
        arguments = {"callResult": {"timeDurationChargingResult": result}}
        return [*used.before, send("ApplyChargingReport", arguments)]

    # -- USSD ----------------------------------------------------------------------------------

    def _ussd(self) -> list[Group]:
        chance = self.chance
        answer = self.text()
        flavour = chance.choice(["asked", "told"])
        still = constant(0)
        self.scripts[USSD] = Script(flavour, still, still, still, answer, is_split=False)
        more = self.text()
        begins = {
            "type": f"map.hlr_to_scp.{PUSSR}",
            "arguments": {"ussdString_text": f"{{'*1' . $r->{{idx}} . '#' . {_inner(more)}}}"},
        }
        ends = {
            "type": f"map.hlr_from_scp.{PUSSR}Result",
            "arguments": {"ussdString_text": answer.text},
        }
        groups = [[*more.before, begins]]
        if flavour == "asked":
            reply = self.text()
            asks = "UnstructuredSSRequest"
            arguments = {"ussdString_text": "1: yes"}
            groups.append([{"type": f"map.hlr_from_scp.{asks}", "arguments": arguments}])
            told = {"ussdString_text": reply.text}
            replies = {"type": f"map.hlr_to_scp.{asks}Result", "arguments": told}
            groups.append([*reply.before, replies])
        groups.append([*answer.before, ends])
        return [[self._in_dialogue(one, USSD) for one in group] for group in groups]

    # -- Diameter ------------------------------------------------------------------------------

    def _sessions(self) -> list[Group]:
        chance = self.chance
        name = self._variable({"$sequence": {"start": 6421000000, "step": 1, "width": 10}})
        found: list[Group] = []
        for _ in range(chance.choice([1, 1, 2])):
            kinds = chance.choice([[1, 2, 3], [1, 3], [4], [1, 2, 2, 3]])
            found += [self._credit(kind, at, name) for at, kind in enumerate(kinds)]
        return found

    def _credit(self, kind: int, number: int, caller: str) -> Group:
        chance = self.chance
        before: list[Params] = []
        more: list[Any] = []
        if chance.random() < 0.5:
            user = self.text()
            before += user.before
            more.append(avp("User-Name", user.text))
        if kind in (1, 2, 4):
            asked = self.number(400) if chance.random() < 0.05 else constant(100)
            if chance.random() < 0.3:
                source, of, first = self._number(10**6)
                asked = Value(f"{{100 + {source}}}", lambda idx: 100 + of(idx), first)
            before += asked.before
            more.append(units("Requested-Service-Unit", asked.text))
        if kind in (2, 3):
            used = self.number(500) if chance.random() < 0.5 else constant(60)
            before += used.before
            more.append(units("Used-Service-Unit", used.text))
        if kind == 4:
            more.append(avp("Requested-Action", 0))
        made = credit(
            kind, number, *more, msisdn=f"{{$v->{{{caller}}}}}", answer={"result_code": 2001}
        )
        if chance.random() < 0.3:
            host = "response.avps.[name=Origin-Host].value"
            made["tests"] = [{"kpath": host, "value": "ocs.tsvc.invalid"}]
        return [*before, {**made, "seconds": WAIT_S}]

    # -- REST ----------------------------------------------------------------------------------

    def _requests(self) -> list[Group]:
        return [
            group for _ in range(self.chance.choice([1, 1, 2, 3])) for group in self._request()
        ]

    def _request(self) -> list[Group]:
        chance = self.chance
        before: list[Params] = []

        def take(value: Value) -> Any:
            before.extend(value.before)
            return value.text

        def inner(value: Value) -> str:
            take(value)
            return _inner(value)

        path = "{'/x/' . $r->{idx} . '/'}"
        if chance.random() < 0.5:
            path = f"{{'/x/' . $r->{{idx}} . '/' . {inner(self.digits())}}}"
        elif chance.random() < 0.3:
            path = f"{{'/x/' . $r->{{idx}} . '/' . ({chance.choice(LOOKUPS)} // 0)}}"
        arguments: Params = {"path": path, "method": "GET"}
        if chance.random() < 0.3:
            arguments["query"] = {"n": take(self.digits())}
        if chance.random() < 0.3:
            header = {"name": "X-Request-Id", "value": f"{{'id-' . {inner(self.number())}}}"}
            arguments["http_headers"] = [header]
        if chance.random() < 0.5:
            arguments["method"] = "POST"
            arguments["content_type"] = "application/json"
            arguments["content"] = {"who": take(self.text()), "of": take(self.number())}
        if chance.random() < 0.5:
            asks = {"type": "rest.Request", "arguments": arguments, "tests": TESTS}
            return [[*before, asks]]
        sends = {"type": "rest.SendRequest", "arguments": arguments}
        answered = {"type": "rest.ExpectResponse", "tests": TESTS}
        if self.is_crowd and chance.random() < 0.5:
            return [[*before, sends], [answered]]
        # The operations stay together: among messages of other gateways, the moment at which the
        # response comes would differ from run to run.
        between = [{"type": "log", "arguments": {"text": "sent"}}] if chance.random() < 0.3 else []
        return [[*before, sends, *between, answered]]

    # -- operations without a peer -------------------------------------------------------------

    def _label(self) -> str:
        self._labels += 1
        return f"on{self._labels}"

    def _sometimes(self, operations: Group) -> Group:
        """Return operations that some instances leave out."""
        label = self._label()
        step = self.chance.choice([2, 3, 7, 9])
        jump = {"type": "branch", "expression": f"$r->{{idx}} % {step} == 1", "on_true": label}
        return [jump, *operations, evaluate("1", label=label)]

    def _between(self) -> list[Group]:
        chance = self.chance
        label = self._label()
        step, at = chance.randint(7, 15), chance.randrange(7)
        jump = {
            "type": "branch",
            "expression": f"$r->{{idx}} % {step} != {at}",
            "on_true": label,
        }
        odd: Params = chance.choice(
            [
                {"type": "fail", "arguments": {"text": "{'no ' . $r->{idx}}"}},
                {"type": "log", "arguments": {"text": "another way"}},
                {"type": "pass"},
                {"type": "abort", "arguments": {"text": "enough"}},
                evaluate("1 / ($r->{idx} % 2)"),
            ]
        )
        found = [
            [evaluate("$v->{made} = $r->{idx} + int(rand(5))")],
            [{"type": "log", "arguments": {"text": "{'has ' . ($v->{made} // 0)}"}}],
            [jump, odd, evaluate("$v->{then} = rand(1)", label=label)],
            [evaluate("$v->{held} = exponential(3) + normal(2, 0.5)")],
            [evaluate(f"$v->{{seen}} = {chance.choice(LOOKUPS)} // 'none'")],
            self._sometimes([{"type": "log", "arguments": {"text": "{$r->{idx} * 2}"}}]),
        ]
        if chance.random() < 0.15:  # not eligible for the fast path
            found.append(
                [evaluate(chance.choice(["$v->{at} = time * 0", "$g->{n} = ($g->{n} // 0) + 1"]))]
            )
        return [one for one in found if chance.random() < 0.5]


def _inner(value: Value) -> str:
    """Return the source of a value for use within an expression."""
    text = str(value.text)
    return f"({text[1:-1]})" if text.startswith("{") else f"'{text}'"
