"""An exhibit written out: what is printed, why it is refused, and what it should read."""

from __future__ import annotations

import textwrap
from typing import Any

from boundkit.algebra.exhibit import Exhibit
from boundkit.algebra.printing import plain

_WIDTH = 100


def exhibit_text(exhibit: Exhibit) -> str:
    """For a terminal, in paragraphs."""
    sign, claim = exhibit.sign, exhibit.claim
    sections = [
        _section("Printed", exhibit.printed.lines(claim, sign)),
        _section("Refused", list(exhibit.refusals())),
        _section("Lost", [exhibit.lost]),
        _section("Doubt", [exhibit.doubt] if exhibit.doubt else []),
        _section("Should read", exhibit.repaired.lines(claim, sign)),
        _section("Stated", [f"{exhibit.stated.removeprefix(', ')}."] if exhibit.states else []),
        _section("Source", [str(exhibit.source)]),
    ]
    return "\n".join([exhibit.name, *(s for s in sections if s)])


def exhibit_dict(exhibit: Exhibit) -> dict[str, Any]:
    """The same for a machine, with the whole review in one text."""
    sign, claim = exhibit.sign, exhibit.claim
    return {
        "exhibit": exhibit.name,
        "algorithm": exhibit.algorithm,
        "claim": claim.name,
        "dimension": str(claim.dimension),
        "printed": exhibit.printed.lines(claim, sign),
        "refusals": list(exhibit.refusals()),
        "lost": exhibit.lost,
        "doubt": exhibit.doubt,
        "repaired": exhibit.repaired.lines(claim, sign),
        "states": exhibit.states or None,
        "up_to": exhibit.up_to or None,
        "at": {str(quantity): plain(value) for quantity, value in exhibit.at.items()},
        "review": exhibit.review(),
        "source": str(exhibit.source),
        "prose": exhibit.prose,
    }


def _section(title: str, items: list[str]) -> str:
    """The items below each other, behind the title."""
    lines = []
    for place, item in enumerate(items):
        before = f"  {'' if place else title:<13}"
        wrapped = textwrap.wrap(item, _WIDTH - len(before), break_on_hyphens=False, break_long_words=False)
        lines += [f"{' ' * len(before) if i else before}{line}" for i, line in enumerate(wrapped)]
    return "\n".join(lines)
