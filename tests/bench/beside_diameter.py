"""The cost of the same Credit-Control-Request with python-diameter, in a separate process.

    python tests/bench/beside_diameter.py PORT ROUNDS CALLS

The node connects to the server at PORT; eight threads build a CCR each time, send it, wait for
its answer and check Result-Code. It prints JSON: microseconds of CPU per call, of all threads.
"""

import itertools
import json
import sys
import threading
import time

from diameter.message.avp.grouped import (
    MultipleServicesCreditControl,
    PsInformation,
    RequestedServiceUnit,
    ServiceInformation,
    SubscriptionId,
)
from diameter.message.commands.credit_control import CreditControlRequest
from diameter.message.constants import APP_DIAMETER_CREDIT_CONTROL_APPLICATION as CREDIT_CONTROL
from diameter.node import Node
from diameter.node.application import SimpleThreadingApplication
from measures import expect, spread

HOST, REALM = "beside.tsvc.invalid", "tsvc.invalid"
SERVER = "ocs.tsvc.invalid"
THREADS = 8


def request(number: int) -> CreditControlRequest:
    """Return the request of bench_diameter.py, built by this library."""
    made = CreditControlRequest()
    made.session_id = f"{HOST};1;{number}"
    made.origin_host = HOST.encode()
    made.origin_realm = REALM.encode()
    made.destination_realm = REALM.encode()
    made.auth_application_id = CREDIT_CONTROL
    made.service_context_id = "32251@3gpp.org"
    made.cc_request_type = 1
    made.cc_request_number = 0
    made.subscription_id = [
        SubscriptionId(subscription_id_type=0, subscription_id_data="6421000001")
    ]
    made.multiple_services_indicator = 1
    made.multiple_services_credit_control = [
        MultipleServicesCreditControl(
            requested_service_unit=RequestedServiceUnit(), rating_group=10
        )
    ]
    made.service_information = ServiceInformation(
        ps_information=PsInformation(
            tgpp_charging_id=b"abcd",
            pdp_address=["10.0.0.1"],
            sgsn_address=["10.0.0.2"],
            tgpp_imsi_mcc_mnc="53001",
            called_station_id="internet",
        )
    )
    return made


def main() -> None:
    port, rounds, calls = map(int, sys.argv[1:])
    node = Node(HOST, REALM, vendor_ids=[10415])
    peer = node.add_peer(
        f"aaa://{SERVER}:{port}", REALM, ip_addresses=["127.0.0.1"], is_persistent=True
    )
    application = SimpleThreadingApplication(
        CREDIT_CONTROL, is_auth_application=True, request_handler=lambda *_: None
    )
    node.add_application(application, [peer])
    node.start()
    application.wait_for_ready(30)
    numbers = itertools.count()
    passed: list[int] = []

    def work() -> None:
        for _ in range(calls // THREADS):
            answer = application.send_request(request(next(numbers)), timeout=30)
            expect(answer.result_code == 2001, answer.result_code)
            passed.append(1)

    costs, rates = [], []
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = calls // THREADS * THREADS
        costs.append((time.process_time() - cpu) / done * 1e6)
        rates.append(done / (time.perf_counter() - wall))
    # An error in a thread ends only the thread.
    expect(len(passed) == rounds * (calls // THREADS) * THREADS, len(passed))
    print(json.dumps({"cpu_us": spread(costs), "per_s": spread(rates, 0)}), flush=True)
    node.stop(wait_timeout=1, force=True)


if __name__ == "__main__":
    main()
