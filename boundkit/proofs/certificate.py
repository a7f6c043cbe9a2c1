"""Proofs as certificates: lemmas with arguments and weights that lead from the claimed quantity to the bound.

Line 0 is the claimed quantity of a round. A step adds weight times the conclusion of a lemma, a linear form
that is >= 0, so that each line is at least the one before; the last line is at most the bound of the theorem,
coefficient by coefficient. Nothing of the statement is repeated here: claim, conditions and terms are those
of the theorem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Expr, S, sympify

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.proofs.domain import CoordinateChart
from boundkit.proofs.lemmas import Lemma
from boundkit.proofs.linear_form import Atom, LinearForm


@dataclass(frozen=True)
class CertificateStep:
    """One step: ``weight`` times the conclusion of ``lemma`` for ``arguments`` is added to the line.

    ``removes``: an atom, whose coefficient in the line defines the weight in place of ``weight``, so that
    ``leaving`` is its coefficient afterwards: 0, or a simple expression above the one before.
    ``because``: what the step is for, in a few words.
    """

    name: str
    lemma: Lemma
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    weight: Expr | None = None
    removes: Atom | None = None
    leaving: Expr = S.Zero
    because: str = ""


def step(
    name: str,
    lemma: Lemma,
    *,
    weight: Any = None,
    removes: Atom | LinearForm | None = None,
    leaving: Any = 0,
    because: str = "",
    **arguments: Any,
) -> CertificateStep:
    """Return a step that applies a lemma with arguments.

    Exactly one of ``weight``, an expression in the theorem's quantities, and ``removes``, an atom or a form
    of one atom such as ``inner(g.mean, e.mean)``, must be given; otherwise BoundkitError is raised. The
    coefficient of that atom becomes ``leaving``.
    """
    if (weight is None) == (removes is None):
        raise BoundkitError(f"the step {name!r} needs either a weight or an atom that it removes.")
    if isinstance(removes, LinearForm):
        if len(removes.coefficients) != 1:
            raise BoundkitError(f"the step {name!r} removes {removes}; it must be a single atom.")
        (removes,) = removes.coefficients
    return CertificateStep(name, lemma, arguments, weight, removes, sympify(leaving), because)


@dataclass(frozen=True)
class Certificate:
    """The proof of a theorem as data.

    ``charts``: coordinates for the theorem's quantities, on parts that cover its domain.
    ``contraction``: rho, where the claim is about the last iterate and a round gives
    X+ <= (1 - rho) X + rho N; at least r, where the initial terms of the bound have (1 - r)^T.
    ``potential``: weights of squares that are added to the claimed X in this; by the constant that is their
    value at the start, 0 of the deviation of local models. ``names``: letters for roots, minima and maxima in
    the statement.
    """

    theorem: Theorem
    steps: tuple[CertificateStep, ...]
    charts: tuple[CoordinateChart, ...]
    contraction: Expr | None = None
    potential: Mapping[Expr, Expr] = field(default_factory=dict, hash=False)
    names: Mapping[Quantity, Expr] = field(default_factory=dict, hash=False)

    def step(self, name: str) -> CertificateStep:
        """Return the step of that name. Raises BoundkitError where there is none."""
        for each in self.steps:
            if each.name == name:
                return each
        names = [each.name for each in self.steps]
        raise unknown(f"step in the proof of {self.theorem.name}", name, names)

    def of(self, theorem: Theorem, **changes: Any) -> Certificate:
        """Return the same steps as a certificate of another theorem, with some fields changed."""
        return replace(self, theorem=theorem, **changes)

    def replaced(self, name: str, *steps: CertificateStep) -> Certificate:
        """Return the certificate with other steps in place of one."""
        place = self.steps.index(self.step(name))
        return replace(self, steps=(*self.steps[:place], *steps, *self.steps[place + 1 :]))

    def without(self, name: str) -> Certificate:
        """Return the certificate without a step."""
        return self.replaced(name)

    def changed(self, name: str, arguments: Mapping[str, Any] | None = None, **changes: Any) -> Certificate:
        """Return the certificate with one step changed; ``arguments`` update those of its lemma."""
        old = self.step(name)
        return self.replaced(name, replace(old, arguments={**old.arguments, **(arguments or {})}, **changes))
