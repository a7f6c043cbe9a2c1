"""docs/ledger.md: its commands print what is shown, and it has every proof."""

import re
from pathlib import Path

import pytest

from boundkit.cli.proof import run
from boundkit.lecture.markdown import mathml
from boundkit.proofs import Proof, proof_of, proved
from boundkit.theorems import theorem
from tests.docs.shown import agrees, consoles, files
from tests.docs.site import page, site


def test_the_commands_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in files(page("ledger")).items():
        Path(file).write_text(text, encoding="utf-8")
    codes = []
    for shown in consoles(page("ledger")):
        program, command, name, option, value = shown.command.split()
        assert (program, command, option) == ("boundkit", "proof", "--run")
        codes.append(run(name, on_run=value))
        assert agrees(shown.output, capsys.readouterr().out), shown.command
    assert codes == [0, 0, 0, 0, 1]


def test_every_step_of_every_proof_stands_on_the_site_as_a_formula() -> None:
    text = site("proofs").text()
    proofs = [proof_of(theorem(name)) for name in proved()]
    for proof in (each for each in proofs if isinstance(each, Proof)):
        assert f"## {proof.theorem.name}\n" in text
        for step in proof.steps:
            assert f"**{step.name}**" in text.replace("\\", "")
    for formula in re.findall(r"\$(.*?)\$", text):
        assert mathml(formula).startswith("<math")
