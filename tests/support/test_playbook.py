"""The playbook itself: a right conversation passes, and a mismatch is shown as a readable diff."""

from dataclasses import dataclass, field

import pytest

from support.playbook import (
    Language,
    after,
    asked,
    connected,
    indicated,
    playbook,
    received,
    sent,
    unplayed,
)

WORDS = Language(
    encode=lambda word: word.encode() + b";",
    decode=lambda octets: octets.decode().rstrip(";"),
    name=lambda word: word.split()[0],
)


@dataclass
class Echo:
    """Sends a greeting, echoes each word, and after 5 s asks whether the peer is there."""

    out: list[bytes] = field(default_factory=list)
    asks_at: float | None = None

    def connected(self, now):
        self.out.append(b"hello there;")
        self.asks_at = now + 5.0
        return []

    def receive(self, octets, now):
        words = octets.decode().split(";")[:-1]
        self.out += [f"{word};".encode() for word in words]
        return [f"got {word}" for word in words]

    def data_to_send(self):
        found, self.out = self.out, []
        return found

    def next_timer(self):
        return self.asks_at

    def handle_timer(self, now):
        self.out.append(b"anybody?;")
        self.asks_at = now + 5.0
        return [f"asked at {now:g}"]

    def say(self, word):
        self.out.append(word.encode() + b";")


def test_a_conversation():
    assert (
        playbook(Echo(), WORDS, now=100.0)
        >> connected()
        << sent("hello")
        >> received("one", b"two;")
        << sent(b"one;")
        << indicated("got one")
        << sent(lambda word: word.startswith("t"))
        << indicated(str)
        >> asked("say bye", lambda echo, now: echo.say("bye"))
        << sent("bye")
        >> after(4.9)
        >> after(5.2)
        << sent("anybody?")
        << sent("anybody?")
        << indicated("asked at 105")
        << indicated("asked at 110")
    )


def mismatch(script):
    with pytest.raises(AssertionError) as caught:
        assert script
    return str(caught.value).split("\n")


def test_something_else_is_sent():
    found = mismatch(
        playbook(Echo(), WORDS)
        >> connected()
        << sent("hello")
        >> received("one")
        << sent("two")
        << indicated("got one")
    )
    assert found == [
        "the conversation goes another way (- expected, + came):",
        "  >> connected",
        "  << sent hello hello there",
        "  >> received one",
        "- << sent two",
        "+ << sent one one",
        "  << indicated got one",
    ]


def test_something_is_missing():
    found = mismatch(
        playbook(Echo(), WORDS) >> connected() << sent("hello") << indicated("connected")
    )
    assert found[1:] == [
        "  >> connected",
        "  << sent hello hello there",
        "- << indicated connected",
    ]


def test_something_comes_that_nobody_expects():
    found = mismatch(playbook(Echo(), WORDS) >> received("one") << sent("one"))
    assert found[1:] == ["  >> received one", "  << sent one one", "+ << indicated got one"]


def test_what_the_machine_has_to_send_before_anything_happens():
    echo = Echo()
    echo.say("early")
    assert playbook(echo, WORDS) << sent("early")
    assert mismatch(playbook(echo, WORDS) << sent("early"))[1:] == ["- << sent early"]


def test_what_nobody_asserts_to_its_end_is_told():
    unplayed()
    playbook(Echo(), WORDS) >> received("one")
    assert unplayed() == 1
    script = playbook(Echo(), WORDS) >> received("one") << sent("one") << indicated("got one")
    assert script
    assert unplayed() == 0
    script = playbook(Echo(), WORDS)
    assert script
    script >> received("one")
    assert unplayed() == 1
