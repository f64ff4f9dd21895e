"""A service with a Diameter application and the fake OCS, and helpers of their tests."""

from functools import partial

from kinds.diameter.credit import credit
from support.daemons import Daemon

from tsvc.kinds.diameter.fake import OcsFake

NUMBER = "6421000001"


OCS = "ocs.tsvc.invalid"


class TwistedOcs(OcsFake):
    """An OCS; `twist` takes the octets of an answer and returns the messages to send."""

    def __init__(self, *args, **settings):
        self.untwist()
        super().__init__(*args, **settings)

    def untwist(self):
        self.twist = lambda octets: [octets]

    def _answer(self, connection, request, is_cut):
        peer = connection.peer
        plain = partial(type(peer).answer, peer)  # not twisted, for later requests of the peer too

        def answer(header, avps, *, is_error=False):
            octets = plain(header, avps, is_error=is_error)
            peer._outgoing.remove(octets)
            for message in self.twist(octets):
                peer.send_raw(message)

        peer.answer = answer
        super()._answer(connection, request, is_cut)


class World(Daemon):
    """A service with one Diameter application, and the OCS that it is connected to."""

    def __init__(self, folder, members, settings):
        self.ocs = TwistedOcs("127.0.0.1", 0, **{"subscribers": {NUMBER: 250}, **settings})
        self.ocs.start()
        host, port = self.ocs.address
        given = {
            "remote_host": host,
            "remote_port": port,
            "origin_host": "tester.example.net",
            "reconnect_interval_s": 0.1,
            **members,
        }
        super().__init__(folder, {"DIA": ("diameter", given)})
        self.gateway = self.gateway_of("diameter")
        self.until_up()

    def stop(self):
        self.ocs.untwist()  # otherwise stop() waits two seconds for the answer to its DPR
        super().stop()
        self.ocs.stop()

    def execute(self, *operations, **params):
        return super().execute(*operations, **{"run_id": "r", **params})

    start = execute

    def resume(self, run_id="r"):
        super().resume(run_id)

    def finish(self, run_id="r"):
        result = super().finish(run_id)
        sessions = self.gateway.sessions
        assert sessions._registered == sessions._owners == {}
        return result

    def problems(self, *operations):
        found = self.ask("ValidateTest", operations=list(operations))["result"]["problems"]
        return {one["path"]: (one["severity"], one["text"]) for one in found}


def play_watchdog_interval(connection):
    """End the interval of a connection's watchdog, which asks the peer, or gives it up."""
    peer = connection.peer
    before = peer.state
    while peer.state is before:  # received octets start the interval again
        connection.driver.handle(peer.handle_timer(peer.next_timer()))


def ccr(kind, *avps, arguments=(), **more):
    msisdn = "{$v->{msisdn} // ''}"
    return {**credit(kind, "0", *avps, msisdn=msisdn, **dict(arguments)), **more}


VARS = {"msisdn": NUMBER}


def checks(result, level="fail"):
    log = result["first_call_summary"]["check_log"]
    return [entry["text"] for entry in log if entry["level"] == level]


def reason(result):
    return result["first_call_summary"]["reason"]
