"""Sharper constants: proved by the checker, refused one step smaller, never larger than today's."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from sympy import Rational

from boundkit.algebra import Theorem
from boundkit.cli.proof import run
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_numbers import Constraints, parameters_of, with_numbers
from boundkit.proofs.certificate_store import certificate_of, certificates_in
from boundkit.proofs.checker import CaseCheck, check, conclusion_of
from boundkit.proofs.proof_check import END
from boundkit.proofs.rounds import round_of
from boundkit.proofs.sharpening import TOGETHER, Sharpened, Sharpening, adapted, sharpen

PARTIAL, CONVEX = "fedavg_nonconvex_partial_sharp", "fedavg_convex_partial_sharp"


@cache
def sharpened(name: str) -> Sharpened:
    (result,) = sharpen(certificate_of(name)).results
    return result


@pytest.mark.parametrize(
    "name", [PARTIAL, pytest.param(CONVEX, marks=pytest.mark.slow), "sgd_strongly_convex"]
)
def test_the_numbers_of_a_certificate_give_it_back(name: str) -> None:
    certificate = certificate_of(name)
    own = {each.name: each.value for each in parameters_of(certificate)}
    again = with_numbers(certificate, own, {})
    assert again == certificate
    assert [each.arguments for each in again.steps] == [each.arguments for each in certificate.steps]


def test_the_parameters_are_those_of_the_proof() -> None:
    found = {each.name: each.value for each in parameters_of(certificate_of(PARTIAL))}
    assert found == {
        "descent: weight": Rational(32, 25),
        "descent: weight (2)": Rational(12, 25),
        "dispersion of the directions: y": Rational(1, 50),
        "error against gradient: w": Rational(213, 1000),
        "error of a client: y": Rational(1, 11),
        "error of a client: p": Rational(149, 500),
        "error of a client: q": Rational(5, 9),
    }


def test_the_certificate_of_the_documentation_is_sharpened(tmp_path: Path) -> None:
    """Between sampled local steps noise and its drift together miss a bound that each meets alone."""
    page = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text(encoding="utf-8")
    code = next(block for block in page.split("```python\n")[1:] if "my_fedavg_nonconvex" in block)
    (tmp_path / "mine.py").write_text(code.split("```")[0], encoding="utf-8")
    (certificate,) = certificates_in(str(tmp_path / "mine.py"))
    assert isinstance(certificate, Certificate)
    (result,) = sharpen(certificate).results
    assert check(result.certificate).proved
    found = {label: float(value) for label, value in result.constants.items()}
    assert (found["initial gap"], found["stochastic noise"] < 0.9) == (1.5, True)
    assert (found["noise drift"] < 0.75, found["client drift"] < 0.4) == (True, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", [PARTIAL, CONVEX])
def test_constants_are_smaller_and_proved(name: str) -> None:
    certificate, result = certificate_of(name), sharpened(name)
    assert check(result.certificate).proved
    assert result.certificate.theorem.step_size == certificate.theorem.step_size
    old = {term.label: term.expr for term in certificate.theorem.terms}
    for term in result.certificate.theorem.terms:
        assert term.expr / old[term.label] <= 1
    shares = [term.expr / old[term.label] for term in result.certificate.theorem.terms]
    assert sum(shares) < len(shares)


@pytest.mark.slow
def test_one_step_smaller_is_refused() -> None:
    result = sharpened(PARTIAL)
    for label, value in result.constants.items():
        less = {**result.constants, label: value - Rational(1, 100 if value > 1 else 1000)}
        refused = check(with_numbers(certificate_of(PARTIAL), result.parameters, less))
        assert [each.name for each in refused.failed] == [END], label


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "targets"),
    [
        (PARTIAL, {"initial gap": 1.29, "stochastic noise": 0.75, "noise drift": 0.87,
                   "partial participation": 0.66, "client drift": 0.46}),
        (CONVEX, {"initial gap": 0.54, "stochastic noise": 0.58, "noise drift": 0.145,
                  "partial participation": 0.625, "client drift": 0.22}),
    ],
)  # fmt: skip
def test_constants_within_limits_are_proved(name: str, targets: Mapping[str, float]) -> None:
    (result,) = sharpen(certificate_of(name), limits=targets).results
    assert check(result.certificate).proved
    for label, value in result.constants.items():
        assert float(value) <= targets[label] + 1e-12


@pytest.mark.slow
def test_each_aim_has_the_least_of_its_constant() -> None:
    result = sharpen(certificate_of(PARTIAL), ["noise drift", "initial gap"], {"client drift": 1})
    drift, gap = result.results
    assert drift.constants["noise drift"] < gap.constants["noise drift"]
    assert gap.constants["initial gap"] < drift.constants["initial gap"]
    assert result.front == result.results


def test_the_front_leaves_out_what_another_is_better_than() -> None:
    (best,) = sharpen(certificate_of("sgd_nonconvex")).results
    worse = replace(best, aim="worse", constants={k: 2 * v for k, v in best.constants.items()})
    both = Sharpening("sgd_nonconvex", best.constants, (worse, best))
    assert both.front == (best,)
    assert "worse (not on the front)" in both.to_text()


def test_a_proof_without_slack_keeps_its_constants() -> None:
    (result,) = sharpen(certificate_of("sgd_nonconvex")).results
    assert result.constants == {"initial gap": 2, "stochastic noise": 1}
    assert result.check.proved


def test_another_bound_is_proved_with_other_numbers_and_a_false_one_is_not() -> None:
    """A certificate of constants twice as large, with its own numbers, proves the theorem again."""
    proof = certificate_of("fedavg_nonconvex_all")
    larger = proof.theorem
    for term in larger.terms:
        larger = _with_term(larger, term.label, Rational(2))
    weights = {
        each.name: Rational(7, 4) * each.value for each in parameters_of(proof) if "weight" in each.name
    }
    start = with_numbers(proof.of(larger), weights, {})
    wanted = _with_term(larger, "stochastic noise", Rational(2, 3))
    assert check(start).proved
    assert not check(start.of(wanted)).proved
    constraints = Constraints(start)
    changed = constraints.of(wanted)
    assert changed is not None
    found = adapted(changed)
    assert found is not None
    assert found.theorem == wanted
    assert check(found).proved
    for label, share in (("stochastic noise", Rational(1, 100)), ("initial gap", Rational(1, 10))):
        refused = constraints.of(_with_term(larger, label, share))
        assert refused is not None
        assert adapted(refused) is None, label
    tight = certificate_of("sgd_nonconvex")
    for label in ("initial gap", "stochastic noise"):
        refused = Constraints(tight).of(_with_term(tight.theorem, label, Rational(9, 10)))
        assert refused is not None
        assert adapted(refused) is None, label


def _with_term(theorem: Theorem, label: str, share: Rational) -> Theorem:
    terms = tuple(replace(t, expr=share * t.expr) if t.label == label else t for t in theorem.terms)
    return replace(theorem, terms=terms, reductions=(), limits=())


@pytest.mark.slow
def test_weights_that_cancel_something_change_together() -> None:
    """The age without participation is removed by two explicit weights; only their ratio cancels it."""
    proof = certificate_of("scaffold_nonconvex_partial_explicit")
    constraints = Constraints(proof)
    names = [each.name for each in constraints.parameters]
    assert constraints.count < len(names)
    doubled = constraints.by_name([2 * each for each in constraints.own])
    assert doubled == {each.name: 2 * each.value for each in constraints.parameters}
    first, second = (
        names.index(f"{step}: weight") for step in ("age of the controls", "age without participation")
    )
    values = list(constraints.own)
    values[constraints.leader[first]] *= Rational(11, 10)
    moved = constraints.by_name(values)
    for place in (first, second):
        assert moved[names[place]] == Rational(11, 10) * constraints.parameters[place].value
    assert not _signed_atoms(with_numbers(proof, moved, {}))
    alone = {**constraints.by_name(constraints.own), names[first]: moved[names[first]]}
    assert _signed_atoms(with_numbers(proof, alone, {}))


def _signed_atoms(certificate: Certificate) -> list[str]:
    """Return the atoms of both signs in the last line, of which nothing may be left."""
    this = round_of(certificate.theorem)
    conclusions = [conclusion_of(this, each) for each in certificate.steps]
    (chart,) = certificate.charts
    line = CaseCheck(certificate, this, conclusions, chart).last_line()
    return [str(atom) for atom in line if atom.signed]


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sgd_nonconvex", sharpen=True, as_json=True) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["constants"] == {"initial gap": "2", "stochastic noise": "1"}
    assert answer["sharpened"] == [{
        "aim": TOGETHER, "verdict": "proved", "constants": answer["constants"],
        "parameters": {"descent: weight": "2"}, "on_front": True,
    }]  # fmt: skip
    assert run("sgd_nonconvex", sharpen=True, aims=["all"]) == 0
    assert "initial gap (not on" not in capsys.readouterr().out
