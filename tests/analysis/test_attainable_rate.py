"""Which steps give a wanted rate: the talk's pair, the proof that one step cannot, and its own answers."""

import pytest
from sympy import Rational, simplify, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import C, L, T, m, tau
from boundkit.analysis.attainable_rate import reach
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.theorems import theorem
from tests.cases import each

TALK = "1/sqrt(C*m*tau*T) + sqrt(tau/(C*m*T)) + 1/T"
PARTIAL, FULL, SGD = (theorem(n) for n in ("fedavg_nonconvex_partial", "fedavg_nonconvex", "sgd_nonconvex"))


def test_the_rate_of_the_talk_comes_from_its_pair_of_steps() -> None:
    found = reach(PARTIAL, TALK)
    assert found.rules["eta"] == 1 / (sqrt(T) * tau * L)
    assert simplify(found.rules["eta_s"] - sqrt(tau * C * m)) == 0
    assert found.rate is not None
    powers = {label: term.powers for label, term in found.rate.terms.items()}
    half = Rational(1, 2)
    assert (powers["initial gap"]["T"], powers["initial gap"]["tau"]) == (-half, -half)
    assert (powers["partial participation"]["T"], powers["partial participation"]["tau"]) == (-half, half)
    assert powers["client drift"]["T"] == powers["noise drift"]["T"] == -1


def test_one_step_cannot_give_it_and_the_start_and_the_drift_are_why() -> None:
    found = reach(PARTIAL, TALK, one_step=True)
    assert not found.reached
    assert found.blocking == ("initial gap", "client drift")
    assert "one step size for clients and server cannot give" in repr(found)
    # what one step does give: the drift grows with the clients that come and with their steps
    assert reach(PARTIAL, f"{TALK} + C*m*tau/T", one_step=True).reached


@each(
    ("statement", "wanted"),
    [
        (PARTIAL, TALK),
        (FULL, "1/sqrt(m*tau*T) + m*tau/T"),
        (SGD, "1/sqrt(m*T)"),
        (FULL, "1/sqrt(m*T) + m/T"),
    ],
    ids=["partial", "full", "sgd", "full, other"],
)
def test_under_the_rules_the_bound_stays_below_a_multiple_of_the_rate(
    statement: Theorem, wanted: str
) -> None:
    """Along rays on which T, tau, m and 1/C grow at unlike speeds; and in the end the steps are inside."""
    found = reach(statement, wanted)
    assert found.rate is not None
    total = sum(term.expr for term in found.rate.terms.values())
    for speeds in ((1, 0, 0, 0), (3, 1, 0, 0), (4, 1, 1, 0), (4, 0, 2, 1), (6, 2, 2, 2), (5, 0, 1, 1)):
        ratios = []
        for scale in (10.0, 1e3, 1e5):
            values = {q.name: q.typical for q in statement.quantities}
            values |= {"T": 1e6 * scale ** speeds[0], "tau": 4 * scale ** speeds[1]}
            values |= {"m": 50 * scale ** (speeds[2] + speeds[3]), "C": 0.5 * scale ** -speeds[3]}
            ratios.append(float(evaluate(total / found.wanted, values)))
        assert ratios[2] <= 1.05 * max(ratios[:2]), speeds
    far = values | {"T": 1e60}
    assert all(satisfied(c.under_rules, far) for c in found.rate.conditions)


@each(
    ("statement", "wanted", "sentence"),
    [
        (SGD, "L/T", "a wanted rate is a sum of powers of T, tau, m and C, but L is in it"),
        (SGD, "1/(T", "could not be read as a formula"),
        (theorem("fedavg_strongly_convex_partial"), "1/T", "is no power of"),
    ],
)
def test_what_is_no_rate_is_refused(statement: Theorem, wanted: str, sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence.replace("(", r"\(")):
        reach(statement, wanted)
