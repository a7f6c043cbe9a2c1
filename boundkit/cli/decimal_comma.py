"""A hint at decimal commas: on a command line commas separate values, so that 0,5 is 0 and 5."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_PAIRS = re.compile(
    r"(?:(?<![\w.,])|(?<=,)(?=[A-Za-z]))"  # where a value begins, or the next setting of several
    r"(?:(?P<name>[A-Za-z_]\w*)[=:])?"
    r"(?P<text>-?\d+,\d+(?:,-?\d+,\d+)*)(?![\d.]|,-?\d)"
)
"""Whole numbers by twos, which decimal commas may make of decimal numbers."""


def add_hint(message: str, argv: Sequence[str]) -> str:
    """The message of an error, with a hint where a decimal comma on the command line explains it.

    It does where the message quotes the text or what follows a comma of it, and where every pair begins with
    0, as in 0,6,0,4, and the message names the option or the quantity.

    >>> add_hint("p must sum to 1, but it sums to 10.", ["objective", "--p", "0,6,0,4"])
    'p must sum to 1, but it sums to 10; write a decimal point: 0.6,0.4.'
    >>> add_hint("T = 0 was given.", ["tune", "sgd_nonconvex", "eta=1,5", "T=0"])
    'T = 0 was given.'
    """
    if "decimal comma" in message or "whole number" in message or message.endswith("?"):
        return message
    for name, value in _values(argv):
        for match in _PAIRS.finditer(value):
            text, numbers = match["text"], match["text"].split(",")
            quoted = rf"'[^']*(?<![\w.]){re.escape(text)}[^']*'|'({'|'.join(numbers[1::2])})'"
            names = "|".join(re.escape(each) for each in (match["name"], name) if each)
            zeros = {"0", "-0"}.issuperset(numbers[::2]) and any(number.strip("-0") for number in numbers)
            named = zeros and names and re.search(rf"(?<!\w)({names})(?!\w)", message)
            if named or re.search(quoted, message):
                points = _PAIRS.sub(_with_points, value)
                return f"{message.removesuffix('.')}; write a decimal point: {points}."
    return message


def _values(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each word that may hold numbers, with the option before it."""
    option = ""
    for word in argv:
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            yield option, word
        elif equals:
            yield name.lstrip("-"), value
        option = name.lstrip("-") if word.startswith("--") and not equals else ""


def _with_points(match: re.Match[str]) -> str:
    pairs = re.sub(r"(\d+),(\d+)", r"\1.\2", match["text"])
    return match[0].removesuffix(match["text"]) + pairs
