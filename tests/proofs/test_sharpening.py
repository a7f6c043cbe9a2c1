"""Sharper constants: proved by the checker, refused one step smaller, never larger than today's."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
from sympy import Rational

from boundkit.cli.proof import run
from boundkit.proofs.certificate_store import certificate_of
from boundkit.proofs.checker import check
from boundkit.proofs.proof_check import END
from boundkit.proofs.sharpening import TOGETHER, Sharpened, Sharpening, parameters_of, sharpen, with_numbers

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
    assert sum(shares) < 0.97 * len(shares)


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
        (CONVEX, {"initial gap": 0.54, "stochastic noise": 0.58, "noise drift": 0.335,
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
