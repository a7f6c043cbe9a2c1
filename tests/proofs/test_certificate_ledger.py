"""Certificates on runs: measured + slacks = bound, and a step that the run contradicts is named."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.cli.proof import run as run_command
from boundkit.proofs import ledger, proof_of, proved
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_ledger import certificate_entries, objection
from boundkit.proofs.certificate_store import certificate_of, certified
from boundkit.proofs.expectation_values import ObservedRounds, run_context
from boundkit.proofs.proof_check import END
from boundkit.proofs.quadratic_expectations import QuadraticRounds
from boundkit.proofs.stored_update_expectations import StoredUpdateRounds
from boundkit.simulation.engines.exact_moment_engine import ExactEngine
from boundkit.simulation.engines.exact_state_engine import ExactStateEngine
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.verifier import verify

BY_CERTIFICATE = [name for name in proved() if isinstance(proof_of(theorem(name)), Certificate)]
PARTIAL = "fedavg_nonconvex_partial_sharp"


def test_every_certificate_about_rounds_of_these_algorithms_is_among_them() -> None:
    assert {
        "fedavg_convex_partial_sharp", "fedavg_strongly_convex_partial_sharp", "fedavg_nonconvex_sharp",
        "fedavg_pl", "fednova_nonconvex_surrogate_sharp", "sgd_nonconvex", "sgd_strongly_convex",
        "fedvarp_nonconvex_sharp", "scaffold_strongly_convex_partial", "vrl_sgd_nonconvex",
        "fedavg_nonconvex_sampling", "fedavg_nonconvex_sampling_exact", "fedavg_nonconvex_all",
        "fedau_nonconvex", "fedavgm_convex_partial", "fedavgm_nonconvex_partial",
    } <= set(BY_CERTIFICATE)  # fmt: skip
    assert set(BY_CERTIFICATE) <= set(certified())


@pytest.mark.parametrize("name", BY_CERTIFICATE)
def test_measured_and_slacks_are_the_bound(name: str) -> None:
    result = ledger(theorem(name))
    assert result.holds, [step.name for step in result.broken]
    slacks = sum(step.slack for step in result.steps if step.kind != "identity")
    assert result.measured + slacks == pytest.approx(result.bound, rel=1e-10)
    own = certificate_of(name)
    names = [*["squares beside the claim"] * bool(own.potential), *(step.name for step in own.steps), END]
    assert [step.name for step in result.steps] == names
    identities = [step for step in result.steps if step.kind == "identity"]
    assert all(abs(step.slack) <= 1e-9 * result.bound for step in identities)


def test_a_ledger_measures_what_the_verifier_measures() -> None:
    clients = Quadratic([[1.0, 0.2], [0.5, 0.9]], [[0.0, 1.0], [2.0, 0.0]], noise=0.3)
    for name in ("fedavg_pl", "fedavg_nonconvex_sharp"):
        run = make_run("fedavg", clients, rounds=30, eta=0.02, local_steps=4, x0=[3.0, -1.0])
        verdict = verify(theorem(name), run, slopes=False)
        assert verdict.measured is not None
        assert ledger(theorem(name), run).measured == pytest.approx(float(verdict.measured.value), rel=1e-12)


def test_a_deterministic_quadratic_run_has_the_expectations_of_its_moments() -> None:
    clients = Quadratic([[1.0, 0.2], [0.5, 0.9]], [[0.0, 1.0], [2.0, 0.0]])
    run = make_run("fedavg", clients, rounds=12, eta=0.05, local_steps=4, x0=[3.0, -1.0])
    context = run_context(run, clients)
    exact, observed = QuadraticRounds(context), ObservedRounds(context)
    for name, values in observed.scalars.items():
        np.testing.assert_allclose(values, exact.scalars[name], rtol=1e-9, atol=1e-13, err_msg=name)
    for first, second in (("g", "g"), ("g", "e"), ("e", "e"), ("P", "g")):
        for mean in (True, False):
            np.testing.assert_allclose(
                observed.inner(first, second, mean), exact.inner(first, second, mean), rtol=1e-9, atol=1e-13
            )


@pytest.mark.parametrize(
    ("algorithm", "options", "C"),
    [("fedvarp", {}, 0.5), ("scaffold", {"initial_controls": "gradient"}, 0.5), ("scaffold", {}, 1.0),
     ("vrlsgd", {}, 1.0)],
)  # fmt: skip
def test_moments_with_stored_updates_are_those_of_the_exact_engine(
    algorithm: str, options: dict[str, str], C: float
) -> None:
    """That engine probes the simulated round, for each set of participants; here rounds have formulas."""
    clients = Quadratic([[1.0, 0.2], [0.5, 0.9], [0.3, 0.4], [0.8, 0.1]],
                        [[0.0, 1.0], [2.0, 0.0], [-1.0, 1.0], [0.5, -2.0]], noise=0.4)  # fmt: skip
    run = make_run(
        algorithm, clients, rounds=6, eta=0.05, local_steps=3, x0=[3.0, -1.0], options=options,
        participation={"kind": "uniform", "C": C}, eta_s=1.0 if algorithm == "vrlsgd" else 1.4,
    )  # fmt: skip
    own = StoredUpdateRounds(run_context(run, clients))
    exact = ExactStateEngine(run).trajectory().observed
    np.testing.assert_allclose(own.inner("g", "g", True), exact["gradient_norm_squared"][0, :-1], rtol=1e-10)
    decrease = exact["loss"][0, :-1] - exact["loss"][0, 1:]
    np.testing.assert_allclose(own.scalars["decrease"], decrease, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("kind", ["with_replacement", "bernoulli"])
def test_moments_under_any_sampling_are_those_of_the_exact_engine(kind: str) -> None:
    clients = Quadratic(
        [[1.0, 0.2], [0.5, 0.9], [0.3, 0.4]], [[0.0, 1.0], [2.0, 0.0], [-1.0, 1.0]], noise=0.4
    )
    shares = [0.2, 0.5, 0.3]
    run = make_run(
        "fedavg", clients, rounds=6, eta=0.05, local_steps=3, x0=[3.0, -1.0],
        options={"aggregation": "unbiased"},
        participation={"kind": kind, "probabilities": shares} | ({"count": 2} if kind != "bernoulli" else {}),
    )  # fmt: skip
    own, exact = QuadraticRounds(run_context(run, clients)), ExactEngine(run).trajectory().observed
    np.testing.assert_allclose(own.inner("g", "g", True), exact["gradient_norm_squared"][0, :-1], rtol=1e-10)
    decrease = exact["loss"][0, :-1] - exact["loss"][0, 1:]
    np.testing.assert_allclose(own.scalars["decrease"], decrease, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("nesterov", [0.0, 0.5, 1.0])
def test_a_server_with_momentum_is_that_of_the_simulation(nesterov: float) -> None:
    clients = SmoothNonconvex.random(4, 3, 1, spread=1.0)
    options = {"server_momentum": 0.8, "nesterov": nesterov}
    run = make_run("fedavgm", clients, rounds=12, eta=0.002, local_steps=3, options=options)
    result = ledger(theorem("fedavgm_nonconvex_partial_long_steps"), run)
    assert (result.holds, result.engine) == (True, "the run itself")
    assert result.measured == pytest.approx(
        float(ObservedRounds(run_context(run, clients)).inner("g", "g", True).mean()), rel=1e-12
    )
    pair = Quadratic([[1.0, 0.2], [0.5, 0.9]], [[0.0, 1.0], [2.0, 0.0]])
    run = make_run("fedavgm", pair, rounds=12, eta=0.05, local_steps=4, x0=[3.0, -1.0], options=options)
    exact, observed = QuadraticRounds(run_context(run, pair)), ObservedRounds(run_context(run, pair))
    for name, values in observed.scalars.items():
        np.testing.assert_allclose(values, exact.scalars[name], rtol=1e-8, atol=1e-12, err_msg=name)


def test_a_run_that_is_no_quadratic_is_followed_itself() -> None:
    clients = SmoothNonconvex.random(4, 3, 1, spread=1.0)
    run = make_run("fedavg", clients, rounds=20, eta=0.01, local_steps=5)
    result = ledger(theorem("fedavg_nonconvex_sharp"), run)
    assert (result.holds, result.engine) == (True, "the run itself")


def test_a_step_that_a_run_contradicts_is_named() -> None:
    """Young with a negative parameter, and local steps that drift less than they do."""
    own = certificate_of("fedavg_nonconvex_sharp")
    clients = Quadratic([1.0, 0.2], [[0.0], [5.0]])
    run = make_run("fedavg", clients, rounds=10, eta=0.01, local_steps=20, x0=[3.0])
    small = Rational(1, 1000)
    for step, change in (
        ("error against gradient", {"w": Rational(-1, 4)}),
        ("error of a client", {"p": small, "q": small}),
    ):
        assert ledger(own.theorem, run, own.changed(step, change)).broken[0].name == step
    with pytest.raises(BoundkitError, match="'dissimilarity' removes mean E"):
        ledger(own.theorem, run, own.changed("error of a client", {"p": 0, "q": 0}))


def test_a_bound_below_the_last_line_is_named() -> None:
    own = certificate_of(PARTIAL)
    terms = tuple(replace(term, expr=term.expr / 10) for term in own.theorem.terms)
    smaller = own.of(replace(own.theorem, terms=terms, reductions=(), limits=()))
    clients = Quadratic([1.0, 1.0], [[0.0], [1.0]])
    run = make_run("fedavg", clients, rounds=200, eta=0.01, participation={"kind": "uniform", "C": 0.5})
    entries = ledger(smaller.theorem, run, smaller)
    assert [step.name for step in entries.broken] == [END]


def test_certificates_about_other_rounds_are_refused_with_a_reason() -> None:
    assert "round of clusterfedvarp" in objection(certificate_of("clusterfedvarp_nonconvex_sharp"))
    assert "limit" not in objection(certificate_of("fedavg_pl"))
    with pytest.raises(BoundkitError, match="follows from"):
        proof_of(theorem("fedavg_nonconvex_tuned"))
    with pytest.raises(BoundkitError, match="cannot be evaluated on runs"):
        certificate_entries(certificate_of("clusterfedvarp_nonconvex"), None, {"T": 1}, 1.0)  # type: ignore[arg-type]


def test_a_file_of_ones_own_is_put_in_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text(encoding="utf-8")
    code = next(block for block in page.split("```python\n")[1:] if "my_fedavg_nonconvex" in block)
    path, file = tmp_path / "mine.py", tmp_path / "run.json"
    path.write_text(code.split("```")[0], encoding="utf-8")
    file.write_text(
        '{"problem": {"kind": "quadratic", "H": [1, 0.5], "e": [[0], [2]]}, "x0": [3], "rounds": 50, '
        '"eta": 0.02, "local_steps": 5}'
    )
    assert run_command(str(path), file, as_json=True) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["holds"], answer["theorem"]) == (True, "my_fedavg_nonconvex")
    assert [step["name"] for step in answer["steps"]][-2:] == ["telescoping", END]
    with pytest.raises(BoundkitError, match=r"none\.json"):
        run_command(str(path), tmp_path / "none.json")
    run_command(str(path), file)
    assert "client drift" in capsys.readouterr().out
