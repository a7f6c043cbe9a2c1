"""Extreme and malformed values: of numbers, of words, and of JSON."""

from __future__ import annotations

from random import Random
from typing import Any

FLOATS = (
    0.0, -0.0, 0.5, 0.1, 1.0, 2.0, 3.7, 12.5, 1e-3, -1.0, -0.25, 1e-9, 5e-324, 1e-320, 2.3e-308, 1e-300,
    1e-200, 1e-160, 1e-100, 1e-55, 1e-50, 1e-30, 1e-16, 1e16, 1e30, 1e50, 1e55, 1e75, 1e100, 1e155, 1e160,
    1e200, 1e250, 1e300, 1e308, 1.7976931348623157e308, -1e300, -1e-300, 9007199254740993.0, 1e23,
    0.30000000000000004,
)  # fmt: skip
"""No whole number between a thousand and 1e16: what is a long computation and no mistake would be one."""
INTEGERS = (
    0, 1, 2, 3, 5, 7, 10, 17, 100, -1, -2, -(10**30), 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 2**64 + 1,
    10**18, 10**23, 10**30, 10**100, 10**308, 10**309, 10**321,
)  # fmt: skip
SPELLINGS = (
    "nan", "inf", "-inf", "Infinity", "NaN", "1e999", "-1e999", "1e-999", "0x10", "1_000", "01", "+1", "1.",
    ".5", "1e", "e5", "--1", "1,5", "1;5", "1/2", "2**3", "1+1", "1j", "None", "True", "١٢", "½", "٣.٥",
    "1 2", "\t1", "1\n", "0b1", "1e+0005", "1" * 400, "9" * 5000, "0." + "0" * 400 + "1", "1e100000000000",
)  # fmt: skip
WORDS = (
    "", " ", "-", "--", "---", "=", "==", ",", ",,", ":", "::", ":::", ";", ".", "a", "A", "x=1", "=1",
    "x=", "None", "null", "true", "[]", "{}", "[", "{", "}", "()", '"', "'", "`", "\\", "%s", "%", "{0}",
    "$HOME", "*", "?", "~", "#", "!", "@", "&", "|", "\n", "\r\n", "\t", "\x01", "\x1b[31m", "\x7f", "é",
    "τ", "ß", "İ", "\u202e", "\u2028", "\ufeff", "\ufffd", "\U0001f600", "\udcff", "\udcffa", "e\u0301",
    "ﬁ", "０", "a" * 300, "é" * 300, "x" * 100_000, "--help", "--json", "--version", "-h", "hull", "auto",
    "inf", "0", "1", "-1", "1e300", "nan", "con", "__class__", "__import__", "fedavg", "fedavg_nonconvex",
    "_template", "__init__", "run.json",
)  # fmt: skip


def number_text(rng: Random) -> str:
    """A number as someone may write it, mostly an extreme one."""
    draw = rng.random()
    if draw < 0.45:
        return repr(rng.choice(FLOATS))
    if draw < 0.75:
        return str(rng.choice(INTEGERS))
    if draw < 0.9:
        return rng.choice(SPELLINGS)
    return repr(10 ** rng.uniform(-320, 308) * rng.choice((1, 1, 1, -1)))


def whole_text(rng: Random) -> str:
    """Mostly a whole number."""
    return str(rng.choice(INTEGERS)) if rng.random() < 0.7 else number_text(rng)


def word(rng: Random) -> str:
    """A word that is mostly none of any command."""
    draw = rng.random()
    if draw < 0.6:
        return rng.choice(WORDS)
    if draw < 0.8:
        return number_text(rng)
    letters = "abcxyzEτ019 _-+*/=,:;.()[]{}'\"\\\u00e9\u4e2d"
    return "".join(rng.choice(letters) for _ in range(rng.randint(1, 12)))


def changed_text(rng: Random, text: str) -> str:
    """The text with a few letters dropped, doubled, exchanged or put in."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        how = rng.random()
        if how < 0.3:
            text = text[:at] + text[at + 1 :]
        elif how < 0.5:
            text = text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
        elif how < 0.6:
            text = text[:at]
        elif how < 0.7:
            text = text[:at].swapcase() + text[at:]
        else:
            text = text[:at] + rng.choice("0123456789.eE-+*/^()[]{},:;=\"'_ aT\u00b2\u03c4") + text[at:]
    return text


def number(rng: Random) -> int | float:
    """A number of JSON; floats may be infinite."""
    draw = rng.random()
    if draw < 0.6:
        return rng.choice(FLOATS)
    if draw < 0.9:
        return rng.choice(INTEGERS)
    return 10 ** rng.uniform(-320, 308) * rng.choice((1, 1, 1, -1))


def json_value(rng: Random, depth: int = 0) -> Any:
    """Any value of JSON, mostly a number, and sometimes nested."""
    draw = rng.random()
    if draw < 0.55:
        return number(rng)
    if draw < 0.7:
        return rng.choice((None, True, False, "", "1", "nan", "full", "é", "x" * 1000, "\ud800", {}, []))
    if draw < 0.72:
        return nested(rng.choice((5, 40, 200)))
    if depth > 2:
        return rng.choice(INTEGERS)
    if draw < 0.87:
        return [json_value(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    keys = ("kind", "seed", "C", "first", "offset", "bound", "epochs", "dirichlet", "a", "")
    return {rng.choice(keys): json_value(rng, depth + 1) for _ in range(rng.randint(0, 3))}


def nested(depth: int) -> Any:
    """A number inside so many lists."""
    value: Any = 1.0
    for _ in range(depth):
        value = [value]
    return value
