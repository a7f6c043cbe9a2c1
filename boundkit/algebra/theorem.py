"""Theorems: frozen values of claim, terms, conditions, definitions and source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from sympy import Add, Expr, Symbol
from sympy.core.relational import Relational

from boundkit.algebra.claim import Assumption, Claim
from boundkit.algebra.dimension import check_relation, dimension_of, lost_factor, lost_unit
from boundkit.algebra.errors import BoundkitError, DimensionError, unknown
from boundkit.algebra.notation import quantities_of, units_of
from boundkit.algebra.papers import Source
from boundkit.algebra.printing import align_lines, bound_plain, display, term_lines, theorem_latex
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.reduction import Limit, Reduction, check_values, computed_limits
from boundkit.algebra.term import PROVENANCES, Term

Kind = Literal["upper", "tight", "order", "lower"]


@dataclass(frozen=True)
class Bound:
    """The right-hand side: named terms, and their sum."""

    terms: dict[str, Term] = field(hash=False)

    @cached_property
    def total(self) -> Expr:
        """The sum of all terms."""
        return Add(*(t.expr for t in self.terms.values()))

    def subs(self, values: Mapping[str | Symbol, Any] | None = None, /, **named: Any) -> Bound:
        """Substitute values or expressions for quantities, in every term.

        Parameters
        ----------
        values
            Values by quantity or keyword; numbers, or expressions of sympy.
        **named
            Values by keyword.

        Raises
        ------
        BoundkitError
            For a quantity that the bound does not have, and for text, whose symbols would be other ones.

        Examples
        --------
        >>> import boundkit as bk
        >>> bk.theorem("sgd_nonconvex").bound.subs(m=1, L=1, sigma=0).total
        2*gap/(T*eta)
        """
        own = {q.name: q for q in quantities_of(t.expr for t in self.terms.values())}
        given = {**(values or {}), **named}
        for key in given:
            if str(key) not in own:
                raise unknown("quantity of this bound", str(key), own)
            if isinstance(given[key], str):
                raise BoundkitError(
                    f"{key} = {given[key]!r} was given as text; write it with boundkit.symbols."
                )
        put = {own[str(key)]: value for key, value in given.items()}
        return Bound({
            label: replace(t, expr=t.expr.subs(put, simultaneous=True)) for label, t in self.terms.items()
        })  # fmt: skip

    def _repr_latex_(self) -> str:
        return display(align_lines(term_lines(self.terms.values())))


@dataclass(frozen=True, repr=False)
class Theorem:
    """A convergence theorem, frozen.

    ``step_size`` holds the conditions under which the proof works; leaving them is a warning, never a
    refusal. ``requires`` holds what must be true for the formula to mean anything (m >= 2 where it
    divides by m - 1); leaving it is refused. ``definitions`` are the formulas of derived quantities, such
    as FedNova's A of every client's steps; ``solvers`` holds further definitions by the name of the local
    solver, the first being the usual one; ``clients`` what of the clients was put in already, by
    ``boundkit.analysis.client_values``; ``rules`` the step sizes that a tuned statement has put in, such as
    eta = sqrt(m/(tau T))/L; ``costs`` the row of costs where it is not that of the algorithm: client
    selection makes power-of-choice of FedAvg; ``title`` the name of the theorem for people. ``limits`` holds
    the limits that an author states; ``computed_limits`` those that follow from the terms.

    Building a theorem checks that every term has the dimension of the claim, that both sides of a condition
    have one dimension, that definitions and rules have the dimension of the quantity they define, and that
    reductions and limits give a quantity a value of its own dimension.

    Raises DimensionError, or BoundkitError for a malformed name, a repeated label, two quantities of
    one keyword, a condition that sympy decided already, a definition that refers to itself, or a reduction
    or limit that names a term that is not there.
    """

    name: str
    algorithm: str
    claim: Claim
    assumptions: tuple[Assumption, ...]
    terms: tuple[Term, ...]
    source: Source
    step_size: tuple[Relational, ...] = ()
    requires: tuple[Relational, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    limits: tuple[Limit, ...] = ()
    remarks: tuple[str, ...] = ()
    definitions: Mapping[Quantity, Expr] = field(default_factory=dict, hash=False)
    solvers: Mapping[str, Mapping[Quantity, Expr]] = field(default_factory=dict, hash=False)
    rules: Mapping[Quantity, Expr] = field(default_factory=dict, hash=False)
    kind: Kind = "upper"
    clients: Mapping[str, object] = field(default_factory=dict, hash=False)
    costs: str = ""
    title: str = field(default="", compare=False)
    prose: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise BoundkitError(f"the name {self.name!r} must be lower case words joined by underscores.")
        if not isinstance(self.claim, Claim):
            raise BoundkitError(
                f"theorem {self.name} has claim={self.claim!r}, which is no Claim; take one of "
                "boundkit.algebra.vocabulary, such as MEAN_SQUARED_GRADIENT."
            )
        if not self.terms:
            raise BoundkitError(f"theorem {self.name} has no terms; a bound needs at least one.")
        repeated = [label for label, n in Counter(t.label for t in self.terms).items() if n > 1]
        if repeated:
            raise BoundkitError(
                f"theorem {self.name} has two terms called {repeated[0]!r}; give one a label."
            )
        named = [("leaves of a reduction", x) for r in self.reductions for x in r.leaves]
        named += [("factors of a reduction", x) for r in self.reductions for x in r.factors]
        for where, label in [*named, *(("limits", x) for k in self.limits for x in k.removes)]:
            if label not in self.bound.terms:
                missing = unknown("term", label, self.bound.terms)
                raise BoundkitError(f"theorem {self.name}: its {where} name what it does not have: {missing}")
        for condition in (*self.step_size, *self.requires):
            if not isinstance(condition, Relational):
                raise BoundkitError(
                    f"theorem {self.name} has the condition {condition}: either it is no inequality, "
                    "or sympy found it always true or always false."
                )
        self._check_keywords()
        self._check_dimensions()
        self._check_definitions()

    def _check_keywords(self) -> None:
        for keyword, count in Counter(q.name for q in self.quantities).items():
            if count > 1:
                raise BoundkitError(
                    f"theorem {self.name} has {count} quantities called {keyword!r}; "
                    "a symbol has one meaning."
                )

    def _check_dimensions(self) -> None:
        units = units_of(*(t.expr for t in self.terms), *self.step_size, *self.requires)
        try:
            for term in self.terms:
                dimension = dimension_of(term.expr, units)
                if dimension is not None and dimension != self.claim.dimension:
                    raise DimensionError(
                        f"the term {term.label!r}, {term.expr}, has dimension {dimension}, "
                        f"but the {self.claim.name} has dimension {self.claim.dimension}"
                        f"{lost_factor(term.expr, self.claim.dimension / dimension)}"
                        f"{lost_unit(dimension, self.claim.dimension)}."
                    )
            for condition in (*self.step_size, *self.requires):
                check_relation(condition, units)
            for when in [r.when for r in self.reductions] + [k.when for k in self.limits]:
                check_values(when)
        except DimensionError as error:
            raise DimensionError(f"theorem {self.name}: {error}") from None

    def _check_definitions(self) -> None:
        for definitions in (self.definitions, *self.solvers.values(), self.rules):
            for quantity, expr in definitions.items():
                try:
                    dimension = dimension_of(expr, units_of(expr))
                except DimensionError as error:
                    raise DimensionError(f"theorem {self.name}, {quantity}: {error}") from None
                if dimension is not None and dimension != quantity.dimension:
                    raise DimensionError(
                        f"theorem {self.name}: {quantity} has dimension {quantity.dimension}, but its "
                        f"definition {expr} has dimension {dimension}."
                    )
        for solver in self.solvers.values() or ({},):
            definitions_used = {**self.definitions, **solver, **self.rules}
            if cycle := find_cycle(definitions_used):
                first, *others = cycle
                through = f" through {', '.join(map(str, others))}" if others else ""
                raise BoundkitError(
                    f"theorem {self.name}: the definition of {first}, {definitions_used[first]}, refers to "
                    f"{first} itself{through}."
                )

    @cached_property
    def bound(self) -> Bound:
        """The right-hand side, by label."""
        return Bound({t.label: t for t in self.terms})

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """What the bound and its conditions depend on, in the order of the alphabet."""
        return quantities_of([t.expr for t in self.terms] + list(self.step_size) + list(self.requires))

    @property
    def cost_row(self) -> str:
        """The name of the row of costs that a round of the theorem's method has."""
        return self.costs or self.algorithm

    @property
    def constants(self) -> str:
        """The weakest provenance among the terms: a bound is as sure as its least sure constant."""
        order = list(PROVENANCES)
        return max((t.provenance for t in self.terms), key=order.index)

    @property
    def order_level(self) -> bool:
        """Whether constants of the bound are not known, so that it has no scale."""
        return self.kind == "order" or any(t.order_level for t in self.terms)

    @cached_property
    def computed_limits(self) -> tuple[Limit, ...]:
        """Which terms vanish where one quantity takes a value at an end of its domain."""
        return computed_limits(self.bound.terms, self.quantities)

    @property
    def all_limits(self) -> tuple[Limit, ...]:
        """The computed limits, then the stated ones that they do not contain."""
        computed = {(tuple(k.when.items()), k.removes) for k in self.computed_limits}
        others = (k for k in self.limits if (tuple(k.when.items()), k.removes) not in computed)
        return (*self.computed_limits, *others)

    def __getitem__(self, name: str) -> Quantity:
        """The quantity of that keyword, of the bound, its conditions or definitions.

        Raises BoundkitError for a keyword that the theorem does not have.

        >>> import boundkit as bk
        >>> bound = bk.theorem("sgd_nonconvex")
        >>> bound.bound.total.diff(bound["eta"])
        L*sigma**2/m - 2*gap/(T*eta**2)
        """
        parts = (self.definitions, *self.solvers.values(), self.rules)
        derived = {s for part in parts for q, e in part.items() for s in (q, *e.free_symbols)}
        own = {q.name: q for q in (*self.quantities, *quantities_of(derived))}
        if name not in own:
            raise unknown(f"quantity of {self.name}", str(name), own)
        return own[name]

    def assumes(self, *names: str) -> bool:
        """Whether all the named assumptions are among those of the theorem."""
        return set(names) <= {a.name for a in self.assumptions}

    def _repr_latex_(self) -> str:
        return display(theorem_latex(self))

    def __repr__(self) -> str:
        return f"<theorem {self.name}>\n{bound_plain(self.claim, self.bound.terms, self.kind)}"


def find_cycle(definitions: Mapping[Quantity, Expr]) -> list[Symbol]:
    """The first cycle: quantities each of which is defined by the next, the last by the first; else empty.

    >>> from boundkit.algebra.notation import C_drift, tau, tau_eff
    >>> find_cycle({C_drift: tau_eff**2, tau_eff: tau})
    []
    >>> find_cycle({C_drift: tau_eff**2, tau_eff: C_drift / tau})
    [C_drift, tau_eff]
    """
    acyclic: set[Symbol] = set()

    def visit(quantity: Symbol, path: list[Symbol]) -> list[Symbol]:
        if quantity in path:
            return path[path.index(quantity) :]
        if quantity in acyclic or quantity not in definitions:
            return []
        for part in sorted(definitions[quantity].free_symbols, key=str):
            if cycle := visit(part, [*path, quantity]):
                return cycle
        acyclic.add(quantity)
        return []

    return next((cycle for q in definitions if (cycle := visit(q, []))), [])
