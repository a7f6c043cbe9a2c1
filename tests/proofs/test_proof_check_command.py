"""``boundkit proof``: verdicts, exit codes, the table of all proofs, a run on which a step is wrong."""

import json
import re
from pathlib import Path

import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.analysis.check import CheckResult
from boundkit.cli.proof import run
from boundkit.proofs import certificate_store
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.missing_certificates import why_unproved
from boundkit.theorems import theorem
from boundkit.theorems.catalogue import names
from tests.cli.conftest import run_command
from tests.proofs.runs import run_of, unlike

PARTIAL = "fedavg_nonconvex_partial_sharp"
DOCS = Path(__file__).parents[2] / "docs"


def guide() -> str:
    """The example of the guide."""
    text = (DOCS / "certificates.md").read_text(encoding="utf-8")
    examples: list[str] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return next(code for code in examples if "PROOF" in code)


def test_a_proof_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(PARTIAL) == 0
    printed = capsys.readouterr().out
    assert "Proved from the lemmas: 43 obligations" in printed
    assert run(PARTIAL, as_json=True) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["verdict"] == "proved"
    assert [step["name"] for step in result["steps"]][:3] == ["start", "descent", "participation"]
    assert {step["lemma"] for step in result["steps"]} - {""} <= set(LEMMAS)
    assert all(one["verdict"] == "proved" for step in result["steps"] for one in step["obligations"])
    assert result["steps"][2]["removes"] == "E||v||^2"


def test_the_table_takes_stored_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(None, every=True, as_json=True) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["theorem"] for record in records] == list(certificate_store.certified())
    assert all(record["stored"] and record["verdict"] == "proved" for record in records)
    assert run(None, every=True) == 0
    printed = capsys.readouterr().out
    assert f"{len(records)} of {len(records)} proved; 0 checked now" in printed
    for name in names():
        assert name in printed
        assert name in certificate_store.certified() or f"{why_unproved(theorem(name))}" in printed


def test_what_changed_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        certificate_store, "stored_check", lambda name: {"key": "another", "verdict": "proved"}
    )
    monkeypatch.setattr(certificate_store, "certified", lambda: (PARTIAL,))
    ((record, proved_again),) = certificate_store.check_all(jobs=1)
    assert proved_again
    assert (record["theorem"], record["verdict"]) == (PARTIAL, "proved")


def test_the_key_depends_on_statement_proof_and_library(monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = certificate_store.certificate_of(PARTIAL)
    others = {
        certificate_store.key_of(certificate.without("telescoping")),
        certificate_store.key_of(certificate.changed("error against gradient", {"w": 1})),
        certificate_store.key_of(certificate.changed("descent", weight=1)),
    }
    monkeypatch.setattr(certificate_store, "library_key", lambda _: "another")
    others.add(certificate_store.key_of(certificate))
    monkeypatch.undo()
    assert len(others | {certificate_store.key_of(certificate)}) == 5


def test_the_file_of_the_guide_is_proved_and_a_wrong_one_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(guide(), encoding="utf-8")
    assert run(str(file)) == 0
    assert "my_fedavg_nonconvex, checked step by step" in capsys.readouterr().out
    file.write_text(guide().replace("Rational(3, 2) * gap", "Rational(5, 4) * gap"), encoding="utf-8")
    assert run(str(file)) == 1
    assert "The step 'bound' is refuted: initial gap: the coefficient of gap fails" in capsys.readouterr().out
    file.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(BoundkitError, match="defines no certificate"):
        run(str(file))


def test_check_takes_the_proof_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(guide(), encoding="utf-8")
    right = bk.check(str(file), static=True)
    assert isinstance(right, CheckResult)
    assert right.named("proof").outcome == "pass"
    assert right.undetected == ()
    file.write_text(guide().replace("Rational(3, 2) * gap", "Rational(5, 4) * gap"), encoding="utf-8")
    answer = run_command("check", "--static", str(file))
    assert answer.code == 1
    assert "proof  The step 'bound' is refuted: initial gap" in answer.out
    several = "WRONG = PROOF.without('telescoping')\nAGAIN = PROOF.of(THEOREM)\n"
    file.write_text(guide() + several, encoding="utf-8")
    assert not bk.check(str(file), static=True)


def test_the_lemmas_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(None, lemmas=True) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in LEMMAS)
    assert run(None, lemmas=True, as_json=True) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["lemmas"]] == list(LEMMAS)
    for name in ("fedavg_nonconvex_partial_long_steps", "fedavg_nonconvex_partial_long_steps_tuned"):
        assert run(name, lemmas=True, as_json=True) == 0
        used = [each["name"] for each in json.loads(capsys.readouterr().out)["lemmas"]]
        steps = certificate_store.certificate_of("fedavg_nonconvex_partial_long_steps").steps
        assert set(used) == {step.lemma.name for step in steps}


NOVA = "fednova_nonconvex_surrogate"


def test_a_run_on_which_a_step_is_wrong_ends_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pulled = run_of(theorem(NOVA), unlike(), local_steps=[1, 2, 3, 5], options={"mu": 8.0})
    file = tmp_path / "run.json"
    file.write_text(json.dumps(pulled.to_json()))
    assert run(NOVA, file) == 1
    said = capsys.readouterr().out
    assert "gradients counted to the end (broken)" in said
    assert "The step 'gradients counted to the end' is wrong on this run, first in round 0" in said
    assert f"run       {file}" in said
    assert run(NOVA, file, as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["broken"] == ["gradients counted to the end"]
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
