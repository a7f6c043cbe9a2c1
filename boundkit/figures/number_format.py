"""Numbers and formulas as figures set them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from matplotlib.mathtext import MathTextParser

from boundkit.algebra.notation import ALPHABET, VECTORS

MOST_LISTED = 6
"""How many values of a vector are written out."""

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(value: float, digits: int = 2) -> str:
    """A number in few digits, with a power of ten where it is far from 1; infinity as its sign, or "nan".

    >>> number(0.414), number(1234.5), number(100, 3), number(0), number(7.2e-5), number(float("-inf"))
    ('0.41', '1200', '100', '0', '7.2×10⁻⁵', '-∞')
    """
    if not math.isfinite(value):
        return str(float(value)).replace("inf", "∞")
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if -3 <= exponent <= 3:
        return _trimmed(f"{float(f'{mantissa}e{power}'):.{max(digits - 1 - exponent, 0)}f}")
    trimmed = _trimmed(mantissa)
    raised = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
    return raised if trimmed == "1" else f"{trimmed}×{raised}"


def ratio(value: float) -> str:
    """A ratio with two digits, three near 1, where the third tells holding from not.

    >>> ratio(0.2), ratio(0.9961), ratio(1.004), ratio(6.3e-5)
    ('0.20', '0.996', '1.004', '6.3×10⁻⁵')
    """
    if value >= 1e4 or value < 1e-3:
        return number(value)
    if 0.95 <= value < 1.05:
        return f"{value:.3f}"
    text = f"{value:#.2g}"
    return text.rstrip(".") if "e" not in text else f"{value:.0f}"


def _trimmed(digits: str) -> str:
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


@lru_cache(maxsize=2000)
def formula(latex: str) -> str | None:
    r"""LaTeX as matplotlib sets it, or None where it cannot.

    >>> formula(r"\frac1T x")
    '$\\dfrac{1}{T} x$'
    """
    text = re.sub(r"\\[td]?frac(?![a-zA-Z{])\s*(\S)\s*(\S)", r"\\frac{\1}{\2}", latex)
    text = re.sub(r"\\[td]?frac", r"\\dfrac", text).replace(r"\mathbb{E}", r"\mathrm{E}")
    text = re.sub(r"\\([lg]e)(?![a-zA-Z])", r"\\\1q", text)  # matplotlib has no \le inside braces
    text = re.sub(r"\\Big([lr])", lambda side: {"l": r"\left", "r": r"\right"}[side[1]], text)
    text = re.sub(r"\s*\\sum", r"\\;\\sum", text)  # else the limits of the sum touch the text before it
    try:
        MathTextParser("path").parse(f"${text}$")
    except ValueError:
        return None
    return f"${text}$"


def symbol(name: str) -> str:
    """A quantity's symbol, by its keyword."""
    text = {**ALPHABET, **VECTORS}
    return f"${text[name].latex}$" if name in text else name


def settings(values: Mapping[str, float], clients: Mapping[str, object] | None = None) -> str:
    r"""Values of quantities in a row, in the order of the alphabet, and the values of the clients.

    >>> settings({"eta": 0.1, "m": 10})
    '$m$\xa0=\xa010, $\\eta$\xa0=\xa00.1'
    >>> settings({"m": 3}, {"tau_i": [2, 5, 9]})
    '$m$\xa0=\xa03, $\\tau_i$\xa0=\xa0(2, 5, 9)'
    """
    order = [n for n in ALPHABET if n in values] + [n for n in values if n not in ALPHABET]
    # The spaces do not break, so that a symbol and its value stay on one line.
    parts = {n: number(values[n], 3) for n in order} | {n: _listed(v) for n, v in (clients or {}).items()}
    return ", ".join(f"{symbol(n)}\N{NBSP}=\N{NBSP}{value}" for n, value in parts.items())


def _listed(value: object) -> str:
    """The values of the clients in short: a list in brackets, a long one by its ends."""
    if not isinstance(value, (list, tuple)):
        return str(value)
    if any(isinstance(one, (list, tuple)) for one in value):
        return f"{len(value)}\N{NBSP}rows"
    each = [number(float(one), 3) for one in value]
    if len(each) > MOST_LISTED:
        return f"({', '.join(each[:3])}, ..., {each[-1]}: {len(each)} values)"
    return f"({', '.join(each)})"
