"""``name=value`` words as parameters: 3, or 1,2,5, or start:stop:count, or start:stop:count:log."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.domain import LARGEST, LARGEST_EXACT, SMALLEST
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.cli.output import warn

Number = int | float
Value = Number | str | list[Number] | list[list[Number]]

RULED = ("eta", "eta_s")
"""The quantities that may be given as a formula, as in eta=1/(L*tau)."""

WHOLE_SETTINGS = ("local_steps", "tau", "rounds", "T", "seed")
"""Settings of a run that are whole numbers."""
MOST_ROWS = 10_000
"""Rows of a table that are printed; --json has all points of a grid."""
MOST_POINTS = 10_000_000
"""Points of one range; a longer one is a slip of the finger."""


def read_values(words: Sequence[str], theorem: Theorem) -> dict[str, Value]:
    """The parameters that the words give, lists for what will be an axis.

    A vector such as tau_i=2,5,9 is a list whatever its length; rows of one value a client, one row a
    round, are set apart by semicolons, and so are the clients of a_i=1,0.9,0.81;1,1. ``solver`` is a word,
    and a rule for a step, such as eta=1/(L*tau), stays text.
    Ranges of what is counted in whole numbers are rounded and made unique. Raises BoundkitError for a word
    without ``=``, a name given twice, and a value that is none of the four forms.
    """
    known = (*theorem.quantities, *ALPHABET.values(), *VECTORS.values())
    positive = {quantity.name for quantity in known if quantity.domain.complaint(0)} - set(VECTORS)
    for word in words:
        refuse_decimal_comma(word, positive)
    whole = {quantity.name for quantity in known if quantity.domain.whole}
    return read_words(words, whole, {*VECTORS, "a_i"}, {"solver"} if theorem.solvers else ())


def warn_of_merged_points(words: Sequence[str], values: Mapping[str, Value]) -> None:
    """Warn, in one sentence each, of ranges with fewer points than requested: whole numbers were equal."""
    for word in words:
        name, _, text = (part.strip() for part in word.partition("="))
        parts, points = text.split(":"), values.get(name)
        if len(parts) > 2 and isinstance(points, list) and len(points) < int(parts[2]):
            warn(
                f"{word!r} asks for {parts[2].strip()} points, but rounded to whole numbers only "
                f"{len(points)} differ."
            )


def with_rules(values: Mapping[str, Value], rules: Mapping[str, str | None]) -> dict[str, Value]:
    """Values and rules for step sizes together.

    Raises BoundkitError for a step size that has both.
    """
    given = {name: rule for name, rule in rules.items() if rule is not None}
    for name in given:
        if name in values:
            raise BoundkitError(f"{name} was given as a value and as a rule; give one of them.")
    return {**values, **given}


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the first that holds ``=``, and all the others.

    >>> split_words(["sgd_nonconvex", "T", "eta", "m=10", "L=2"])
    (['sgd_nonconvex', 'T', 'eta'], ['m=10', 'L=2'])
    """
    first = next((place for place, word in enumerate(words) if "=" in word), len(words))
    return list(words[:first]), list(words[first:])


def read_words(
    words: Sequence[str], whole: Collection[str], vectors: Collection[str] = (), texts: Collection[str] = ()
) -> dict[str, Value]:
    """The same for any names: which are whole numbers, which vectors, and which are texts."""
    values: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name, text = name.strip(), text.strip()
        if not equals or not name:
            raise BoundkitError(f"{word!r} is not name=value.")
        if name in values:
            raise BoundkitError(f"{name} is given twice; give it once, several values as {name}=1,2,5.")
        if name in texts:
            values[name] = text
        elif name in vectors:
            values[name] = _vector(text, word, name in whole)
        else:
            values[name] = _value(name, text, word, name in whole)
    return values


def refuse_decimal_comma(word: str, positive: Collection[str] = ()) -> None:
    """Raise BoundkitError for ``eta=0,001``, which is a list of 0 and 001.

    ``positive``: names that cannot be 0, so that 0,5 is no list of their values either.
    """
    name, _, text = (part.strip() for part in word.partition("="))
    if re.fullmatch(r"-?\d+,0\d+", text) or (name in positive and re.fullmatch(r"-?0+,\d+", text)):
        raise BoundkitError(
            f"{word!r} has a decimal comma; write {name}={text.replace(',', '.')}, or a list as 1,2,5."
        )


def _vector(text: str, word: str, whole: bool) -> list[Number] | list[list[Number]]:
    if ":" in text:
        raise BoundkitError(f"{word!r} holds a range, but a vector is never an axis; write its values out.")
    rows = [[_number(part, word, whole) for part in row.split(",")] for row in text.split(";")]
    return rows if len(rows) > 1 else rows[0]


def _value(name: str, text: str, word: str, whole: bool) -> Number | str | list[Number]:
    if name in RULED and any(sign in text for sign in "*/(^"):
        return text
    if ":" in text:
        return _range(text, word, whole)
    if "," in text:
        return [_number(part, word, whole) for part in text.split(",")]
    return _number(text, word, whole)


def _range(text: str, word: str, whole: bool) -> list[Number]:
    parts = text.split(":")
    if len(parts) not in (3, 4) or (len(parts) == 4 and parts[3].strip() != "log"):
        raise BoundkitError(f"{word!r} is no range; write start:stop:count, or start:stop:count:log.")
    start, stop, count = (_number(part, word, whole) for part in parts[:3])
    if not isinstance(count, int) or not 2 <= count <= MOST_POINTS:
        raise BoundkitError(
            f"{word!r} asks for {parts[2].strip()} points, but a range has a whole number of them, "
            f"at least 2 and at most {MOST_POINTS}."
        )
    if len(parts) == 4 and not (start > 0 and stop > 0):
        raise BoundkitError(f"{word!r} is logarithmic, so both ends must be above 0.")
    if whole and max(abs(start), abs(stop)) > LARGEST_EXACT:
        raise BoundkitError(
            f"{word!r} reaches beyond {LARGEST_EXACT}, where whole numbers are rounded; list the values."
        )
    import numpy as np

    spaced = np.geomspace if len(parts) == 4 else np.linspace
    with np.errstate(all="ignore"):
        points: list[Number] = spaced(float(start), float(stop), count).tolist()
    return list(dict.fromkeys(round(p) for p in points)) if whole else points


def _number(text: str, word: str, whole: bool) -> Number:
    """An int where it is written as one, and for a large one of what is counted; else a finite float.

    Raises BoundkitError for what is no number, and for one that is not 0 and too large or too small.
    """
    number = _read(text.strip(), word, whole)
    if number and not SMALLEST <= abs(number) <= LARGEST:
        raise BoundkitError(
            f"{text.strip()!r} in {word!r} is too {'large' if abs(number) > 1 else 'small'}: a number is 0, "
            f"or from {SMALLEST:g} to {LARGEST:g} in absolute value; change the units."
        )
    return number


def _read(text: str, word: str, whole: bool) -> Number:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        raise BoundkitError(f"{text!r} in {word!r} is not a number.") from None
    if number - number != 0:
        raise BoundkitError(f"{text!r} in {word!r} is not a finite number.")
    if not whole or abs(number) < LARGEST_EXACT:
        return number
    numerator, denominator = Decimal(text).as_integer_ratio()
    if denominator != 1:
        raise BoundkitError(f"{text!r} in {word!r} is not a whole number.")
    return numerator


def read_axes(words: Sequence[str]) -> dict[str, list[Any]]:
    """The values of every setting, in the order given.

    Raises BoundkitError for a word without ``=``, a name given twice, an empty value or an open bracket.
    """
    axes: dict[str, list[Any]] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not equals or not name or not text:
            raise BoundkitError(f"{word!r} is not name=value.")
        if name in axes:
            raise BoundkitError(f"{name} is given twice; give it once, several values as {name}=1,2,5.")
        refuse_decimal_comma(word)
        axes[name] = _axis(name, text, word)
    return axes


def _axis(name: str, text: str, word: str) -> list[Any]:
    parts = _split_outside_brackets(text, word)
    if len(parts) == 1 and ":" in text and text[0] not in "[{":
        result = read_words([word], WHOLE_SETTINGS)[name]
        return list(result) if isinstance(result, list) else [result]
    return [_json_value(part, word) for part in parts]


def _split_outside_brackets(text: str, word: str) -> list[str]:
    """The parts between the commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth or not all(part.strip() for part in parts):
        raise BoundkitError(f"{word!r} has a bracket that is not closed, or a value that is empty.")
    return [part.strip() for part in parts]


def _json_value(text: str, word: str) -> Any:
    """A JSON value where it is one, else the word itself."""
    try:
        value = json.loads(text)
    except ValueError:
        if text[0] in '[{"':
            raise BoundkitError(f"{text!r} in {word!r} is not JSON.") from None
        return text
    if isinstance(value, float) and value - value != 0:
        raise BoundkitError(f"{text!r} in {word!r} is not a finite number.")
    return value
