"""Command lines: drawn from the options of every command, and the documented ones with changes.

A parameter is filled by its name where its name says what belongs there, else by its type and the words of
its help; so a command that is added to the table is covered without a change here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.formulas import formula
from tests.fuzz.run_files import run_file
from tests.fuzz.values import changed_text, number_text, whole_text, word

ROOT = Path(__file__).resolve().parents[2]
UNBOUNDED = frozenset({
    "check", "demonstrate", "diagnose", "attack search", "attack mutants", "figure", "lecture",
    "proof", "rounds-to-target", "verify",
})  # fmt: skip
"""Commands that search or train for long by design: they are interrupted, and must then end with 130."""
OUTSIDE = frozenset({"--keep", "--download", "--scheduler"})
"""Options that change the installed package, or reach for a network."""
_KINDS = {"objective": "quadratic", "proof": "quadratic"}
"""What some commands need of a problem."""
RUN, THEOREM_FILE = "run.json", "mine.py"


@dataclass(frozen=True)
class Parameter:
    """One argument or option of a command, as the command table has it."""

    name: str
    option: str | None
    kind: str
    help: str
    required: bool
    several: bool
    flag: bool


@dataclass(frozen=True)
class Case:
    """What one seed makes: the words after ``boundkit``, and the files of the folder that it runs in."""

    seed: int
    argv: tuple[str, ...]
    files: dict[str, bytes]

    @property
    def unbounded(self) -> bool:
        """Whether its command may go on until it is interrupted."""
        return command_of(self.argv) in UNBOUNDED


@cache
def command_table() -> dict[str, tuple[Parameter, ...]]:
    """Every command with its parameters, read from the program itself."""
    from boundkit.cli.program import parsers

    return {
        name: tuple(_parameter(each) for each in command.params if each.name != "help")
        for name, command in parsers()[1].items()
    }


def command_of(argv: Sequence[str]) -> str:
    """The command of a command line, which may have two words."""
    two = " ".join(argv[:2])
    return two if two in command_table() else next(iter(argv), "")


def _parameter(found: Any) -> Parameter:
    options = [*found.opts, *found.secondary_opts] if found.param_type_name == "option" else []
    kind = (
        type(found.type).__name__.lower() if "Path" in type(found.type).__name__ else str(found.type).lower()
    )
    return Parameter(
        name=found.name,
        option=options[0] if options else None,
        kind="path" if "path" in kind else kind,
        help=getattr(found, "help", None) or "",
        required=found.required,
        several=found.nargs != 1 or bool(getattr(found, "multiple", False)),
        flag=bool(getattr(found, "is_flag", False)),
    )


@cache
def documented() -> tuple[tuple[str, ...], ...]:
    """The command lines of README.md and docs/, without those that need a network or another file."""
    from tests.readme import commands

    found = []
    for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for line in commands(file.read_text(encoding="utf-8")) if file.is_file() else ():
            words = tuple(shlex.split(line)[1:])
            if not OUTSIDE & set(words):
                found.append(words)
    return tuple(dict.fromkeys(found))


def make_case(seed: int, bounded: bool = False) -> Case:
    """The case of a seed; ``bounded``: of a command that ends by itself soon."""
    rng = Random(seed)
    names = [name for name in command_table() if not (bounded and name in UNBOUNDED)]
    command = rng.choice([*names, *(("simulate", "objective", "predict", "rate") * 3)])
    lines = [line for line in documented() if command_of(line) == command]
    algorithm = rng.choice(algorithms()) if command not in ("diagnose", "verify", "proof") else "fedavg"
    if lines and rng.random() < 0.3:
        argv = [RUN if each.endswith(".json") else each for each in rng.choice(lines)]
        argv = changed_line(rng, argv) if rng.random() < 0.6 else argv
    else:
        argv = drawn_line(rng, command, algorithm)
        argv = changed_line(rng, argv) if rng.random() < 0.12 else argv
    if rng.random() < 0.01:
        argv = [word(rng) for _ in range(rng.randint(0, 3))]
    argv = [each.replace("\x00", "") for each in argv if each not in OUTSIDE]
    if argv and argv[0] in UNBOUNDED and bounded:
        argv = ["list"]
    if (
        any(part.name == "jobs" for part in command_table().get(command_of(argv), ()))
        and "--jobs" not in argv
    ):
        argv += ["--jobs", "1"] if rng.random() < 0.9 or "--all" in argv else []
    return Case(seed, tuple(argv), _files(rng, argv, algorithm))


def _files(rng: Random, argv: list[str], algorithm: str) -> dict[str, bytes]:
    """The files that the words name."""
    files: dict[str, bytes] = {}
    if RUN in argv:
        at = argv.index(RUN)
        algorithm = argv[at - 1] if at and argv[at - 1] in algorithms() else algorithm
        files[RUN] = run_file(rng, algorithm, _KINDS.get(argv[0], "") if rng.random() < 0.8 else "")
    if THEOREM_FILE in argv:
        from boundkit.cli.new_theorem import theorem_file

        text = theorem_file("mine").encode()
        files[THEOREM_FILE] = text if rng.random() < 0.5 else text[: rng.randint(0, len(text))]
    if "junk" in argv:
        files["junk"] = rng.randbytes(50)
    return files


def drawn_line(rng: Random, command: str, algorithm: str) -> list[str]:
    """A command with its arguments and some of its options, most of them valid."""
    parameters = command_table()[command]
    words: list[str] = command.split()
    context = {"theorem": rng.choice(theorems()), "algorithm": algorithm, "command": command}
    for each in parameters:
        if each.option is not None:
            continue
        if each.required or rng.random() < 0.75:
            count = rng.choice((1, 2, 2, 3) if each.required else (0, 1, 1, 2, 3)) if each.several else 1
            words += [value_of(rng, each, context) for _ in range(count)]
    for each in parameters:
        if each.option is None or each.option in OUTSIDE:
            continue
        if each.required or rng.random() < (0.4 if each.name == "as_json" else 0.12):
            words += [each.option] if each.flag else [each.option, value_of(rng, each, context)]
    return words


def changed_line(rng: Random, line: list[str]) -> list[str]:
    """The line with words removed, doubled, exchanged, changed or put in, the command mostly left."""
    line = list(line)
    for _ in range(rng.choice((1, 1, 2, 3))):
        if len(line) < 2 or rng.random() < 0.03:
            line.insert(rng.randint(0, len(line)), word(rng))
            continue
        at, draw = rng.randrange(1, len(line)), rng.random()
        name, equals, _ = line[at].partition("=")
        if equals and draw < 0.6:
            line[at] = f"{name}={value_text(rng)}"
        elif draw < 0.25:
            line[at] = word(rng)
        elif draw < 0.4:
            line[at] = changed_text(rng, line[at])
        elif draw < 0.55:
            del line[at]
        elif draw < 0.65:
            line.insert(at, line[at])
        elif draw < 0.75:
            line[at:] = rng.sample(line[at:], len(line) - at)
        else:
            options = [
                each
                for each in command_table().get(command_of(line), ())
                if each.option not in (None, *OUTSIDE)
            ]
            if options:
                each = rng.choice(options)
                assert each.option is not None
                context = {
                    "theorem": rng.choice(theorems()),
                    "algorithm": "fedavg",
                    "command": command_of(line),
                }
                line += [each.option] if each.flag else [each.option, value_of(rng, each, context)]
    return line


def value_of(rng: Random, parameter: Parameter, context: dict[str, str]) -> str:
    """A value for the parameter: mostly one that belongs there."""
    if rng.random() < 0.04:
        return word(rng) if parameter.kind != "path" else path_text(rng)
    named = _BY_NAME.get(parameter.name)
    if named is not None and context["command"] != "rounds-to-target":
        return named(rng, context)
    if parameter.kind == "path":
        return path_text(rng)
    if "int" in parameter.kind:
        return str(rng.randint(1, 4)) if rng.random() < 0.5 else whole_text(rng)
    if "float" in parameter.kind:
        return repr(rng.choice((0.1, 0.5, 0.01, 0.9))) if rng.random() < 0.4 else number_text(rng)
    own = _OWN_WORDS.get(context["command"], _help_words)(parameter)
    return rng.choice(own) if own else word(rng)


def path_text(rng: Random) -> str:
    """A path below the folder of the case, or one that nothing can be written to."""
    return rng.choice(_PATHS)


_PATHS = (
    "out", "out.png", "out.json", "out.svg", "out.pdf", "out.csv", "out.html", "out.md", "out.nc", "out.exe",
    "a/b/out.png", "a/b", ".", "", "junk", RUN, "missing.json", "/dev/null", "/proc/none/out.json", "é/τ.png",
    "x" * 300, "\udcff.png", "out\n.json", " ", THEOREM_FILE, "-", "out.",
)  # fmt: skip


def value_text(rng: Random) -> str:
    """What may stand after ``name=``: one number, several, a range, or none of these."""
    draw = rng.random()
    if draw < 0.45:
        return rng.choice(("1", "2", "10", "0.1", "0.5", "100", "1e-3"))
    if draw < 0.7:
        return number_text(rng)
    if draw < 0.78:
        return ",".join(rng.choice((number_text(rng), "1", "0.5")) for _ in range(rng.randint(1, 4)))
    if draw < 0.88:
        ends = [rng.choice((number_text(rng), "1", "10")) for _ in range(2)]
        count = rng.choice(("2", "3", "5", "0", "1", "-1", "2.5", "1e3", str(10**18), "x"))
        return ":".join([*ends, count, *(["log"] if rng.random() < 0.5 else [])])
    if draw < 0.92:
        return ";".join(",".join(rng.choice(("1", "0.5", "2")) for _ in range(2)) for _ in range(2))
    return word(rng)


def assignment(rng: Random, context: dict[str, str]) -> str:
    """A word ``name=value``; for some commands now and then a name alone."""
    command = context["command"]
    if command in ("compare", "figure") and rng.random() < 0.5:
        return rng.choice(theorems())
    if command == "cost" and rng.random() < 0.4:
        return rng.choice(algorithms())
    names = _SETTINGS if command == "sweep" else quantities(context["theorem"])
    if command == "cost" and rng.random() < 0.4:
        names = ("m", "tau", "delay", "s", "n_i", "tau_i", "mean", "B", "C")
    name = (
        rng.choice(names)
        if rng.random() < 0.93
        else rng.choice(("zz", "L", "tau_i", "solver", "p_i", word(rng)))
    )
    if name in domains(context["theorem"]) and rng.random() < 0.6:
        return f"{name}={rng.choice(_INSIDE[domains(context['theorem'])[name]])}"
    return f"{name}={value_text(rng)}"


_SETTINGS = ("eta", "eta_s", "local_steps", "tau", "rounds", "T", "seed", "C", "noise", "momentum", "mu")


@cache
def theorems() -> tuple[str, ...]:
    """The names of the catalogue."""
    from boundkit.theorems import names

    return tuple(names())


@cache
def algorithms() -> tuple[str, ...]:
    """The names of all algorithms that run."""
    from boundkit.simulation.algorithms import ALGORITHMS

    return tuple(ALGORITHMS)


@cache
def domains(name: str) -> dict[str, str]:
    """The quantities of a theorem, each with the kind of its values."""
    from boundkit.theorems import theorem

    quantities = {each.name: each.domain for each in theorem(name).quantities}
    return {
        name: "whole" if domain.whole else "fraction" if domain.upper <= 1 else "real"
        for name, domain in quantities.items()
    }


def quantities(name: str) -> tuple[str, ...]:
    """The names of a theorem's quantities."""
    return tuple(domains(name)) or ("L",)


_INSIDE = {
    "whole": ("1", "2", "10", "1000000", "1e15", "1e22", "9007199254740992", "1,2,10", "1:100:3:log"),
    "fraction": ("1e-50", "1e-20", "0.1", "0.5", "0.999999", "1", "0.1,1"),
    "real": ("0", "1e-50", "1e-49", "1e-30", "1e-16", "1e-8", "0.1", "1", "1e8", "1e16", "1e30", "1e49",
             "1e50", "1e-50:1e50:3:log", "0:1:2", "1e-50,1e50"),
}  # fmt: skip
"""Values at the ends of what is allowed, by kind."""


@cache
def _figures() -> tuple[str, ...]:
    from boundkit.figures.gallery import GALLERY

    return tuple(GALLERY)


@cache
def _demonstrations() -> tuple[str, ...]:
    from boundkit.studies.demonstrations import names

    return tuple(names())


@cache
def _assumptions() -> tuple[str, ...]:
    from boundkit.analysis.lattice import LATTICE

    return tuple(LATTICE.assumptions)


def _theorem(rng: Random, context: dict[str, str]) -> str:
    files = context["command"] in (
        "check",
        "verify",
        "attack search",
        "attack mutants",
        "attack worst-case",
        "proof",
    )
    return THEOREM_FILE if files and rng.random() < 0.15 else context["theorem"]


_BY_NAME: dict[str, Callable[[Random, dict[str, str]], str]] = {
    "theorem": _theorem,
    "target": lambda rng, context: formula(rng),
    "targets": _theorem,
    "like": _theorem,
    "algorithm": lambda rng, context: context["algorithm"],
    "run_file": lambda rng, context: RUN,
    "subject": lambda rng, context: RUN,
    "values": assignment,
    "words": assignment,
    "x": lambda rng, context: rng.choice(quantities(context["theorem"])),
    "y": lambda rng, context: rng.choice(quantities(context["theorem"])),
    "of": lambda rng, context: ",".join(rng.sample(quantities(context["theorem"]), 1)),
    "eta": lambda rng, context: formula(rng),
    "eta_s": lambda rng, context: formula(rng),
    "names": lambda rng, context: rng.choice(_assumptions()),
    "have": lambda rng, context: ",".join(rng.choice(_assumptions()) for _ in range(rng.randint(1, 3))),
    "without": lambda rng, context: rng.choice(_assumptions()),
    "assume": lambda rng, context: rng.choice(_assumptions()),
    "rivals": lambda rng, context: rng.choice((*algorithms(), "none")),
}
"""What belongs in a parameter of this name."""
_NUMBERS = {
    "eta": ("0.1", "0.5,1", "1"), "C": ("0.1", "1", "0", "0.5,1"), "B": ("10", "inf"), "E": ("1", "1,5"),
    "algorithm": ("fedavg", "fedprox:mu=0.1", "fedavg,scaffold"), "target": ("0.9", "loss:0.3"),
}  # fmt: skip
_OWN_WORDS: dict[str, Callable[[Parameter], tuple[str, ...]]] = {
    "figure": lambda each: _figures() if each.name == "name" else _help_words(each),
    "demonstrate": lambda each: _demonstrations() if each.name == "name" else _help_words(each),
    "new-theorem": lambda each: ("mine", "my_bound") if each.name == "name" else _help_words(each),
    "rounds-to-target": lambda each: _NUMBERS.get(each.name) or _help_words(each),
}
"""Commands whose parameters of a common name take other words."""


def _help_words(parameter: Parameter) -> tuple[str, ...]:
    """The words of a help text, among which are those that are allowed."""
    return tuple(dict.fromkeys(re.findall(r"[\w-]+(?::[\d.]+)?", parameter.help))) or ("auto",)
