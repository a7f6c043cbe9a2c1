"""Step-size rules that attain a wanted rate, by a linear programme in their exponents.

Steps follow rules eta = T^a tau^b (C m)^c (1/C)^d / L and, where there are two, eta_s likewise. A term of
the bound is then T^x tau^y (C m)^z (1/C)^u times a constant, with exponents linear in those of the rules.
It is at most a constant times the wanted rate for all T, tau, C m and 1/C of at least 1 exactly where its
exponents lie, one by one, at or below a mean of those of the wanted terms: enough by the inequality of
the weighted arithmetic and geometric mean, and needed by Farkas' lemma. So a linear programme decides,
and where it has no solution no rule of this form exists. (Minima of several powers are not of this form.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Add, Expr, Rational, S, expand

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import C, L, T, eta, eta_s, m, tau
from boundkit.algebra.printing import Formula, plain
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.evaluate import Array
from boundkit.analysis.expressions import parse
from boundkit.analysis.powers import leading_power, monomial
from boundkit.analysis.rate import Rate, rate
from boundkit.report import Cell, Heading, Report, Reported, join_cells, sentence
from boundkit.report.formatting import join_names

_BASES: tuple[Expr, ...] = (T, tau, C * m, 1 / C)
_LARGEST_DENOMINATOR, _ROUNDING = 24, 1e-9


@dataclass(frozen=True)
class _Exponents:
    """Of a term: those of the steps, and those of T, tau, C m and 1/C."""

    label: str
    steps: Array
    rest: Array


@dataclass(frozen=True, repr=False, eq=False)
class AttainableRate(Reported):
    """The answer: rules for the steps, with the bound under them; or None, and the terms that forbid it."""

    theorem: Theorem
    wanted: Expr
    one_step: bool
    rate: Rate | None
    blocking: tuple[str, ...]

    @property
    def reached(self) -> bool:
        """Whether some rules give the wanted rate."""
        return self.rate is not None

    @property
    def rules(self) -> dict[str, Expr]:
        """The rules by the name of the step; empty where there are none."""
        return {} if self.rate is None else self.rate.rules

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON; formulas as plain text."""
        return {
            "theorem": self.theorem.name,
            "wanted": plain(self.wanted),
            "one_step": self.one_step,
            "reached": self.reached,
            "blocking": list(self.blocking),
            "rate": None if self.rate is None else self.rate.to_dict(),
        }

    def _answer(self) -> Cell:
        steps = "one step size for clients and server" if self.one_step else "its step sizes"
        if self.rate is None:
            none = f": no powers of T, tau, C m and C bring {join_names(self.blocking)} below it together."
            return sentence(f"{self.theorem.name} with {steps} cannot give ", Formula(self.wanted), none)
        rules = join_cells(Formula(rule, name) for name, rule in self.rules.items())
        return sentence(f"{self.theorem.name} gives ", Formula(self.wanted), " with ", rules)

    def report(self) -> Report:
        """Whether the rate can be reached, by which rules, and the rate under them."""
        answer = Report((Heading(self._answer()),))
        return answer if self.rate is None else answer + self.rate.report()


def reach(theorem: Theorem, wanted: str | Expr, /, *, one_step: bool = False) -> AttainableRate:
    """Find the steps with which a bound is at most a constant times a wanted rate.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    wanted : str or sympy expression
        A sum of powers of T, tau, m and C, without constants and units, such as
        "1/sqrt(C*m*tau*T) + sqrt(tau/(C*m*T)) + 1/T".
    one_step : bool
        Whether eta_s stays 1.

    Returns
    -------
    Reach
        ``rules`` for the steps where there are some, and otherwise the terms that prevent it.

    Raises
    ------
    BoundkitError
        Where ``wanted`` holds anything else, and where a term of the theorem is no power of its steps.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.reach("sgd_nonconvex", "1/sqrt(m*T) + 1/T").rules
    {'eta': sqrt(m)/(L*sqrt(T))}
    """
    statement = homogeneous_form(theorem)
    target = parse(wanted) if isinstance(wanted, str) else wanted
    goals = _goals(target)
    free = _steps(statement, one_step)
    terms = [_exponents(t.label, t.expr, free, one_step) for t in statement.terms]
    conditions = _conditions(statement, free, one_step)
    solution = _solve(terms, conditions, goals, len(free))
    if solution is None:
        return AttainableRate(theorem, target, one_step, None, _blocking(terms, conditions, goals, len(free)))
    rules = {step.name: _rule(step, row) for step, row in zip(free, solution, strict=True)}
    if one_step and eta_s in statement.quantities:
        rules["eta_s"] = S.One
    return AttainableRate(theorem, target, one_step, rate(statement, **rules), ())


def _goals(target: Expr) -> Array:
    others = target.free_symbols - {T, tau, m, C}
    if others:
        raise BoundkitError(
            "a wanted rate is a sum of powers of T, tau, m and C, but "
            f"{join_names(sorted(map(str, others)))} is in it; leave constants and units out."
        )
    return np.array([_powers(part) for part in Add.make_args(expand(target))], dtype=np.float64)


def _steps(theorem: Theorem, one_step: bool) -> list[Quantity]:
    if eta not in theorem.quantities or L not in theorem.quantities:
        missing = eta if eta not in theorem.quantities else L
        raise BoundkitError(
            f"{theorem.name} has no {missing.name} ({missing.meaning}), so no rule is looked for."
        )
    return [eta, eta_s] if eta_s in theorem.quantities and not one_step else [eta]


def _exponents(label: str, expr: Expr, free: list[Quantity], one_step: bool) -> _Exponents:
    rest = expr.subs(eta_s, 1) if one_step else expr
    steps = []
    for step in free:
        solution = monomial(rest, step)
        if solution is None:
            raise BoundkitError(f"the term {label!r}, {plain(expr)}, is no power of {step.name}.")
        rest, power = solution
        steps.append(float(power))
    return _Exponents(label, np.array(steps), np.array(_powers(rest)))


def _powers(expr: Expr) -> list[float]:
    """The leading powers in T, tau, C m and 1/C."""
    solution = [leading_power(expr, q, "infinity") for q in (T, tau, m)]
    solution.append(leading_power(expr, C, "zero"))
    powers = [float(p) for p in solution if isinstance(p, Rational)]
    if len(powers) < len(solution):
        raise BoundkitError(f"{plain(expr)} is no power of T, tau, m and C to leading order.")
    in_T, in_tau, in_m, in_C = powers
    return [in_T, in_tau, in_m, in_m - in_C]


def _conditions(theorem: Theorem, free: list[Quantity], one_step: bool) -> list[_Exponents]:
    """Each condition on the steps as small/large; it has to hold for all T from some T on."""
    relevant = [(plain(c), *sides(c)) for c in theorem.step_size if c.free_symbols & set(free)]
    return [_exponents(text, small / large, free, one_step) for text, small, large in relevant]


def _solve(terms: list[_Exponents], conditions: list[_Exponents], goals: Array, steps: int) -> Array | None:
    """Exponents of the rules, (steps, 4); None where there are none.

    Of all that do, those under which the first term, the price of the start, falls fastest, and of these
    the smallest in sum.
    """
    from scipy.optimize import linprog

    width = 4 * steps
    count = len(goals)
    size = 2 * width + count * len(terms)  # positive and negative parts of the exponents, then the means
    rows, limits, equal = [], [], []
    for k, term in enumerate(terms):
        place = 2 * width + count * k
        for axis in range(4):
            row = np.zeros(size)
            _set_coefficients(row, term.steps, axis, width)
            row[place : place + count] = -goals[:, axis]
            rows.append(row)
            limits.append(-term.rest[axis])
        one = np.zeros(size)
        one[place : place + count] = 1
        equal.append(one)
    for condition in conditions:
        row = np.zeros(size)
        _set_coefficients(row, condition.steps, 0, width)
        rows.append(row)
        limits.append(-condition.rest[0])
    start = np.zeros(size)
    start[2 * width : 2 * width + count] = goals.sum(axis=1)
    small = np.concatenate([np.ones(2 * width), np.zeros(size - 2 * width)])
    ones = np.ones(len(equal))
    fastest = linprog(start, rows, limits, np.array(equal), ones, bounds=(0, None), method="highs")
    if not fastest.success:
        return None
    rows, limits = [*rows, start], [*limits, float(fastest.fun or 0) + _ROUNDING]
    answer = linprog(small, rows, limits, np.array(equal), ones, bounds=(0, None), method="highs")
    x = np.asarray(answer.x, dtype=np.float64)
    return (x[:width] - x[width : 2 * width]).reshape(steps, 4)


def _set_coefficients(row: Array, steps: Array, axis: int, width: int) -> None:
    for s, power in enumerate(steps):
        row[4 * s + axis], row[width + 4 * s + axis] = power, -power


def _blocking(
    terms: list[_Exponents], conditions: list[_Exponents], goals: Array, steps: int
) -> tuple[str, ...]:
    """Terms that cannot all be brought below the rate, none of which could be spared."""
    kept = list(terms)
    for term in terms:
        fewer = [t for t in kept if t is not term]
        if fewer and _solve(fewer, conditions, goals, steps) is None:
            kept = fewer
    return tuple(t.label for t in kept)


def _rule(step: Quantity, exponents: Array) -> Expr:
    powers = [Rational(float(x)).limit_denominator(_LARGEST_DENOMINATOR) for x in exponents]
    rule = S.One
    for base, power in zip(_BASES, powers, strict=True):
        rule *= base**power
    return rule / L if step == eta else rule
