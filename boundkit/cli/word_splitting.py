"""Words of a command line: names first, then name=value."""

from __future__ import annotations

from collections.abc import Sequence


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the first that holds ``=``, and all the others.

    >>> split_words(["sgd_nonconvex", "T", "eta", "m=10", "L=2"])
    (['sgd_nonconvex', 'T', 'eta'], ['m=10', 'L=2'])
    """
    first = next((place for place, word in enumerate(words) if "=" in word), len(words))
    return list(words[:first]), list(words[first:])
