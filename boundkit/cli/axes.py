"""``name=value`` words as the axes of a sweep: several values of one setting, numbers or not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.cli.parameter_values import read_words

HELP = (
    "name=value; several values are 1,2,5 or start:stop:count or start:stop:count:log; "
    "a value may be a number, a word, true, false, null or a list in brackets"
)
WHOLE = ("local_steps", "tau", "rounds", "T", "seed")


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
        axes[name] = _values(name, text, word)
    return axes


def _values(name: str, text: str, word: str) -> list[Any]:
    parts = _split(text, word)
    if len(parts) == 1 and ":" in text and text[0] not in "[{":
        result = read_words([word], WHOLE)[name]
        return list(result) if isinstance(result, list) else [result]
    return [_value(part, word) for part in parts]


def _split(text: str, word: str) -> list[str]:
    """The parts between the commas that stand in no bracket."""
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


def _value(text: str, word: str) -> Any:
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
