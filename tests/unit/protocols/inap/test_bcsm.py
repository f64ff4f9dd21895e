"""Detection points: names, enumeration and default legs are consistent."""

from tsvc.protocols.inap.bcsm import (
    DEFAULT_LEG,
    EVENT_NAMES,
    LEG_EVENT_NAMES,
    MONITOR_MODES,
    Event,
    MonitorMode,
)


def test_every_event_has_its_name() -> None:
    for event in Event:
        assert EVENT_NAMES[event].lower() == event.name.replace("_", "").lower()


def test_every_mode_has_its_name() -> None:
    for mode in MonitorMode:
        assert MONITOR_MODES[mode].lower() == mode.name.replace("_", "").lower()


def test_legs() -> None:
    assert set(DEFAULT_LEG) <= set(EVENT_NAMES)
    assert not {Event.O_DISCONNECT, Event.T_DISCONNECT} & set(DEFAULT_LEG)
    for name, (event, leg) in LEG_EVENT_NAMES.items():
        assert name == f"{EVENT_NAMES[event]}Leg{leg}"
