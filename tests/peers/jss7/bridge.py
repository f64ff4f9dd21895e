"""Java objects in a separate process, as Python objects: the counterpart of Bridge.java.

The tests define what a peer does, in calls of the library's public interface. Everything here
blocks, for up to GUARD_S of lines, and lets greenlets go on meanwhile.
"""

import fcntl
import hashlib
import json
import shutil
import subprocess
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.daemons import require_peer
from support.lines import Lines

FOLDER = Path(__file__).parent
TARGET = FOLDER / "target"


class JavaError(Exception):
    """An exception in Java, as its text."""


class JavaObject:
    """An object of the other process; its methods are called like Python's."""

    def __init__(self, bridge: "Bridge", on: dict[str, Any] | str) -> None:
        self._bridge = bridge
        self._on = on

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("__"):
            raise AttributeError(method)
        return lambda *args: self._bridge.call(self._on, method, args)

    def __call__(self, *args: Any) -> Any:
        """Make an object of a class."""
        return self._bridge.call(self._on, "new", args)

    def __repr__(self) -> str:
        return self._on if isinstance(self._on, str) else f"{self._on['class']} {self._on['text']}"


class Event:
    """A call by the library: `name` is the name of the method, `args` are its arguments."""

    def __init__(self, name: str, args: list[Any]) -> None:
        self.name, self.args = name, args

    def __repr__(self) -> str:
        return f"{self.name}{tuple(self.args)}"


class Bridge:
    """The process. Events wait in `events` until take() is called."""

    def __init__(self, log: Path) -> None:
        command = ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", classpath(), "Bridge"]
        self._lines = Lines(command, log)
        self._next = 0
        self.events: deque[Event] = deque()

    def cls(self, name: str) -> JavaObject:
        """Return a class by its full name; calling it makes an object."""
        return JavaObject(self, name)

    def listener(self, *interfaces: str) -> JavaObject:
        """Return an object that turns calls of these interfaces into events."""
        found = self._ask(list(interfaces), "listen", ())
        assert isinstance(found, JavaObject)
        return found

    def call(self, on: dict[str, Any] | str, method: str, args: tuple[Any, ...]) -> Any:
        """Call a method; errors: JavaError."""
        return self._ask(on, method, args)

    def take(self, name: str, *, past: tuple[str, ...] = ()) -> Event:
        """Return the next event, which must have this name; events in `past` may precede it."""
        event = self.next(past)
        assert event.name == name, f"{event} instead of {name}"
        return event

    def next(self, past: tuple[str, ...] = ()) -> Event:
        """Return the next event that is not one of `past`."""
        while True:
            while not self.events:
                self._message()
            event = self.events.popleft()
            if event.name not in past:
                return event

    def forget(self) -> None:
        """Discard the events so far, which belong to another test."""
        self.cls("java.lang.System").nanoTime()  # it is answered after all earlier calls
        self.events.clear()

    def stop(self) -> None:
        """End the process."""
        self._lines.kill()

    # -- lines -------------------------------------------------------------------------------

    def _ask(self, on: Any, method: str, args: tuple[Any, ...]) -> Any:
        self._next += 1
        command = {"id": self._next, "on": on, "call": method, "args": _to_java(args)}
        self._lines.write(json.dumps(command))
        while (answer := self._message()) is None:
            pass
        assert answer["id"] == self._next
        if "error" in answer:
            raise JavaError(f"{on} {method}: {answer['error']}")
        return self._of_java(answer["value"])

    def _message(self) -> dict[str, Any] | None:
        """Read one line. An event is stored, and the result is None."""
        message = json.loads(self._lines.read())
        if "event" not in message:
            return dict(message)
        self.events.append(Event(message["event"], self._of_java(message["args"])))
        return None

    def _of_java(self, value: Any) -> Any:
        match value:
            case {"hex": digits}:
                return bytes.fromhex(digits)
            case dict():
                return JavaObject(self, value)
            case list():
                return [self._of_java(item) for item in value]
        return value


def _to_java(value: Any) -> Any:
    match value:
        case JavaObject():
            return value._on
        case bytes():
            return {"hex": value.hex()}
        case list() | tuple():
            return [_to_java(item) for item in value]
    return value


# -- built once ----------------------------------------------------------------------------------


def classpath() -> str:
    """Return the path of the classes; they are built if their sources have changed.

    Without Java or Maven the test is skipped, or fails where peers are required.
    """
    require_peer(shutil.which("java"), "apt-get install default-jdk-headless")
    TARGET.mkdir(exist_ok=True)
    with (TARGET / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # workers of pytest begin at the same time
        stamp = TARGET / ".built"
        if not stamp.exists() or stamp.read_text() != _digest():
            require_peer(shutil.which("mvn"), "apt-get install maven")
            require_peer(shutil.which("javac"), "apt-get install default-jdk-headless")
            _build()
            stamp.write_text(_digest())
    return f"{TARGET / 'classes'}:{TARGET / 'lib'}/*"


def _digest() -> str:
    sources = [FOLDER / "pom.xml", *sorted(FOLDER.glob("src/main/*/*"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()


def _build() -> None:
    """Build with the local files of Maven; if this fails, Maven may download missing files."""
    for offline in (["--offline"], []):
        command = ["mvn", "--quiet", "--batch-mode", *offline, "package"]
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
        if done.returncode == 0:
            return
    require_peer(None, f"mvn package in {FOLDER.name}: {done.stdout[-2000:]}")
