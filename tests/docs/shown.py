"""What a page shows: commands with what they print, files to be written, and sessions of Python."""

import re
from dataclasses import dataclass

from tests.readme import BACKSLASH, PROMPT, blocks

LEFT_OUT = "..."


@dataclass(frozen=True)
class Shown:
    command: str
    output: tuple[str, ...]


def consoles(markdown: str) -> list[Shown]:
    """Each `$ command` of the console blocks, and the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for block in blocks(markdown):
        if block.language != "console":
            continue
        for line in block.text.splitlines():
            if line.startswith(PROMPT):
                found.append((line.removeprefix(PROMPT), []))
            elif found[-1][0].endswith(BACKSLASH) and not found[-1][1]:
                found[-1] = (f"{found[-1][0].removesuffix(BACKSLASH)}{line.strip()}", [])
            else:
                found[-1][1].append(line.rstrip())
    return [Shown(command, tuple(output)) for command, output in found]


def agrees(shown: tuple[str, ...], said: str) -> bool:
    """Whether these lines are what was said; a line of three dots stands for any number of lines.

    >>> agrees(("a", "...", "d"), "a  b  ".replace("  ", chr(10)) + "d"), agrees(("a",), "b")
    (True, False)
    """
    pattern = "".join(r"(?:.*\n)*?" if line == LEFT_OUT else re.escape(line) + r"[ ]*\n" for line in shown)
    return re.fullmatch(pattern, "\n".join(said.strip("\n").splitlines()) + "\n") is not None


def files(markdown: str) -> dict[str, str]:
    """The block below each line that speaks of "a file `NAME`:", by name."""
    return dict(re.findall(r"a file `([\w./]+)`:\n+```\w+\n(.*?)```", markdown, re.S))


def sessions(markdown: str) -> str:
    """All that is typed at Python's prompt, as one example after another."""
    return "\n".join(block.text for block in blocks(markdown) if ">>> " in block.text)
