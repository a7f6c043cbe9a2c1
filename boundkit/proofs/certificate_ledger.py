"""Evaluate a certificate on a run: the same steps that the checker proves, each with its slack.

Every atom of a line is an expectation of a round. On quadratics it has a formula, since gradients and mean
directions are affine in the server's model, whose moments are exact; a deterministic run has it itself. A
step adds weight times the conclusion of its lemma, so that measured + all slacks = bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any, Protocol

import numpy as np
from sympy import Expr, sympify

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import evaluate
from boundkit.proofs import control_variates as stored
from boundkit.proofs import rounds
from boundkit.proofs.certificate import Certificate, CertificateStep
from boundkit.proofs.checker import conclusion_of, first_line, relation, round_quantity, sides
from boundkit.proofs.expectation_values import Array
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.linear_form import Atom, LinearForm, data, gram_atom
from boundkit.proofs.local_solvers import path_variance, weighted_noise
from boundkit.proofs.mean_models import mean_displacement, mean_drift, model_variance
from boundkit.proofs.proof_check import END
from boundkit.proofs.proof_ledger import LedgerEntry
from boundkit.proofs.rounds import MOMENTUM, ROUND, kind_of, round_of
from boundkit.proofs.server_momentum import approach_of_sequence, decrease_of_sequence
from boundkit.proofs.stored_updates import next_stored_error
from boundkit.proofs.weighted_sampling import sampled_variance

_ROUNDING, _NEGLIGIBLE = 1e-9, 1e-13
"""Rounding that a step may miss: relative to its summands, and to the bound."""


class RoundExpectations(Protocol):
    """Expectations of every round of a run: of products of vectors, and of scalars."""

    scalars: dict[str, Array]
    vectors: dict[str, Any]

    def inner(self, first: str, second: str, mean: bool) -> Array:
        """E <u, v> of the means over clients, or E mean_i <u_i, v_i>, (T,)."""
        ...


_ALGORITHMS = ("fedavg", "fedavgm", "fedau", "fednova", "minibatch_sgd", *stored.STORED_UPDATES)
_ALWAYS = (rounds.g, rounds.e, rounds.o, rounds.X, rounds.P)
_STORED = (rounds.y, stored.z, stored.q)
_VECTORS = {base.name: base for vector in (*_ALWAYS, *_STORED) for base, _ in vector.parts}
_SCALARS: Mapping[str, Atom] = {
    "direction": rounds.direction,
    "client_variance": rounds.client_variance,
    "decrease": rounds.decrease,
    "loss_gap": rounds.loss_gap,
    "next_loss_gap": rounds.next_loss_gap,
    "square_distance": rounds.square_distance,
    "next_square_distance": rounds.next_square_distance,
    "displacement": rounds.displacement,
    "mean_displacement": mean_displacement,
    "model_variance": model_variance,
    "mean_drift": mean_drift,
    "weighted_noise": weighted_noise,
    "sampled_variance": sampled_variance,
    "decrease_of_sequence": decrease_of_sequence,
    "approach_of_sequence": approach_of_sequence,
    "path_variance": path_variance,
    "next_stored_error": next_stored_error,
    "next_age": stored.next_age,
    "next_own_error": stored.next_own_error,
    "next_mean_own_error": stored.next_mean_own_error,
    "next_correction_error": stored.next_correction_error,
    "next_error_at_optimum": rounds.next_error_at_optimum,
}
"""Vectors and scalars with values on a run, by the names of their expectations."""


def objection(certificate: Certificate) -> str:
    """Return why a certificate cannot be evaluated on runs; empty where it can."""
    theorem = certificate.theorem
    if kind_of(theorem) not in (ROUND, MOMENTUM) or theorem.algorithm not in _ALGORITHMS:
        return f"its steps are about a {kind_of(theorem)} of {theorem.algorithm}"
    if theorem.rules or theorem.claim.summary == "limit" or round_quantity(theorem).weighted:
        return "its claim is about other rounds than those of one run with equal weights"
    known = {*_SCALARS.values(), *_constants(), *(atom for atom, *_ in _grams())}
    missing = sorted(str(atom) for atom in _atoms(certificate, _conclusions(certificate)) - known)
    return f"{missing[0]} has no value on a run" if missing else ""


def vectors_of(certificate: Certificate) -> dict[str, str]:
    """Return the vectors of a proof with what each is."""
    used = _atoms(certificate, _conclusions(certificate))
    names = {name for atom, *names, _ in _grams() if atom in used for name in names}
    return {name: base.meaning for name, base in _VECTORS.items() if name in names}


def quantities_beside(certificate: Certificate) -> list[str]:
    """Return the names of quantities in the lemmas that the bound does not have."""
    known = {*certificate.theorem.quantities, *certificate.names}
    used = {
        letter
        for each in _conclusions(certificate)
        for value in each.form.coefficients.values()
        for letter in value.free_symbols
    }
    return sorted(each.name for each in used - known if isinstance(each, Quantity))


def _conclusions(certificate: Certificate) -> list[Conclusion]:
    this = round_of(certificate.theorem)
    return [conclusion_of(this, step) for step in certificate.steps]


def _atoms(certificate: Certificate, conclusions: Sequence[Conclusion]) -> set[Atom]:
    """Return the atoms of all lines of a proof."""
    forms = [first_line(certificate), *(each.form for each in conclusions)]
    return {atom for form in forms for atom in form.coefficients}


def _constants() -> dict[Atom, Expr]:
    return {data(q**power): q**power for q in rounds.CONSTANTS for power in (1, 2)}


def _grams() -> Iterator[tuple[Atom, str, str, bool]]:
    for first, second in combinations_with_replacement(_VECTORS.values(), 2):
        for mean in (True,) if first.common or second.common else (True, False):
            yield gram_atom(first, second, mean), first.name, second.name, mean


@dataclass
class _Line:
    """A line of the proof in numbers: coefficients by atom, and the values of atoms in every round."""

    number: Callable[[Expr], float]
    values: Mapping[Atom, Array]
    coefficients: dict[Atom, float] = field(default_factory=dict)

    def form(self, form: LinearForm) -> dict[Atom, float]:
        return {atom: self.number(value) for atom, value in form.coefficients.items()}

    def add(self, weight: float, form: Mapping[Atom, float]) -> None:
        for atom, value in form.items():
            self.coefficients[atom] = self.coefficients.get(atom, 0.0) + weight * value

    def value(self, form: Mapping[Atom, float]) -> tuple[Array, Array]:
        """The value of a form in every round, and the sum of the magnitudes of its summands, (T,)."""
        parts = np.array([value * self.values[atom] for atom, value in form.items()])
        return parts.sum(axis=0), np.abs(parts).sum(axis=0)


def certificate_entries(
    certificate: Certificate, expectations: RoundExpectations, settings: Mapping[str, Any], bound: float
) -> list[LedgerEntry]:
    """Return the steps of a certificate on a run, and its comparison with the bound as the last one.

    ``settings``: the theorem's quantities by name. Raises BoundkitError where the run has no value of an
    atom of the proof.
    """
    theorem = certificate.theorem
    why = objection(certificate)
    if why:
        raise BoundkitError(f"the proof of {theorem.name} cannot be evaluated on runs: {why}.")
    given = {name: np.asarray(value, dtype=float) for name, value in settings.items()}
    for letter, expr in certificate.names.items():
        given[letter.name] = np.asarray(evaluate(expr, given), dtype=float)

    def number(expr: Expr) -> float:
        return float(evaluate(sympify(expr), given))

    conclusions = _conclusions(certificate)
    used = _atoms(certificate, conclusions)
    rounds_of_run = int(given["T"])
    line = _Line(number, _values(used, expectations, number, rounds_of_run))
    line.add(1.0, line.form(first_line(certificate)))
    first, _ = line.value(line.coefficients)
    result = []
    if certificate.contraction is None:
        over, total = np.full(rounds_of_run, 1 / rounds_of_run), float(first.mean())
    else:  # X_T is what the last round leaves, and what every round adds shrinks in the later ones
        kept = 1 - number(certificate.contraction)
        over, total = kept ** np.arange(rounds_of_run - 1.0, -1.0, -1.0), float(first[-1])
    claimed = round_quantity(theorem).later
    if certificate.potential and claimed is not None:
        added = first_line(certificate) - claimed
        result.append(_potential(theorem, added, float(line.value(line.form(added))[0][-1]), total, bound))
    for step, conclusion in zip(certificate.steps, conclusions, strict=True):
        form = line.form(conclusion.form)
        if step.removes is None:
            weight = number(sympify(step.weight))
        elif form.get(step.removes) and line.coefficients.get(step.removes) is not None:
            weight = (number(step.leaving) - line.coefficients[step.removes]) / form[step.removes]
        else:
            raise BoundkitError(
                f"the step {step.name!r} removes {step.removes}, which is not in the line before and in its "
                "lemma's conclusion."
            )
        line.add(weight, form)
        result.append(_entry(theorem, step, conclusion, line, weight, over, bound, total))
        total += result[-1].slack
    return [*result, _comparison(theorem, bound, total)]


def _values(
    used: set[Atom], expectations: RoundExpectations, number: Callable[[Expr], float], rounds_of_run: int
) -> dict[Atom, Array]:
    """Return the values of atoms in every round, (T,) each."""
    result: dict[Atom, Array] = {}
    for name, atom in _SCALARS.items():
        if atom in used and name in expectations.scalars:
            result[atom] = expectations.scalars[name]
    for atom, expr in _constants().items():
        if atom in used:
            result[atom] = np.full(rounds_of_run, number(expr))
    for atom, first, second, mean in _grams():
        if atom in used and {first, second} <= set(expectations.vectors):
            result[atom] = expectations.inner(first, second, mean)
    missing = sorted(str(atom) for atom in used - set(result))
    if missing:
        raise BoundkitError(f"{missing[0]} of the proof has no value on this run; take a quadratic problem.")
    return result


def _cause(theorem: Theorem, form: LinearForm) -> str:
    """Return the cause of the terms with the constant of a lemma; without one, of drift or of the start.

    Where several terms have it, noise of the server's direction is apart from that in the errors of clients.
    """
    known = _constants()
    constants = {q for atom in form.coefficients if atom in known for q in known[atom].free_symbols}
    vectors = {name for atom, *names, _ in _grams() if atom in form.coefficients for name in names}
    of_errors = "e" in vectors and "X" not in vectors
    causes = [term.cause for term in theorem.terms if constants & term.expr.free_symbols]
    if not constants:
        causes = [term.cause for term in theorem.terms if not of_errors or "drift" in term.cause]
    return (causes or [theorem.terms[0].cause])[-1 if of_errors else 0]


def _entry(
    theorem: Theorem,
    step: CertificateStep,
    conclusion: Conclusion,
    line: _Line,
    weight: float,
    over: Array,
    bound: float,
    total: float,
) -> LedgerEntry:
    """Return a step with weight times the two sides of its conclusion, over the rounds."""
    left_form, right_form = sides(conclusion, step.removes)
    (left, small), (right, large) = (
        line.value(line.form(each)) if each.coefficients else (0 * over, 0 * over)
        for each in (left_form, right_form)
    )
    left, right, size = weight * left, weight * right, abs(weight) * (small + large)
    slack = float(over @ (right - left))
    missed = left - right if not conclusion.equality else np.abs(left - right)
    tolerance = _ROUNDING * size + _NEGLIGIBLE * bound
    rows = [left, right]
    if step.lemma.over_rounds:
        missed, tolerance, *rows = (np.atleast_1d(over @ each) for each in (missed, tolerance, left, right))
    wrong = missed > tolerance
    above = rows[1] > 0
    sign_latex, sign = relation(conclusion)
    return LedgerEntry(
        name=step.name,
        kind="identity" if conclusion.equality else "inequality",
        cause=_cause(theorem, conclusion.form),
        because=step.because or step.lemma.proof,
        latex=f"{left_form.latex()} {sign_latex} {right_form.latex()}",
        plain=f"{left_form} {sign} {right_form}",
        weight="" if step.weight is None else plain(sympify(step.weight)),
        left=float(over @ left),
        right=float(over @ right),
        share=slack / bound if bound else 0.0,
        factor=(total + slack) / total if total else None,
        worst=float((rows[0][above] / rows[1][above]).max()) if above.any() else None,
        broken=int(np.argmax(wrong)) if wrong.any() else None,
    )


def _potential(theorem: Theorem, added: LinearForm, after: float, total: float, bound: float) -> LedgerEntry:
    """Return the step that adds the proof's further squares to the claim, after the last round."""
    return _without_lemma(
        theorem,
        "squares beside the claim",
        "squares are not negative; with them added, the claim contracts in every round",
        (rf"0 \le {added.latex()}", f"0 <= {added}"),
        (0.0, after),
        total - after,
        bound,
    )


def _comparison(theorem: Theorem, bound: float, total: float) -> LedgerEntry:
    """Return the comparison of the last line with the bound, coefficient by coefficient together."""
    return _without_lemma(
        theorem,
        END,
        "the coefficients of the last line are at most those of the bound",
        (r"\text{last line} \le \text{bound}", f"the last line <= {' + '.join(theorem.bound.terms)}"),
        (total, bound),
        total,
        bound,
    )


def _without_lemma(
    theorem: Theorem,
    name: str,
    because: str,
    statement: tuple[str, str],
    values: tuple[float, float],
    before: float,
    bound: float,
) -> LedgerEntry:
    """Return a step that no lemma is about; ``values``: of its two sides, and ``before``: the sum so far."""
    left, right = values
    return LedgerEntry(
        name=name,
        kind="inequality",
        cause=theorem.terms[0].cause,
        because=because,
        latex=statement[0],
        plain=statement[1],
        weight="",
        left=left,
        right=right,
        share=(right - left) / bound if bound else 0.0,
        factor=(before + right - left) / before if before else None,
        worst=left / right if right > 0 else None,
        broken=0 if left > right * (1 + _ROUNDING) + _NEGLIGIBLE * bound else None,
    )
