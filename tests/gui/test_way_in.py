"""How users get in: the one-time address, users with passwords, TLS; and refused attempts."""

import re
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from gui.browsers import Browser, GuiProcess, gui, try_command
from support.daemons import FLOW, DaemonProcess, example
from support.ports import free_port
from support.waiting import until

from tsvc import __version__
from tsvc.gui.roles import Role
from tsvc.gui.sessions import LONGEST_S, MOST_SESSIONS, Sessions
from tsvc.gui.users import Attempts, UsersProblem, add_user, is_password, read_users

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def shown(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, tester: DaemonProcess
) -> Iterator[GuiProcess]:
    folder = tmp_path_factory.mktemp("gui")
    with gui(folder, assets, "--daemon", f"lab=127.0.0.1:{tester.port}") as made:
        yield made


class TestOneTimeAddress:
    def test_it_lets_one_in(self, shown: GuiProcess) -> None:
        address = shown.addresses[-1]
        path = address.removeprefix(shown.base)
        assert re.fullmatch(r"/enter/[\w-]{40,}", path)
        browser = Browser(shown.base)
        assert browser.request("HEAD", path).status == 405  # link checkers send HEAD
        found = browser.get(path)
        assert (found.status, found.headers["location"]) == (303, "/")
        cookie = found.headers["set-cookie"].split("; ")
        assert cookie[0].startswith("tsvc=")
        assert cookie[1:] == ["HttpOnly", "SameSite=Strict", "Path=/"]
        assert Browser(shown.base).get(path).status == 403
        assert browser.get(path).status == 403
        # The next browser has its own address.
        assert shown.addresses[-1] != address
        assert shown.enter().session["role"] == "author"

    def test_the_session(self, shown: GuiProcess, tester: DaemonProcess) -> None:
        session = shown.enter().session
        assert session.pop("csrf")
        assert session == {
            "user": "local",
            "role": "author",
            "read_only": False,
            "daemons": [{"name": "lab", "address": f"127.0.0.1:{tester.port}"}],
            "workspace": False,
            "has_users": False,
            "version": __version__,
        }

    def test_nobody(self, shown: GuiProcess) -> None:
        found = Browser(shown.base).get("/api/session")
        assert (found.status, found.document["has_users"]) == (401, False)
        assert found.problem
        other = Browser(shown.base, cookie="tsvc=guessed")
        assert other.get("/api/session").status == 401
        assert other.get("/").status == 200
        assert other.get("/enter/guessed").status == 403
        assert other.post("/api/enter", {"user": "a", "password": "b"}).status == 403

    def test_leaving(self, shown: GuiProcess) -> None:
        browser, stays = shown.enter(), shown.enter()
        cookie = browser.cookie
        found = browser.post("/api/leave", {})
        assert found.status == 200
        assert "Max-Age=0" in found.headers["set-cookie"]
        browser.cookie = cookie
        assert browser.get("/api/session").status == 401
        assert stays.get("/api/session").status == 200

    def test_a_stream_ends_with_its_session(self, shown: GuiProcess) -> None:
        browser = shown.enter()
        with browser.feed() as stream:
            stream.look({"daemon": "lab"})
            stream.wait({"daemon": "lab"}, up=True)
            browser.post("/api/leave", {})
            until(lambda: stream.is_over)

    def test_read_only(self, tmp_path: Path, assets: Path, users: Path) -> None:
        with gui(tmp_path, assets, "--read-only") as made:
            session = made.enter().session
            assert (session["role"], session["read_only"]) == ("viewer", True)
            assert session["daemons"] == [{"name": "local", "address": "127.0.0.1:9009"}]
        with gui(tmp_path, assets, "--read-only", "--users", users) as made:
            assert made.log_in("anna", "anna").session["role"] == "viewer"


@pytest.fixture(scope="module")
def known(
    tmp_path_factory: pytest.TempPathFactory, assets: Path, users: Path
) -> Iterator[GuiProcess]:
    with gui(tmp_path_factory.mktemp("gui"), assets, "--users", users) as made:
        yield made


class TestUsers:
    def test_each_has_a_role(self, known: GuiProcess) -> None:
        assert known.addresses == [f"{known.base}/"]  # no way in without a password
        for name, role in (("vera", "viewer"), ("egon", "executor"), ("anna", "author")):
            session = known.log_in(name, name).session
            assert (session["user"], session["role"]) == (name, role)
            assert session["has_users"] is True
        assert Browser(known.base).get("/api/session").document["has_users"] is True

    @pytest.mark.parametrize(
        "given",
        [
            {"user": "vera", "password": "anna"},
            {"user": "nobody", "password": "vera"},
            {"user": "vera", "password": ""},
        ],
    )
    def test_a_wrong_password(self, known: GuiProcess, given: dict[str, str]) -> None:
        browser = Browser(known.base)
        found = browser.post("/api/enter", given)
        assert found.status == 403
        assert "set-cookie" not in found.headers
        assert "no such user, or another password" in found.problem

    def test_from_another_site(self, known: GuiProcess) -> None:
        given = {"user": "vera", "password": "vera"}
        found = Browser(known.base).post("/api/enter", given, Origin="http://evil.example")
        assert found.status == 403
        assert "set-cookie" not in found.headers

    def test_many_tries_are_slowed_down(self, tmp_path: Path, assets: Path, users: Path) -> None:
        with gui(tmp_path, assets, "--users", users) as made:
            found: list[int] = []

            def guess() -> None:
                given = {"user": "anna", "password": "wrong"}
                found.append(Browser(made.base).post("/api/enter", given).status)

            guesses = [threading.Thread(target=guess) for _ in range(12)]
            for one in guesses:
                one.start()
            for one in guesses:
                one.join()
            assert sorted(set(found)) == [403, 429]
            assert found.count(403) <= 6
            # The right password has to wait as well; on a slow machine a pause may be over.
            # over.
            # then.
            right = {"user": "anna", "password": "anna"}

            def waits() -> bool:
                for _ in range(6):
                    guess()
                return Browser(made.base).post("/api/enter", right).status == 429

            until(waits)


class TestFileOfUsers:
    def test_a_line_for_each(self, tmp_path: Path) -> None:
        path = tmp_path / "users"
        add_user(path, "anna", Role.AUTHOR, "secret")
        add_user(path, "vera", Role.VIEWER, "other")
        assert path.stat().st_mode & 0o777 == 0o600
        found = read_users(path)
        assert {name: one.role for name, one in found.items()} == {
            "anna": Role.AUTHOR,
            "vera": Role.VIEWER,
        }
        assert re.match(r"anna:author:scrypt\$16384\$8\$5\$", path.read_text())
        assert is_password(found["anna"], "secret")
        assert not is_password(found["anna"], "other")
        assert not is_password(None, "secret")
        add_user(path, "anna", Role.VIEWER, "new")
        assert is_password(read_users(path)["anna"], "new")
        assert len(read_users(path)) == 2

    @pytest.mark.parametrize(
        "line",
        [
            "anna",
            "anna:king:scrypt$2$8$1$AAAA$AAAA",
            "anna:author:secret",
            "anna:author:scrypt$3$8$1$AAAA$AAAA",
            "anna:author:scrypt$524288$99$1$AAAA$AAAA",
            "anna:author:scrypt$2$8$1$AAAA$not base64",
            "a b:author:scrypt$2$8$1$AAAA$AAAA",
        ],
    )
    def test_what_is_no_line(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "users"
        path.write_text(f"# people\n{line}\n")
        path.chmod(0o600)
        with pytest.raises(UsersProblem, match=":2: must be name:role"):
            read_users(path)

    def test_others_may_not_read_it(self, tmp_path: Path) -> None:
        path = tmp_path / "users"
        add_user(path, "anna", Role.AUTHOR, "secret")
        path.chmod(0o640)
        with pytest.raises(UsersProblem, match="chmod 600"):
            read_users(path)

    @pytest.mark.parametrize(("name", "password"), [("a:b", "x"), ("", "x"), ("a", "")])
    def test_what_is_no_user(self, tmp_path: Path, name: str, password: str) -> None:
        with pytest.raises(UsersProblem):
            add_user(tmp_path / "users", name, Role.AUTHOR, password)


class TestTime:
    def test_a_session_ends(self) -> None:
        now = 0.0
        sessions = Sessions(lambda: now)
        made = sessions.begin("anna", Role.AUTHOR)
        now = LONGEST_S - 1
        assert sessions.find(made.key) is made
        now = LONGEST_S
        assert sessions.find(made.key) is None

    def test_there_are_not_too_many(self) -> None:
        sessions = Sessions(lambda: 0.0)
        made = [sessions.begin("anna", Role.AUTHOR) for _ in range(MOST_SESSIONS + 1)]
        assert sessions.find(made[0].key) is None
        assert sessions.find(made[1].key) is made[1]

    def test_tries(self) -> None:
        now = 0.0
        attempts = Attempts(lambda: now)
        pauses = []
        for _ in range(13):
            attempts.note(False, "user anna", "address a")
            pauses.append(attempts.pause_s("user anna", "address b"))
        assert pauses == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]
        assert attempts.pause_s("user vera", "address a") == 60
        now = 60.0
        assert attempts.pause_s("user anna") == 0
        attempts.note(True, "user anna")
        attempts.note(False, "user anna")
        assert attempts.pause_s("user anna") == 0


class TestWhatIsRefused:
    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--bind", "0.0.0.0:0"], "give --tls-cert and --users"),
            (["--bind", "nowhere"], "must be HOST:PORT"),
            (["--bind", "127.0.0.1:99999"], "must be HOST:PORT"),
            (["--daemon", "127.0.0.1:9009"], "must be NAME=HOST:PORT"),
            (["--daemon", "a=h:1", "--daemon", "a=h:2"], "two daemons have one name"),
            (["--daemon", "a=h:port"], "is not a TCP port"),
            (["--flow", __file__], "--flow goes with --embedded"),
            (["--role", "viewer"], "--role goes with --add-user"),
            (["--add-user", "anna"], "--add-user needs --users and --role"),
            (["--tls-cert", __file__], "--tls-cert"),
            (["--tls-key", __file__], "--tls-key goes with --tls-cert"),
        ],
    )
    def test_options(self, assets: Path, options: list[str], said: str) -> None:
        status, text = try_command("--assets", assets, "--bind", "127.0.0.1:0", *options)
        assert (status, said in text) == (2, True), text

    def test_a_port_that_is_taken(self, assets: Path, shown: GuiProcess) -> None:
        status, text = try_command("--assets", assets, "--bind", shown.host)
        assert (status, "in use" in text) == (2, True), text

    def test_without_the_browsers_part(self, tmp_path: Path) -> None:
        status, text = try_command("--assets", tmp_path, "--bind", "127.0.0.1:0")
        assert (status, "make gui-build" in text) == (2, True), text

    def test_without_bottle(self, tmp_path: Path) -> None:
        """Run in a Python that can't find the package."""
        program = (
            "import sys; from importlib import util; found = util.find_spec\n"
            "util.find_spec = lambda name, *a: None if name == 'bottle' else found(name, *a)\n"
            "from tsvc.cli.main import main; main(['gui'])"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 2
        assert "needs bottle: " in done.stderr


def test_tls(tmp_path: Path, assets: Path, users: Path) -> None:
    cert = tmp_path / "cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", tmp_path / "key.pem", "-out", cert),
        ],
        check=True,
        capture_output=True,
    )
    port = free_port()
    options = ["--bind", f"0.0.0.0:{port}", "--name", "localhost", "--users", users]
    tls = ["--tls-cert", cert, "--tls-key", tmp_path / "key.pem"]
    with gui(tmp_path / "gui", assets, *options, *tls) as made:
        context = ssl.create_default_context(cafile=cert)
        browser = Browser(f"https://localhost:{port}", context)
        found = browser.post("/api/enter", {"user": "anna", "password": "anna"})
        assert found.status == 200
        assert "Secure" in found.headers["set-cookie"].split("; ")
        browser.take_session()
        # The origin must have the name by which the GUI is called.
        found = browser.post("/api/leave", {}, Origin=f"http://localhost:{port}")
        assert found.status == 403
        assert browser.post("/api/leave", {}).status == 200
        assert made.process.poll() is None


def test_a_daemon_of_its_own(tmp_path: Path, assets: Path) -> None:
    with gui(tmp_path, assets, "--embedded", "--flow", FLOW) as made:
        browser = made.enter()
        assert [one["name"] for one in browser.session["daemons"]] == ["embedded"]
        definition = {**example("extension_dialing"), "run_id": "one"}
        assert browser.result("embedded", "ExecuteTest", **definition) == "ok"
        found = browser.result("embedded", "QueryTest", run_id="one", wait_s=60)
        assert (found["completed"], found["verdict"]) == (1, "pass")
        port = int(browser.session["daemons"][0]["address"].rpartition(":")[2])
        assert made.stop() == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
