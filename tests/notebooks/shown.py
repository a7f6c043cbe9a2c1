"""One example of whatever the public face gives, by the name that gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

import boundkit as bk
from boundkit.analysis.quiz import QUIZ, RULE, DerivedAnswer, Quiz, QuizRow
from boundkit.attack.falsification import Falsification
from boundkit.attack.mutation import Mutation, Mutations
from boundkit.proofs import Ledger
from boundkit.simulation.selection import selection_limit

PLAIN = {
    "BoundkitError": "an exception, which Python shows",
    "adacomm_steps": "a whole number",
    "plot": "matplotlib Axes",
    "track": "a recorder, which writes a file",
    "symbols": "a table of keywords, as text",
    "quiz": "half a minute of derivation; a line of it stands as Quiz",
}
"""What needs no look of ours, and why."""

PARTIAL = "fedavg_nonconvex_partial"


def quadratic() -> bk.Quadratic:
    """Three clients on a line."""
    return bk.Quadratic([1.0, 3.0, 2.0], [[0.0], [2.0], [1.0]], noise=0.1)


def _network() -> bk.Network:
    import torch

    points = torch.arange(16.0).reshape(8, 2) / 16
    model = {"kind": "mlp", "hidden": [2]}
    return bk.Network([(points, torch.arange(8) % 2)] * 3, model, loss=torch.nn.CrossEntropyLoss(), batch=4)


LOG = Path(__file__).resolve().parents[2] / "examples" / "training_log.csv"


def _line_of_the_quiz() -> Quiz:
    effect = bk.sensitivity("sgd_nonconvex", ["m"]).effect("m")
    answer = DerivedAnswer("m", "sgd_nonconvex", "fixed steps", effect, "better")
    return Quiz((QuizRow(QUIZ[0], (answer,), ()),), RULE)


def _diagnosis() -> object:
    from boundkit.simulation.run import make_run

    run = make_run("fedavg", quadratic(), rounds=3, eta=0.05, local_steps=2)
    return bk.diagnose(run, replicas=3, rivals=())


def _worst_case() -> object:
    pytest.importorskip("PEPit", reason="needs PEPit: pip install boundkit[pep]")
    return bk.worst_case("sgd_nonconvex")


def _reports_on_mutants() -> Mutations:
    report = example("mutate")
    assert isinstance(report, Mutation)
    return Mutations((report,))


def _search() -> object:
    found = example("falsify")
    assert isinstance(found, Falsification)
    return found.search


def _step_of_a_proof() -> object:
    found = example("ledger")
    assert isinstance(found, Ledger)
    return found.step("dissimilarity")


EXAMPLES: dict[str, Callable[[], object]] = {
    "ClippingProblem": lambda: bk.ClippingProblem("valley", clients=2, L0=1.0, L1=1.0, grad_max=2.0),
    "Exponential": lambda: bk.Exponential.random(3, 2),
    "Huber": lambda: bk.Huber.random(3, 2),
    "LogCosh": lambda: bk.LogCosh.random(3, 2),
    "Logistic": lambda: bk.Logistic(1.0, 1.0, clients=3, features=4, classes=3),
    "Network": _network,
    "Polynomial": lambda: bk.Polynomial([[1.0, 0.0, 1.0], [1.0, -2.0, 1.0]]),
    "Quadratic": quadratic,
    "SmoothNonconvex": lambda: bk.SmoothNonconvex.random(3, 2),
    "Strategy": lambda: bk.Strategy(count=1, candidates=2),
    "Theorem": lambda: bk.theorem("sgd_nonconvex"),
    "catalogue": bk.catalogue,
    "check": lambda: bk.check("sgd_nonconvex"),
    "compare": lambda: bk.compare("fedavg_nonconvex", PARTIAL, tau=[2, 5, 9]),
    "complexity": lambda: bk.complexity("fedavg_nonconvex"),
    "costs": lambda: bk.costs("fedavg", "scaffold"),
    "diagnose": _diagnosis,
    "estimate": lambda: bk.estimate(quadratic(), bk.simulate("fedavg", quadratic(), rounds=3, eta=0.1)),
    "falsify": lambda: bk.falsify("fedavg_nonconvex", evaluations=40, smaller=False),
    "find": lambda: bk.find("smooth,bounded-noise"),
    "forecast": lambda: bk.forecast(LOG, target=0.4),
    "ledger": lambda: bk.ledger("fedavg_nonconvex", quadratic(), rounds=9, eta=0.01, local_steps=2),
    "mutate": lambda: bk.mutate("sgd_strongly_convex", evaluations=5),
    "objective": lambda: bk.objective("fedavg", quadratic(), eta=0.1, local_steps=[1, 2, 5]),
    "plan": lambda: bk.plan(step_time=1.0, replicas=2, bandwidth="1GB/s", payload="1GB"),
    "power_law_converges": lambda: bk.power_law_converges(0.75),
    "predict": lambda: bk.predict(PARTIAL, tau=list(range(1, 31))),
    "rate": lambda: bk.rate(PARTIAL, eta="1/(sqrt(T)*tau*L)"),
    "reach": lambda: bk.reach("sgd_nonconvex", "1/sqrt(m*T) + 1/T"),
    "reductions": lambda: bk.reductions("sgd_nonconvex"),
    "regimes": lambda: bk.regimes("sgd_nonconvex", "m", "T"),
    "round_time": lambda: bk.round_time("local", m=[1, 10]),
    "rounds_to": lambda: bk.rounds_to(PARTIAL, 1.0),
    "rounds_to_target": lambda: bk.rounds_to_target(
        clients=10, rounds=5, replicas=2, eta=1.0, C=0.5, E=1, B=None
    ),
    "sensitivity": lambda: bk.sensitivity("sgd_nonconvex"),
    "simulate": lambda: bk.simulate("fedavg", quadratic(), rounds=9, eta=0.1, replicas=4, local_steps=2),
    "skew": lambda: bk.skew(quadratic(), bk.Strategy(count=1, candidates=2)),
    "theorem": lambda: bk.theorem("fednova_nonconvex"),
    "tune": lambda: bk.tune("fedavg_nonconvex", "eta", T=100),
    "verify": lambda: bk.verify(
        bk.theorem("fedavg_nonconvex"), quadratic(), rounds=9, eta=0.01, local_steps=2, slopes=False
    ),
    "worst_case": _worst_case,
}  # fmt: skip
"""By a name of the public face: what it gives."""

FURTHER: dict[str, Callable[[], object]] = {
    "Quiz": _line_of_the_quiz,
    "a step of a proof": _step_of_a_proof,
    "complexity of all": bk.complexity,
    "reports on mutants": _reports_on_mutants,
    "what a search found": _search,
    "a point to compare at": lambda: bk.compare("fedavg_nonconvex", PARTIAL),
    "costs as numbers": lambda: bk.costs("fedavg", m=10),
    "a prediction at a point": lambda: bk.predict("fednova_nonconvex", tau_i=[2, 5, 9]),
    "the end of a selection": lambda: selection_limit(quadratic(), bk.Strategy(count=1, candidates=2)),
    "a rate that is out of reach": lambda: bk.reach(PARTIAL, "1/T"),
    "a run that diverges": lambda: bk.simulate("fedavg", quadratic(), rounds=400, eta=50.0),
}
"""Other shapes of the same."""


@cache
def example(name: str) -> object:
    """The example of that name, made once."""
    return (EXAMPLES | FURTHER)[name]()


def contents(theorem: bk.Theorem) -> Iterable[object]:
    """What a theorem is made of."""
    yield from (theorem, theorem.bound, theorem.claim, theorem.source)
    yield from (*theorem.terms, *theorem.assumptions, *theorem.quantities)
