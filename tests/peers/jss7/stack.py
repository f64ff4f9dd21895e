"""jSS7 from M3UA to CAP and MAP, as one node with a point code, and short names for its factories.

`Node` is brought up by calls of jSS7's public interface, in the order of jSS7's own tools:
association, M3UA, SCCP, then one TCAP for each subsystem.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peers.jss7.bridge import Bridge, Event, JavaObject
from support.waiting import until

SS7 = "org.mobicents.protocols.ss7"
SCTP = "org.mobicents.protocols.sctp"
CALLS = f"{SS7}.cap.api.service.circuitSwitchedCall.CAPServiceCircuitSwitchedCallListener"
CAP_LISTENERS = (CALLS, f"{SS7}.cap.api.CAPDialogListener")
MAP_LISTENERS = (
    f"{SS7}.map.api.service.mobility.MAPServiceMobilityListener",
    f"{SS7}.map.api.service.callhandling.MAPServiceCallHandlingListener",
    f"{SS7}.map.api.service.supplementary.MAPServiceSupplementaryListener",
    f"{SS7}.map.api.service.sms.MAPServiceSmsListener",
    f"{SS7}.map.api.MAPDialogListener",
)
NATIONAL = 2  # network indicator
LONGEST_MS = 600_000  # no timer of jSS7 may expire before its test ends
# Called for every component, before the method of the component; for operations that got no answer
# in time and need none; for a dialogue that has ended for both users.
NOISE = ("onCAPMessage", "onMAPMessage", "onInvokeTimeout", "onDialogRelease")


class Node:
    """A node of jSS7 with the point code `pc`; its neighbour has `peer_pc`."""

    def __init__(
        self,
        folder: Path,
        port: int,
        *,
        pc: int,
        peer_pc: int,
        peer_port: int | None = None,
        sctp_port: int = 0,
        routing_context: int | None = None,
    ) -> None:
        """Without `peer_port` the node is an ASP that connects to `port`. With `peer_port`, the
        port from which its peer connects, it is a signalling gateway and listens: it accepts only
        peers whose port it knows. With `sctp_port` it is an ASP over SCTP, otherwise over TCP."""
        folder.mkdir(parents=True, exist_ok=True)
        self.java = Bridge(folder / "jss7.log")
        self.pc, self.peer_pc = pc, peer_pc
        self._folder = str(folder)
        self._remotes = 0
        self._association(port, peer_port, sctp_port)
        self._m3ua(routing_context, is_server=peer_port is not None)
        self._sccp()

    def _association(self, port: int, peer_port: int | None, sctp_port: int) -> None:
        transport = self.java.cls(f"{SCTP}.netty.NettySctpManagementImpl")("transport")
        transport.setPersistDir(self._folder)
        transport.start()
        transport.setConnectDelay(100)
        transport.removeAllResourses()
        if peer_port is not None:
            transport.addServer("server", "127.0.0.1", port, "TCP", [])
            transport.addServerAssociation("127.0.0.1", peer_port, "server", "link", "TCP")
            transport.startServer("server")
        else:
            kind = "SCTP" if sctp_port else "TCP"
            ends = ("127.0.0.1", sctp_port, "127.0.0.1", port)
            transport.addAssociation(*ends, "link", kind, [])
        self.transport = transport

    def _m3ua(self, routing_context: int | None, *, is_server: bool) -> None:
        m3ua = self.java.cls(f"{SS7}.m3ua.impl.M3UAManagementImpl")("m3ua", "tests")
        m3ua.setPersistDir(self._folder)
        m3ua.setTransportManagement(self.transport)
        m3ua.start()
        m3ua.removeAllResourses()
        role = "SGW" if is_server else "AS"
        context = None
        if routing_context is not None:
            made = self.java.cls(f"{SS7}.m3ua.impl.parameter.ParameterFactoryImpl")()
            context = made.createRoutingContext([routing_context])
        m3ua.createAs("as", role, "SE", None, context, None, 1, None)
        m3ua.createAspFactory("asp", "link")
        self.asp = m3ua.assignAspToAs("as", "asp")
        m3ua.addRoute(self.peer_pc, -1, -1, "as")
        self.m3ua = m3ua

    def _sccp(self) -> None:
        sccp = self.java.cls(f"{SS7}.sccp.impl.SccpStackImpl")("sccp")
        sccp.setPersistDir(self._folder)
        sccp.setMtp3UserPart(1, self.m3ua)
        sccp.start()
        sccp.removeAllResourses()
        sccp.getRouter().addMtp3ServiceAccessPoint(1, 1, self.pc, NATIONAL, 0)
        sccp.getRouter().addMtp3Destination(1, 1, self.peer_pc, self.peer_pc, 0, 255, 255)
        sccp.getSccpResource().addRemoteSpc(1, self.peer_pc, 0, 0)
        self.sccp = sccp

    def _tcap(self, kind: str, ssn: int) -> JavaObject:
        name = f"{SS7}.{kind.lower()}.{kind}StackImpl"
        stack = self.java.cls(name)(kind, self.sccp.getSccpProvider(), ssn)
        stack.getTCAPStack().setPersistDir(self._folder)
        stack.start()
        stack.getTCAPStack().setDialogIdleTimeout(LONGEST_MS)
        stack.getTCAPStack().setInvokeTimeout(LONGEST_MS // 2)
        return stack

    def cap(self, ssn: int, remote_ssn: int) -> "Cap":
        """Bring CAP up on a subsystem number."""
        self._know(remote_ssn)
        return Cap(self, self._tcap("CAP", ssn).getCAPProvider(), ssn, remote_ssn)

    def map(self, ssn: int, remote_ssn: int) -> "Map":
        """Bring MAP up on a subsystem number."""
        self._know(remote_ssn)
        return Map(self, self._tcap("MAP", ssn).getMAPProvider(), ssn, remote_ssn)

    def _know(self, remote_ssn: int) -> None:
        """Allow SCCP to send to a subsystem of the peer."""
        self._remotes += 1
        resource = self.sccp.getSccpResource()
        resource.addRemoteSsn(self._remotes, self.peer_pc, remote_ssn, 0, False)

    def tcap(self, ssn: int, remote_ssn: int) -> JavaObject:
        """Bring TCAP up on a subsystem number, with nothing above it; return its provider."""
        self._know(remote_ssn)
        name = f"{SS7}.tcap.TCAPStackImpl"
        stack = self.java.cls(name)("TCAP", self.sccp.getSccpProvider(), ssn)
        stack.setPersistDir(self._folder)
        stack.start()
        provider: JavaObject = stack.getProvider()
        provider.addTCListener(self.java.listener(f"{SS7}.tcap.api.TCListener"))
        return provider

    def start(self) -> None:
        """Open the association, or accept the peer's."""
        self.m3ua.startAsp("asp")

    def until_active(self) -> None:
        """Wait until traffic may flow."""
        until(lambda: self.asp.getState() == "ACTIVE")

    def address(self, pc: int, ssn: int) -> JavaObject:
        """Return an SCCP address that is routed on its subsystem number."""
        factory = self.java.cls(f"{SS7}.sccp.impl.parameter.ParameterFactoryImpl")()
        on_ssn = "ROUTING_BASED_ON_DPC_AND_SSN"
        found: JavaObject = factory.createSccpAddress(on_ssn, None, pc, ssn)
        return found

    def send_octets(self, octets: bytes, ssn: int, remote_ssn: int) -> None:
        """Send octets in a UDT between two subsystems, without TCAP."""
        provider = self.sccp.getSccpProvider()
        to, own = self.address(self.peer_pc, remote_ssn), self.address(self.pc, ssn)
        make = provider.getMessageFactory()
        provider.send(make.createDataMessageClass0(to, own, octets, ssn, False, None, None))

    def stop(self) -> None:
        """End the process."""
        self.java.stop()


def raw_invoke(
    tcap: JavaObject, dialog: JavaObject, code: int, octets: bytes = b"", id: int = 0
) -> None:
    """Queue an invoke of class 2. `octets`: a complete short element of BER, or empty.

    `dialog` is a dialogue of TCAP. The id is new unless `id` gives one.
    """
    factory = tcap.getComponentPrimitiveFactory()
    invoke = factory.createTCInvokeRequest("Class2")
    invoke.setInvokeId(id or dialog.getNewInvokeId())
    operation = factory.createOperationCode()
    operation.setLocalOperationCode(code)
    invoke.setOperationCode(operation)
    if octets:
        parameter = factory.createParameter()
        parameter.setTagClass(octets[0] >> 6)
        parameter.setPrimitive(not octets[0] & 0x20)
        parameter.setTag(octets[0] & 0x1F)
        parameter.setData(octets[2:])
        invoke.setParameter(parameter)
    dialog.sendComponent(invoke)


class User:
    """Common to CAP and MAP: a provider, its factory of values, its events."""

    def __init__(self, node: Node, provider: JavaObject, ssn: int, remote_ssn: int) -> None:
        self.node, self.provider = node, provider
        self.ssn, self.remote_ssn = ssn, remote_ssn

    def take(self, name: str) -> Any:
        """Return the first argument of the next event, which must have this name."""
        return self.node.java.take(f"on{name}", past=NOISE).args[0]

    def next(self) -> Event:
        """Return the next event."""
        return self.node.java.next(NOISE)

    def take_begin(self, name: str) -> tuple[JavaObject, JavaObject]:
        """Return a dialogue that the peer begins with an operation, and its request."""
        dialog = self.take("DialogRequest")
        request = self.take(f"{name}Request")
        self.take("DialogDelimiter")
        return dialog, request

    def ends(self) -> tuple[JavaObject, JavaObject]:
        """Return the addresses of our dialogue: local, remote."""
        node = self.node
        return node.address(node.pc, self.ssn), node.address(node.peer_pc, self.remote_ssn)


class Cap(User):
    """CAP of a node: its factories of values, and its events."""

    def __init__(self, node: Node, provider: JavaObject, ssn: int, remote_ssn: int) -> None:
        super().__init__(node, provider, ssn, remote_ssn)
        self.make: JavaObject = provider.getCAPParameterFactory()
        self.make_isup: JavaObject = provider.getISUPParameterFactory()
        self.make_inap: JavaObject = provider.getINAPParameterFactory()
        self.make_error: JavaObject = provider.getCAPErrorMessageFactory()
        self.tcap: JavaObject = provider.getTCAPProvider()
        self.service = provider.getCAPServiceCircuitSwitchedCall()
        listener = node.java.listener(*CAP_LISTENERS)
        provider.addCAPDialogListener(listener)
        self.service.addCAPServiceListener(listener)
        self.service.acivate()

    def begin(self, context: str) -> JavaObject:
        """Return a dialogue of ours, which begins with the first message that is sent."""
        contexts = self.node.java.cls(f"{SS7}.cap.api.CAPApplicationContext")
        found: JavaObject = self.service.createNewDialog(contexts.valueOf(context), *self.ends())
        return found

    # -- values ------------------------------------------------------------------------------

    def sending(self, leg: int) -> JavaObject:
        """Return the LegID of a leg in an operation of an SCP."""
        found: JavaObject = self.make_inap.createLegID(True, f"leg{leg}")
        return found

    def events(self, modes: Mapping[tuple[str, int], str]) -> list[JavaObject]:
        """Return BCSM events from {(event, leg): monitor mode}."""
        return [
            self.make.createBCSMEvent(event, mode, self.sending(leg), None, False)
            for (event, leg), mode in modes.items()
        ]

    def cause(self, value: int) -> JavaObject:
        """Return a cause of the local public network, after ITU-T Q.850."""
        indicators = self.make_isup.createCauseIndicators()
        indicators.setCodingStandard(0)
        indicators.setLocation(2)
        indicators.setCauseValue(value)
        found: JavaObject = self.make.createCauseCap(indicators)
        return found

    def called(self, digits: str) -> JavaObject:
        """Return a called party number, national and of E.164."""
        number = self.make_isup.createCalledPartyNumber()
        number.setNatureOfAddresIndicator(3)
        number.setNumberingPlanIndicator(1)
        number.setInternalNetworkNumberIndicator(1)
        number.setAddress(digits)
        found: JavaObject = self.make.createCalledPartyNumberCap(number)
        return found

    def connect(self, dialog: JavaObject, digits: str) -> None:
        """Queue a Connect to a number."""
        to = self.make.createDestinationRoutingAddress([self.called(digits)])
        nothing = [None] * 12
        dialog.addConnectRequest(to, *nothing, False, False, False, None, False, False)

    def charge(self, dialog: JavaObject, seconds: int, cap_phase: int) -> None:
        """Queue an ApplyCharging for the first leg; 2 ≤ `cap_phase` ≤ 4."""
        limit = self.make.createCAMELAChBillingChargingCharacteristics(
            seconds * 10, False, None, None, None, cap_phase
        )
        dialog.addApplyChargingRequest(limit, self.make.createSendingSideID("leg1"), None, None)

    def prompt(self, dialog: JavaObject, message: int, digits: int) -> None:
        """Queue a PromptAndCollectUserInformation for a number of digits."""
        made = self.make.createMessageID(message)
        information = self.make.createInformationToSend(
            self.make.createInbandInfo(made, 1, None, None)
        )
        collected = self.make.createCollectedInfo(
            self.make.createCollectedDigits(
                digits, digits, None, None, None, None, None, "stdErrorAndInfo", None, None, None
            )
        )
        dialog.addPromptAndCollectUserInformationRequest(
            collected, True, information, None, None, None
        )

    def initial_dp(self, dialog: JavaObject, service_key: int, called: str) -> None:
        """Queue an InitialDP, at collectedInfo."""
        number = self.called(called)
        unused = [None] * 7, [None] * 8
        dialog.addInitialDPRequest(
            service_key,
            number,
            *[None] * 10,
            "collectedInfo",
            *unused[0],
            False,
            *unused[1],
            False,
            None,
        )

    def digits(self, digits: str) -> JavaObject:
        """Return digits that a caller dialled, as ISUP generic digits in BCD."""
        made = self.make_isup.createGenericDigits()
        made.setDecodedDigits(len(digits) % 2, digits)
        found: JavaObject = self.make.createDigits_GenericDigits(made)
        return found

    def generic_number(self, digits: str) -> JavaObject:
        """Return digits as an ISUP generic number, national and of E.164."""
        made = self.make_isup.createGenericNumber()
        made.setNatureOfAddresIndicator(3)
        made.setNumberingPlanIndicator(1)
        made.setAddress(digits)
        found: JavaObject = self.make.createDigits_GenericNumber(made)
        return found

    def report(self, dialog: JavaObject, event: str, leg: int, specific: Any, mode: str) -> None:
        """Queue an event report: notification or request, with its specific information."""
        information = self.make.createEventSpecificInformationBCSM(specific) if specific else None
        dialog.addEventReportBCSMRequest(
            event,
            information,
            self.make.createReceivingSideID(f"leg{leg}"),
            self.make_inap.createMiscCallInfo(mode, None),
            None,
        )

    def raw_invoke(self, dialog: JavaObject, code: int, octets: bytes = b"", id: int = 0) -> None:
        """Queue an invoke, as the function raw_invoke() does."""
        raw_invoke(self.tcap, dialog.getTcapDialog(), code, octets, id)

    def problem(self, kind: str, name: str) -> JavaObject:
        """Return the problem of a Reject: kind Invoke, ReturnResult, ReturnError or General."""
        made: JavaObject = self.tcap.getComponentPrimitiveFactory().createProblem(kind)
        getattr(made, f"set{kind}ProblemType")(name)
        return made


class Map(User):
    """MAP of a node: mobility, call handling, supplementary services (USSD) and short messages."""

    def __init__(self, node: Node, provider: JavaObject, ssn: int, remote_ssn: int) -> None:
        super().__init__(node, provider, ssn, remote_ssn)
        self.make: JavaObject = provider.getMAPParameterFactory()
        self.make_error: JavaObject = provider.getMAPErrorMessageFactory()
        listener = node.java.listener(*MAP_LISTENERS)
        provider.addMAPDialogListener(listener)
        for name in ("Mobility", "CallHandling", "Supplementary", "Sms"):
            service = getattr(provider, f"getMAPService{name}")()
            service.addMAPServiceListener(listener)
            service.acivate()

    def begin(self, service: str, context: str, version: int) -> JavaObject:
        """Return a dialogue of ours, which begins with the first message that is sent."""
        contexts = self.node.java.cls(f"{SS7}.map.api.MAPApplicationContext")
        names = self.node.java.cls(f"{SS7}.map.api.MAPApplicationContextName")
        versions = self.node.java.cls(f"{SS7}.map.api.MAPApplicationContextVersion")
        made = contexts.getInstance(names.valueOf(context), versions.valueOf(f"version{version}"))
        local, remote = self.ends()
        with_service = getattr(self.provider, f"getMAPService{service}")()
        found: JavaObject = with_service.createNewDialog(made, local, None, remote, None)
        return found

    def number(self, digits: str) -> JavaObject:
        """Return an international number of E.164."""
        found: JavaObject = self.make.createISDNAddressString(
            "international_number", "ISDN", digits
        )
        return found

    def text(self, text: str) -> tuple[JavaObject, JavaObject]:
        """Return a USSD text and its data coding scheme, in the alphabet of TS 23.038."""
        scheme = self.node.java.cls(f"{SS7}.map.datacoding.CBSDataCodingSchemeImpl")(15)
        return scheme, self.make.createUSSDString(text, scheme, None)
