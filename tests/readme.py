"""Takes a Markdown text apart into what a reader would type."""

import re
from dataclasses import dataclass

PROMPT = "$ "
BACKSLASH = "\\"


@dataclass(frozen=True)
class Block:
    language: str
    line: int  # of the opening fence, from 1
    text: str


def blocks(markdown: str) -> list[Block]:
    """The fenced blocks, in order. Raises ValueError for a fence that is never closed."""
    found: list[Block] = []
    opened: tuple[int, str, str] | None = None  # line, fence, language
    inside: list[str] = []
    for number, line in enumerate(markdown.splitlines(), start=1):
        fence = re.match(r" *(`{3,}|~{3,}) *([\w+-]*)", line)
        if opened is None:
            if fence:
                opened, inside = (number, fence[1], fence[2].lower()), []
        elif fence and fence[1].startswith(opened[1]) and line.strip() == fence[1]:
            found.append(Block(opened[2], opened[0], "\n".join(inside) + "\n"))
            opened = None
        else:
            inside.append(line)
    if opened:
        raise ValueError(f"the fence opened in line {opened[0]} is never closed")
    return found


def python_blocks(markdown: str) -> list[Block]:
    return [block for block in blocks(markdown) if block.language == "python" and ">>> " not in block.text]


def table(markdown: str, start: str) -> list[list[str]]:
    """The rows of the table whose head begins so."""
    lines = markdown[markdown.index(start) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def commands(markdown: str) -> list[str]:
    """Lines that begin with `$ boundkit` in console and sh blocks, each with its continuation lines."""
    found = []
    for block in blocks(markdown):
        if block.language not in ("console", "sh"):
            continue
        lines = iter(block.text.splitlines())
        for line in lines:
            if not re.match(r"\s*\$ boundkit\b", line):
                continue
            command = line.strip().removeprefix(PROMPT)
            while command.endswith(BACKSLASH):
                continued = next(lines, "").strip().removeprefix(">").strip()
                command = f"{command.removesuffix(BACKSLASH).rstrip()} {continued}"
            found.append(command)
    return found
