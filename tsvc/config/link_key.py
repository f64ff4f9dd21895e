"""Keys of the link between machines: 40 characters of Z85 (ZeroMQ's RFC 32), which are 32 octets.

tsvc.cluster.curve explains what the keys are for and which of them are public.
"""

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_VALUES = {letter: value for value, letter in enumerate(_LETTERS)}
_CHARACTERS, _GROUP = 40, 5  # five characters are four octets


def checked_key(text: object, name: str) -> str:
    """Return a key unchanged if it is valid. `name`: its name in the error, instead of the key.

    Errors: ValueError.
    """
    if not isinstance(text, str) or len(text) != _CHARACTERS or not set(text) <= _VALUES.keys():
        raise ValueError(f"{name} is no key: those are {_CHARACTERS} characters of Z85")
    for at in range(0, _CHARACTERS, _GROUP):
        value = 0
        for letter in text[at : at + _GROUP]:
            value = value * len(_LETTERS) + _VALUES[letter]
        if value >= 1 << 32:
            raise ValueError(
                f"{name} is no key: characters {at + 1} to {at + _GROUP} are too much"
            )
    return text
