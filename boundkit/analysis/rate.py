"""Bounds under step-size rules: terms, leading powers, and the range of T in which conditions hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from sympy import Add, Expr, Rational, simplify
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem, dimension_of
from boundkit.algebra.dimension import STEP, Dimension
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import C, T, eta, eta_s, m, tau, units_of
from boundkit.algebra.printing import Formula, plain
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.expressions import parse
from boundkit.analysis.powers import EXPONENTIAL, leading_power, monomial
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, join_cells, sentence
from boundkit.report.formatting import join_names

Power: TypeAlias = "Rational | str | None"
Direction = Literal["infinity", "zero"]

_LIMITS: tuple[tuple[Quantity, Direction], ...] = (
    (T, "infinity"), (tau, "infinity"), (m, "infinity"), (C, "zero"), (eta, "zero"), (eta_s, "zero"),
)  # fmt: skip
"""The quantities whose powers are listed, with their limits; steps only where no rule sets them."""


@dataclass(frozen=True)
class RateTerm:
    """One term under the rules, and its leading power in each quantity."""

    label: str
    expr: Expr
    powers: dict[str, Power]


@dataclass(frozen=True)
class RateCondition:
    """A condition under the rules; ``allowed``: the least T, None where that is no monomial."""

    condition: Relational
    under_rules: Relational
    allowed: str | None


@dataclass(frozen=True, repr=False, eq=False)
class Rate(Reported):
    """A bound whose steps follow rules.

    ``slowest`` names the terms that fall slowest in T (several where they tie).
    """

    theorem: Theorem
    rules: dict[str, Expr]
    terms: dict[str, RateTerm]
    conditions: tuple[RateCondition, ...]
    slowest: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON; formulas as plain text, powers as fractions in text."""
        return {
            "theorem": self.theorem.name,
            "quantity": self.theorem.claim.name,
            "rules": {name: plain(rule) for name, rule in self.rules.items()},
            "terms": {
                label: {"plain": plain(t.expr), "powers": {n: _format_power(p) for n, p in t.powers.items()}}
                for label, t in self.terms.items()
            },
            "slowest": list(self.slowest),
            "conditions": [
                {"condition": plain(c.condition), "under_rules": plain(c.under_rules), "allowed": c.allowed}
                for c in self.conditions
            ],
            "up_to_constants": self.theorem.order_level,
        }

    def _columns(self) -> tuple[list[str], list[list[Cell]]]:
        names = list(next(iter(self.terms.values())).powers)
        rows: list[list[Cell]] = [
            [label, Formula(t.expr), *(_format_power(p) or "?" for p in t.powers.values())]
            for label, t in self.terms.items()
        ]
        return ["term", "under the rules", *names], rows

    def _title(self) -> Cell:
        rules = join_cells(Formula(rule, name) for name, rule in self.rules.items())
        return sentence(self.theorem.name, " with ", rules) if self.rules else self.theorem.name

    def _footer(self, header: list[str]) -> list[Cell]:
        goes = ", ".join(f"{q.name} to {to}" for q, to in _LIMITS if q.name in header)
        slowest = [f"slowest in T: {join_names(self.slowest)}"] if self.slowest else []
        return [f"powers as {goes}", *slowest, *map(_describe, self.conditions)]

    def report(self) -> Report:
        """The powers of every term, and the conditions on T."""
        header, rows = self._columns()
        return Report((Heading(self._title()), Table(header, rows, left=2), Sentences(self._footer(header))))


def rate(theorem: Theorem, /, eta: str | Expr | None = None, eta_s: str | Expr | None = None) -> Rate:
    """Evaluate a bound under rules for its steps: terms, leading powers, and the T at which conditions hold.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name. A bound for heterogeneous clients is specialised to homogeneous ones.
    eta, eta_s : str or sympy expression, optional
        Rules, each a formula of the quantities, of the dimension of the step; a step without a rule stays.

    Returns
    -------
    Rate
        ``terms`` under the rules with their powers, ``slowest`` and ``conditions``.

    Raises
    ------
    BoundkitError
        For a formula that cannot be read, a rule of the wrong dimension, one that is not positive or refers
        to itself, and a step that the theorem does not have.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.rate("sgd_nonconvex", eta="1/(L*sqrt(T))").terms["initial gap"].expr
    2*L*gap/sqrt(T)
    """
    theorem = homogeneous_form(theorem)
    rules = _rules(theorem, {"eta": eta, "eta_s": eta_s})
    terms = {t.label: _term(t.label, _substitute(t.expr, rules), theorem, rules) for t in theorem.terms}
    conditions = tuple(_condition(c, rules) for c in theorem.step_size)
    return Rate(theorem, {q.name: rule for q, rule in rules.items()}, terms, conditions, _slowest(terms))


def _rules(theorem: Theorem, given: Mapping[str, str | Expr | None]) -> dict[Quantity, Expr]:
    steps = {"eta": eta, "eta_s": eta_s}
    rules: dict[Quantity, Expr] = {}
    for name, text in given.items():
        if text is None:
            continue
        step = steps[name]
        if step not in theorem.quantities:
            raise BoundkitError(f"{theorem.name} has no {name} ({step.meaning}), so it takes no rule for it.")
        if not isinstance(text, (str, Expr)):
            raise BoundkitError(f"{name} = {text!r} was given, but a rule is a formula such as '1/(L*tau)'.")
        rule = parse(text) if isinstance(text, str) else text
        _check(step, rule, str(text))
        rules[step] = rule
    for step, rule in rules.items():
        if rule.free_symbols & set(rules):
            raise BoundkitError(
                f"the rule {plain(rule)} for {step} refers to a step that a rule sets; write it out."
            )
    return rules


def _check(step: Quantity, rule: Expr, text: str) -> None:
    """Refuse a rule that cannot be a step: of another dimension, or not above 0."""
    if step in rule.free_symbols:
        raise BoundkitError(f"the rule {text} for {step} refers to itself.")
    dimension = dimension_of(rule, units_of(rule))
    if rule.is_zero or rule.is_negative or rule.is_extended_real is False:
        raise BoundkitError(f"the rule {text} for {step} is not above 0, but a step size is.")
    if dimension is not None and dimension != step.dimension:
        hint = _hint(dimension, step.dimension)
        raise BoundkitError(f"{text} has dimension {dimension}, but {step} needs {step.dimension}{hint}.")


def _hint(given: Dimension, needed: Dimension) -> str:
    return "; divide by L" if needed == given * STEP else "; multiply by L" if given == needed * STEP else ""


def _substitute(expr: Expr, rules: dict[Quantity, Expr]) -> Expr:
    replaced = expr.subs(rules, simultaneous=True)
    # Products and powers tidy themselves; only a sum in a rule needs the costly search for a simpler form.
    return simplify(replaced) if any(rule.has(Add) for rule in rules.values()) else replaced


def _term(label: str, expr: Expr, theorem: Theorem, rules: dict[Quantity, Expr]) -> RateTerm:
    present = set(theorem.quantities) | {s for rule in rules.values() for s in rule.free_symbols}
    directions = [(q, to) for q, to in _LIMITS if q in present and q not in rules]
    return RateTerm(label, expr, {q.name: leading_power(expr, q, to) for q, to in directions})


def _condition(condition: Relational, rules: dict[Quantity, Expr]) -> RateCondition:
    under = _under_rules(condition, rules)
    return RateCondition(condition, under, _allowed(under))


def _under_rules(condition: Relational, rules: dict[Quantity, Expr]) -> Relational:
    left, right = _substitute(condition.lhs, rules), _substitute(condition.rhs, rules)
    # Unevaluated, so that a condition that is now about numbers stays readable.
    return condition.func(left, right, evaluate=False)


def _allowed(under: Relational) -> str | None:
    """From which T on a condition small <= large holds, where it is a monomial in T."""
    small, large = sides(under)
    ratio = simplify(small / large)
    if ratio.is_number:
        return "always" if ratio <= 1 else "never"
    power_of_T = monomial(ratio, T)
    if power_of_T is None or power_of_T[1] == 0:
        return None
    limit = simplify(power_of_T[0] ** (-1 / power_of_T[1]))
    return f"T {'>=' if power_of_T[1] < 0 else '<='} {plain(limit)}"


def _describe(condition: RateCondition) -> Cell:
    if condition.allowed is None and condition.under_rules == condition.condition:
        return sentence(Formula(condition.condition), " stays as it is")
    return sentence(Formula(condition.condition), ": ", condition.allowed or Formula(condition.under_rules))


def _slowest(terms: dict[str, RateTerm]) -> tuple[str, ...]:
    """The terms of the highest power of T; exponential ones fall faster than any power."""
    in_T = {label: t.powers["T"] for label, t in terms.items() if "T" in t.powers and t.expr != 0}
    numbers = {label: p for label, p in in_T.items() if isinstance(p, Rational)}
    return tuple(label for label, p in numbers.items() if p == max(numbers.values()))


def _format_power(power: Power) -> str | None:
    return power if power == EXPONENTIAL or power is None else str(power)


STEPS = ("eta", "eta_s")
"""The quantities that may be given as a formula."""


def split_rules(given: Mapping[str, object]) -> tuple[dict[str, str | Expr], dict[str, object]]:
    """The rules among the given values, which are text or expressions for steps, and the other values.

    >>> split_rules({"eta": "1/L", "T": 10})
    ({'eta': '1/L'}, {'T': 10})
    """
    rules = {name: v for name, v in given.items() if name in STEPS and isinstance(v, (str, Expr))}
    return rules, {name: value for name, value in given.items() if name not in rules}


def substitute_rules(theorem: Theorem, rules: Mapping[str, str | Expr]) -> tuple[Theorem, dict[str, Expr]]:
    """The theorem with the rules for its steps put in, and the rules as formulas.

    A rule is text or an expression: eta="sqrt(m/(tau*T))/L". Raises BoundkitError for a rule that cannot be
    read, or is no step.

    >>> from boundkit.theorems import theorem
    >>> ruled, _ = substitute_rules(theorem("sgd_nonconvex"), {"eta": "1/(L*sqrt(T))"})
    >>> ruled.bound.terms["initial gap"].expr
    2*L*gap/sqrt(T)
    """
    if not rules:
        return theorem, {}
    scalar = homogeneous_form(theorem)  # as for a rate
    formulas = _rules(scalar, rules)
    terms = tuple(replace(t, expr=_substitute(t.expr, formulas)) for t in scalar.terms)
    conditions = tuple(_under_rules(c, formulas) for c in scalar.step_size)
    ruled = replace(
        scalar,
        terms=terms,
        step_size=conditions,
        reductions=(),
        limits=(),
        rules={**scalar.rules, **formulas},
    )
    return ruled, {q.name: formula for q, formula in formulas.items()}
