"""The program: the parser of its commands, and what each kind of error becomes on stderr.

A command's module is light: it imports typer alone at the top, and what it needs when it runs. It
defines ``run`` and returns None, or an exit code where a check fell short.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import typer

from boundkit.cli import interruption
from boundkit.cli.commands import BAD_INPUT, COMMANDS, DONE, GROUPS, INTERRUPTED, RENAMED
from boundkit.cli.decimal_comma import add_hint
from boundkit.cli.output import forget_stdout, warnings_in_one_line
from boundkit.cli.progress import long_runs_shown

# Even without its boxes, typer escapes the brackets of a help page for rich wherever rich is installed.
vars(typer.core)["HAS_RICH"] = False

_GROUP_HELP = {
    "attack": "Try to break a theorem: by search, by wrong versions of it, by its exact worst case."
}
_FILES = "boundkit.files"
"""The files that the parameters of a command name so far, in click's context."""
COMPLETION = "_BOUNDKIT_COMPLETE"
"""The variable by which a shell requests completions."""
MOST_LISTED = 40
"""Candidates for a missing argument that a message lists."""
LONGEST_MESSAGE = 1200
"""Characters of an error message, which may quote what was typed, and name all that is known."""


class _GroupedHelp(typer.core.TyperGroup):
    """Lists the commands of the program by group, with subcommands in full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        longest = max(map(len, COMMANDS))
        width = formatter.width - 4 - longest
        for title, names in GROUPS.items():
            commands = {name: _subcommand(self, name) for name in names}
            rows = [(name.ljust(longest), c.get_short_help_str(width)) for name, c in commands.items()]
            with formatter.section(title):
                formatter.write_dl(rows)


def app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with some of its commands: building one takes longer than most questions do."""
    program = typer.Typer(
        name="boundkit",
        help="Convergence theorems of federated optimisation, as symbols and on runs.",
        cls=_GroupedHelp,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    program.callback()(_version)
    groups: dict[str, typer.Typer] = {}
    for name in names:
        group, _, subcommand = name.rpartition(" ")
        if group and group not in groups:
            groups[group] = typer.Typer(name=group, help=_GROUP_HELP[group], rich_markup_mode=None)
            program.add_typer(groups[group])
        module = import_module(f"{__package__}.{COMMANDS[name]}")
        groups.get(group, program).command(subcommand)(module.run)
    return program


def parsers(argv: Sequence[str] = ()) -> tuple[Any, dict[str, Any]]:
    """The parser of the program with the command that the words call, or with all where they call none.

    And the parser of each of its commands, by name. They are click's.
    """
    return _parsers(tuple(_called(argv) or COMMANDS))


@cache
def _parsers(names: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
    root = typer.main.get_command(app(names))
    for option in root.params:
        if option.name == "show_completion":
            vars(option)["help"] = "Show completion for the current shell."  # typer's has two lines
    return root, {name: parser for name in COMMANDS if (parser := _subcommand(root, name)) is not None}


def _called(argv: Sequence[str]) -> list[str]:
    """The command at the beginning of a command line; of a group, all its commands."""
    words = [" ".join(argv[:count]) for count in (2, 1) if len(argv) >= count]
    exact = [word for word in words if word in COMMANDS]
    return exact[:1] or [name for name in COMMANDS if argv and name.split()[0] == argv[0]]


def _subcommand(group: Any, name: str) -> Any:
    for word in name.split():
        group = group and group.commands.get(word)
    return group


def _show_version(wanted: bool) -> None:
    if wanted:
        import boundkit

        try:
            print(boundkit.__version__)
        except ImportError:
            print("not installed")
        raise typer.Exit


def _version(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """Evaluate, test and simulate convergence theorems of federated optimisation."""


def run(argv: Sequence[str]) -> int:
    """Run one command and give back its exit code, as ``main`` has them."""
    if sys.stderr is None:  # closed by the shell, as by 2>&-; print would then write to stdout
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, open until the process ends
    if sys.stdout is None:
        return _print_error("the answer could not be written: stdout is closed.", argv)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be no text
    try:
        return _code(list(argv))
    except Exception as error:
        if interruption.received():  # whatever the signal became on its way through other libraries
            return INTERRUPTED
        return _refused(error, argv)


def _code(argv: list[str]) -> int:
    if argv and argv[0] in RENAMED:
        from boundkit.algebra import BoundkitError

        raise BoundkitError(f"the command {argv[0]} is now boundkit {RENAMED[argv[0]]}.")
    if COMPLETION in os.environ:  # the words to complete are in the environment, and the program leaves
        argv = os.environ.get("COMP_WORDS", os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]
    words = argv if argv and " ".join(argv) not in _GROUP_HELP else [*argv, "--help"]
    program, commands = parsers(argv)
    for command in commands.values():
        _refuse_impossible_paths(command)
    try:
        with warnings_in_one_line(), long_runs_shown():
            code = program.main(args=words, prog_name="boundkit", standalone_mode=False)
        sys.stdout.flush()
    except typer.Abort:  # what click makes of KeyboardInterrupt; typer makes the exit code 130 of it
        return INTERRUPTED
    except BrokenPipeError:
        forget_stdout()
        return DONE
    return code if isinstance(code, int) else DONE


def _refused(error: Exception, argv: Sequence[str]) -> int:
    """Print the error as one sentence, if it is of bad input or of a place that cannot be written."""
    from boundkit.algebra import BoundkitError
    from boundkit.algebra.extras import missing_package

    # typer has carried click under two names; the base of its own errors is the same in both.
    usage_error = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
    if isinstance(error, ModuleNotFoundError):
        error = missing_package(error) or error
    if isinstance(error, BoundkitError):
        message = error.sentence
    elif isinstance(error, OSError):
        forget_stdout()
        what = "the answer could not be" if error.filename is None else f"{error.filename} cannot be read or"
        message = f"{what} written: {error.strerror or error}."
    elif isinstance(error, usage_error):
        message = _usage_message(error, argv)
    elif _is_out_of_memory(error):
        message = "memory ran out; ask for fewer clients, parameters, rounds, replicas or points."
    else:
        raise error
    return _print_error(add_hint(message, argv), argv, getattr(error, "lines", ()))


def _usage_message(error: Any, argv: Sequence[str]) -> str:
    """The message of click's error, with what is possible in place of what is missing or unknown."""
    message = str(error.format_message())
    option, parameter = getattr(error, "option_name", None), getattr(error, "param", None)
    if option is not None and error.ctx is not None:
        takes_values = {"values", "words"} & {each.name for each in error.ctx.command.params}
        name = option.lstrip("-")
        from boundkit.algebra.notation import ALPHABET, VECTORS

        if takes_values and name in {*ALPHABET, *VECTORS}:
            return f"a quantity is no option; write {name}={_value_of(option, argv)}."
    elif type(error).__name__ == "MissingParameter" and parameter is not None and error.ctx is not None:
        command = error.ctx.command_path.removeprefix("boundkit ")
        candidates = [each.value for each in parameter.shell_complete(error.ctx, "") if each.type == "plain"]
        listed = f"; possible are {', '.join(candidates)}" if 0 < len(candidates) <= MOST_LISTED else ""
        name = parameter.make_metavar(error.ctx).split()[0].strip("[].")
        return f"{command} needs {name}: {(parameter.help or '').partition(';')[0]}{listed}."
    return message


def _value_of(option: str, argv: Sequence[str]) -> str:
    """The value that was typed after an option, or three dots."""
    for word, following in zip(argv, [*argv[1:], "..."], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return "..."


def _is_out_of_memory(error: Exception) -> bool:
    """Whether numpy or torch could not allocate memory."""
    if isinstance(error, MemoryError) or "torch" not in sys.modules:
        return isinstance(error, MemoryError)
    from boundkit.simulation.engines.memory import is_out_of_memory

    return is_out_of_memory(error)


def _print_error(message: str, argv: Sequence[str], lines: Sequence[str] = ()) -> int:
    """Print the message as one line that ends as a sentence does, of a long one its two ends; then lines."""
    from boundkit.algebra.errors import LONGEST_PATH, shorten, shorten_quotations

    for word in argv:  # words with blanks that a message does not quote
        for part in map(str.strip, (word, *word.split("="))):
            if len(part) > LONGEST_PATH:
                message = message.replace(part, shorten(part))
    line = " ".join(shorten_quotations(message).split())
    if len(line) > LONGEST_MESSAGE:
        ahead, behind = line[: LONGEST_MESSAGE * 2 // 3], line[-LONGEST_MESSAGE // 3 :]
        line = f"{ahead.rpartition(' ')[0] or ahead} ... {behind.partition(' ')[2] or behind}"
    print(f"boundkit: {line}{'' if line.endswith(('.', '?')) else '.'}", *lines, sep="\n", file=sys.stderr)
    return BAD_INPUT


def _refuse_impossible_paths(command: Any) -> None:
    """Have every parameter of a command that is a path refuse what can be none.

    That is "", of which ``Path`` makes the current folder, a name too long for the file system, a theorem's
    name for RUN.json, and a file that another parameter names: an answer is not written over its input.

    ``command`` is click's, or typer's copy of it.
    """

    def refuse(context: Any, parameter: Any, value: Any) -> Any:
        for path in [value] if isinstance(value, str) else value or ():
            fault = _fault_of_path(parameter, path) if _is_path(parameter) else ""
            if not fault and os.path.isfile(path):
                files = context.meta.setdefault(_FILES, {})
                other = files.setdefault(os.path.realpath(path), parameter)
                if other is not parameter:
                    fault = f"{path} is the file of {other.get_error_hint(context)}, too; name another one."
            if fault:
                raise typer.BadParameter(fault, context, parameter)
        return value

    for parameter in command.params:
        if _is_path(parameter) or parameter.param_type_name == "argument":
            parameter.callback = refuse


def _is_path(parameter: Any) -> bool:
    return parameter.type.name in ("path", "file", "directory")


def _fault_of_path(parameter: Any, path: str) -> str:
    """Why a name can be no path of this parameter; empty where it can."""
    if not path:
        return "an empty name is no file and no folder; give one, or leave it out."
    try:
        os.lstat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return f"{path} is too long for a name."
        if parameter.name == "run_file":
            from boundkit.theorems.catalogue import names

            if path in names():
                return f"{path} is a theorem, and a run (RUN.json) is needed here."
    return ""
