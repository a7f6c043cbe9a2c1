"""The list of commands, names of earlier versions, shell completion, and candidates for a theorem."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import boundkit as bk
from boundkit.cli.commands import COMMANDS, GROUPS, RENAMED
from boundkit.theorems import names
from tests.cli.conftest import Command

RUN = Path(__file__).parents[2] / "examples" / "two_clients.json"


def test_help_lists_every_command_in_its_group_on_one_line_within_80_columns(boundkit: Command) -> None:
    lines = boundkit("--help").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 50
    for title, commands in GROUPS.items():
        start = lines.index(f"{title}:")
        for line, name in zip(lines[start + 1 :], commands, strict=False):
            assert re.match(rf"  {name}  +\w", line)
            assert not line.endswith("..."), line
    assert boundkit("attack").out == boundkit("attack", "--help").out


def test_a_renamed_command_is_answered_by_its_new_name(boundkit: Command) -> None:
    for old, new in RENAMED.items():
        assert old not in COMMANDS
        assert next(name for name in COMMANDS if new == name or new.startswith(f"{name} --"))
        answer = boundkit(old, "sgd_nonconvex", "--json")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == f"boundkit: the command {old} is now boundkit {new}.\n"


def test_every_option_and_argument_has_a_help_text() -> None:
    from boundkit.cli.program import parsers

    for command, parser in parsers()[1].items():
        for parameter in parser.params:
            assert parameter.help, f"{command} {parameter.name}"


def test_a_shell_completes_commands_theorems_and_values(
    boundkit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def completed(line: str, shell: str = "bash") -> list[str]:
        """What the shell offers for the last word of a line."""
        if shell == "bash":
            monkeypatch.setenv("COMP_WORDS", line)
            monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        else:
            monkeypatch.delenv("COMP_WORDS")
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        monkeypatch.setenv("_BOUNDKIT_COMPLETE", f"complete_{shell}")
        answer = boundkit()
        assert answer.err == ""
        return [word for word in answer.out.split("\n") if word]

    assert {"rate", "regimes", "rounds", "rounds-to-target"} == set(completed("boundkit r"))
    theorems = completed("boundkit predict scaffold_")
    assert set(theorems) == {name for name in names() if name.startswith("scaffold_")}
    assert set(completed("boundkit predict fedavg_nonconvex sigma")) == {"sigma=", "sigma_g="}
    assert "sigma_g=" not in completed("boundkit predict fedavg_nonconvex sigma_g=1 sigma")
    assert "local steps" in completed("boundkit predict fedavg_nonconvex ta", "zsh")[0]


def test_a_part_of_names_is_answered_by_a_line_for_each_theorem(boundkit: Command) -> None:
    answer = boundkit("predict", "scaffold", "tau=2")
    sentence, *lines = answer.err.splitlines()
    assert (answer.code, answer.out) == (2, "")
    assert sentence == f"boundkit: unknown theorem 'scaffold'; {len(lines)} theorems have it in their name."
    for line in lines:
        name, title = line.split(maxsplit=1)
        assert bk.theorem(name).title == title
    with pytest.raises(bk.BoundkitError, match=r"scaffold_nonconvex_partial +SCAFFOLD"):
        bk.predict("scaffold")


def test_replicas_of_a_deterministic_run_are_answered_by_a_warning(boundkit: Command) -> None:
    for words in (("simulate", "fedavg", str(RUN)), ("sweep", "fedavg", str(RUN), "--jobs", "1")):
        assert "--replicas has no effect" in boundkit(*words, "--replicas", "3").err
        assert "--replicas" not in boundkit(*words).err


def test_a_missing_gpu_is_refused_whatever_would_run(
    boundkit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for words in (
        ("verify", "sgd_nonconvex"), ("simulate", "fedavg", str(RUN)), ("sweep", "fedavg", str(RUN)),
        ("diagnose", str(RUN)), ("figure", "bound_against_run", "sgd_nonconvex"), ("rounds-to-target",),
    ):  # fmt: skip
        answer = boundkit(*words, "--device", "cuda")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == (
            "boundkit: device cuda was requested, but torch finds no GPU here; use cpu or auto.\n"
        )


def test_a_table_of_other_runs_is_not_written_over(boundkit: Command, tmp_path: Path) -> None:
    sweep = ("sweep", "fedavg", str(RUN), "--jobs", "1", "--out", str(tmp_path))
    assert boundkit(*sweep, "eta=0.01,0.02").code == 0
    table = (tmp_path / "table.csv").read_text()
    answer = boundkit(*sweep, "eta=0.02,0.03")
    assert (answer.code, answer.out) == (2, "")
    assert "table.csv has 1 run that this sweep has not" in answer.err
    assert (tmp_path / "table.csv").read_text() == table
    assert boundkit(*sweep, "eta=0.01,0.02,0.03").code == 0
    assert boundkit(*sweep, "eta=0.05", "--fresh").code == 0
