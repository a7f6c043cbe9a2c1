"""``boundkit proof``: exit code 1 where a step is wrong on the run, and a program's answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra import BoundkitError
from boundkit.cli.proof import run
from boundkit.theorems import theorem
from tests.cases import each
from tests.proofs.runs import run_of, unlike

NOVA = "fednova_nonconvex_surrogate"


def test_a_run_on_which_a_step_is_wrong_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pulled = run_of(theorem(NOVA), unlike(), local_steps=[1, 2, 3, 5], options={"mu": 8.0})
    file = tmp_path / "run.json"
    file.write_text(json.dumps(pulled.to_json()))
    assert run(NOVA, file) == 1
    said = capsys.readouterr().out
    assert "noise counted to the end (broken)" in said
    assert "The step 'noise counted to the end' is wrong on this run, first in round 0" in said
    assert f"run       {file}" in said
    assert run(NOVA, file, as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["broken"] == ["noise counted to the end", "gradients counted to the end"]
    assert told["run"] == json.loads(file.read_text())


def test_the_default_instance_is_described_and_can_be_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    assert run("fedavg_nonconvex_partial", save_run=file) == 0
    said = capsys.readouterr().out
    setting = "8 quadratic clients, d = 3, tau = 8, C = 0.25, T = 200, eta = 0.00521"
    assert f"on the default instance 'equal Hessians, noise': {setting}\n" in said
    assert run("fedavg_nonconvex_partial", file) == 0
    again = capsys.readouterr().out
    assert f"on {setting}\n" in again
    assert again.splitlines()[3:] == said.splitlines()[3:]


@each(
    ("name", "files", "said"),
    [
        (
            "fedawe_nonconvex",
            {},
            r"has no proof here that can be run; these have one: fednova_nonconvex_surrogate",
        ),
        (
            "fedavg_strongly_convex_drift_limit_lower",
            {},
            r"is not machine-checked: a lower bound by an instance",
        ),
        (NOVA, {"plot": Path("steps.gif")}, r"ends in \.gif"),
        (NOVA, {"run_file": Path("nothing.json")}, r"cannot read nothing\.json"),
    ],
)
def test_what_cannot_be_is_refused(name: str, files: dict[str, Any], said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        run(name, **files)
