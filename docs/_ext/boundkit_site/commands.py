"""Every command with every option, from the program that reads them."""

from __future__ import annotations

from typing import Any

from boundkit.cli import program

from .markdown import plain, table


def parsers() -> dict[str, Any]:
    """The parser of each command, by name, in the order of the help page."""
    return program.parsers()[1]


def text() -> str:
    """A section a command."""
    return "\n\n".join(_section(name, parser) for name, parser in parsers().items())


def _section(name: str, parser: Any) -> str:
    context = parser.context_class(parser, info_name=f"boundkit {name}")
    ordered = sorted(parser.params, key=lambda p: p.param_type_name != "argument")
    rows = [_row(p, context) for p in ordered if not getattr(p, "hidden", False)]
    usage = " ".join([context.command_path, *parser.collect_usage_pieces(context)])
    return "\n\n".join(
        [
            f"## {name}",
            plain(parser.help),
            f"```text\n{usage}\n```",
            table(["word or option", "meaning"], rows),
        ]
    )


def _row(parameter: Any, context: Any) -> list[str]:
    """As the help page has it: how it is written, and what it says."""
    written, meaning = parameter.get_help_record(context)
    return [f"`{written}`".replace("|", r"\|"), plain(meaning)]
