"""Errors in the input. The message is one whole sentence for the user."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LONGEST = 60
"""Characters of a text that a message quotes; of a longer one the middle is left out."""
_QUOTED = re.compile(
    rf"""(?<![^\s(\[{{,])(['"])(?=[^\s,;])((?:\\.|(?!\1)[^\\]){{{LONGEST + 1},}})\1(?!\w)""", re.DOTALL
)
MOST_LISTED = 80
"""Most names that a message lists where none is similar."""
LONGEST_PATH = 400
_UNBROKEN = re.compile(rf"[^\s/]{{81,}}|\S{{{LONGEST_PATH + 1},}}")
"""Longer than what sentences of boundkit have: formulas without a blank, and paths."""


def shorten(text: str, longest: int = LONGEST) -> str:
    """Shorten a text by its middle where it is longer than ``longest`` characters.

    >>> shorten("fedavg_nonconvex_partial", 12)
    'feda...rtial'
    """
    if len(text) <= longest:
        return text
    ahead = (longest - 3) // 2
    return f"{text[:ahead]}...{text[len(text) - (longest - 3 - ahead) :]}"


def shorten_quotations(message: str) -> str:
    """Shorten what a message quotes: long texts in quotation marks, and long stretches without a blank.

    The sentence around them and paths of usual length stay whole.

    >>> shorten_quotations(f"unknown option {'ab ' * 999!r}; known are 'a', 'b'.")
    "unknown option 'ab ab ab ab ab ab ab ab ab a...ab ab ab ab ab ab ab ab ab '; known are 'a', 'b'."
    """
    if len(message) <= LONGEST:
        return message
    message = _UNBROKEN.sub(lambda found: shorten(found[0]), message)
    return _QUOTED.sub(lambda found: f"{found[1]}{shorten(found[2])}{found[1]}", message)


class BoundkitError(ValueError):
    """Bad input. The message names the given value, the need, and similar names.

    Long quotations of the input are shortened (see ``shorten_quotations``). ``sentence``: the message alone;
    ``lines``: further lines, such as candidates.
    """

    def __init__(self, message: str = "", lines: Sequence[str] = ()) -> None:
        self.sentence, self.lines = shorten_quotations(message), tuple(lines)
        super().__init__("\n".join([self.sentence, *lines]))


class DimensionError(BoundkitError):
    """A sum, comparison or power of terms of different dimension. The message names both dimensions."""


def unknown(kind: str, given: str, known: Iterable[str]) -> BoundkitError:
    """The error for a name that is not in the list, with its neighbours.

    >>> str(unknown("theorem", "fedavgg", ["fedavg", "fednova"]))
    "unknown theorem 'fedavgg'; did you mean 'fedavg'?"
    >>> str(unknown("parameter", "TAU", ["m", "tau"]))
    "unknown parameter 'TAU'; did you mean 'tau'?"
    >>> str(unknown("option", "qqq", ["b", "a"]))
    "unknown option 'qqq'; known are a, b."
    """
    names = sorted(set(known))
    lower = {name.lower(): name for name in names}
    exact = [name for name in names if name.lower() == given.lower()]
    near = exact or [lower[name] for name in _near(given.lower(), list(lower))]
    if near:
        return BoundkitError(f"unknown {kind} {given!r}; did you mean {' or '.join(map(repr, near))}?")
    if not names:
        return BoundkitError(f"unknown {kind} {given!r}; there are none.")
    if len(names) > MOST_LISTED:
        return BoundkitError(f"unknown {kind} {given!r}; none of the {len(names)} known names is near.")
    return BoundkitError(f"unknown {kind} {given!r}; known are {', '.join(names)}.")


def _near(given: str, names: list[str]) -> list[str]:
    """Names that are similar to a name; of a short one the letters must be the same, or nearly all agree.

    >>> _near("q", ["m", "d"]), _near("sigm", ["sigma", "gap"]), _near("tua", ["eta", "tau"])
    ([], ['sigma'], ['tau'])
    """
    same = [name for name in names if set(name) == set(given) and abs(len(name) - len(given)) <= 1]
    if same and len(given) <= 3:
        return same
    cutoffs = (0.75,) if len(given) <= 3 else (0.65,) if len(given) <= 5 else (0.6, 0.5)
    return next(filter(None, (get_close_matches(given, names, n=3, cutoff=cutoff) for cutoff in cutoffs)), [])
