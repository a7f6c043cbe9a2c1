"""Cost of a round of an algorithm: communication, computed gradients, and state stored between rounds.

A cost belongs to an algorithm, not to a theorem: all theorems on FedAvg share one. Everything is counted in
numbers (floats): a model is d of them. State within a round and the model itself are not counted; state
that is kept between rounds is, because clients that participate rarely cannot keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from sympy import Expr, S, sympify
from sympy.core.relational import Relational

from boundkit.algebra.dimension import ONE, dimension_of
from boundkit.algebra.domain import COUNT, at_least, at_most, is_whole
from boundkit.algebra.errors import BoundkitError, unknown
from boundkit.algebra.notation import ALPHABET, WHOLE, C, T, clusters, d, m, quantities_of, units_of
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.parameters import check_number
from boundkit.report.formatting import format_number, join_names


@dataclass(frozen=True)
class Exchange:
    """One exchange of the server with ``clients``: the numbers that each receives, computes and sends.

    ``down`` and ``up`` count numbers, ``gradients`` stochastic gradients, ``losses`` samples on which a
    loss is evaluated without a gradient; all of them for one client.
    """

    clients: Expr
    down: Expr = d
    up: Expr = d
    gradients: Expr = S.Zero
    losses: Expr = S.Zero

    def __post_init__(self) -> None:
        for name in ("clients", "down", "up", "gradients", "losses"):
            object.__setattr__(self, name, dimensionless(name, getattr(self, name)))

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All five expressions."""
        return (self.clients, self.down, self.up, self.gradients, self.losses)

    def at(self, values: Mapping[Quantity, Expr]) -> Exchange:
        """The exchange with values substituted."""
        return Exchange(**{f.name: getattr(self, f.name).subs(values) for f in fields(self)})


@dataclass(frozen=True)
class Cost:
    """The cost of one round of an algorithm, or of one ``variant`` of it.

    ``exchanges``: the exchanges of a round; the last one is that of the participating clients.
    ``server``, ``client``: numbers that the server, and each single client, keeps between rounds
    in addition to the model. ``once``: the exchanges before the first round. ``state`` describes the kept
    numbers. ``fixed``: quantities with a value, for a theorem those that its assumptions fix.

    Raises BoundkitError for an expression that is no pure number, or a state without a name.
    """

    algorithm: str
    exchanges: tuple[Exchange, ...]
    server: Expr = S.Zero
    client: Expr = S.Zero
    once: tuple[Exchange, ...] = ()
    variant: str = ""
    state: str = ""
    note: str = ""
    fixed: tuple[tuple[Quantity, Expr], ...] = ()

    def __post_init__(self) -> None:
        for name in ("server", "client"):
            object.__setattr__(self, name, dimensionless(name, getattr(self, name)))
        if not self.exchanges:
            raise BoundkitError(f"the cost of {self.name} needs at least one exchange a round.")
        if bool(self.state) != bool(self.server != 0 or self.client != 0):
            raise BoundkitError(f"the cost of {self.name} must describe its state if and only if it has one.")

    @property
    def name(self) -> str:
        """The algorithm, with its variant where it has several."""
        return f"{self.algorithm} ({self.variant})" if self.variant else self.algorithm

    @property
    def label(self) -> str:
        """The name, with the values of the fixed quantities."""
        at = ", ".join(f"{q.name} = {plain(e)}" for q, e in self.fixed)
        return f"{self.name} at {at}" if at else self.name

    @property
    def clients(self) -> Expr:
        """Number of participating clients of a round."""
        return self.exchanges[-1].clients

    @property
    def down(self) -> Expr:
        """Numbers that a participating client receives in a round."""
        return sum((e.down for e in self.exchanges), S.Zero)

    @property
    def up(self) -> Expr:
        """Numbers that a participating client sends in a round."""
        return sum((e.up for e in self.exchanges), S.Zero)

    @property
    def gradients(self) -> Expr:
        """Stochastic gradients that a participating client computes in a round."""
        return sum((e.gradients for e in self.exchanges), S.Zero)

    @property
    def trips(self) -> int:
        """Number of exchanges in a round."""
        return len(self.exchanges)

    @property
    def keeps_state(self) -> bool:
        """Whether clients keep state between rounds."""
        return bool(self.client != 0)

    def round(self) -> dict[str, Expr]:
        """Totals over all clients of one round: numbers down and up, gradients, samples read."""
        return _totals(self.exchanges)

    def before(self) -> dict[str, Expr]:
        """Totals over all clients before the first round."""
        return _totals(self.once)

    def total(self, rounds: Expr) -> dict[str, Expr]:
        """Totals over all clients and ``rounds`` rounds, with the exchanges before the first."""
        first = self.before()
        return {key: first[key] + rounds * value for key, value in self.round().items()}

    def at(self, values: Mapping[Quantity, Expr]) -> Cost:
        """The cost with values substituted; quantities that do not occur are ignored."""
        inside = {q: sympify(e) for q, e in values.items() if q in self.quantities}
        return replace(
            self,
            exchanges=tuple(e.at(inside) for e in self.exchanges),
            server=self.server.subs(inside),
            client=self.client.subs(inside),
            once=tuple(e.at(inside) for e in self.once),
            fixed=(*self.fixed, *inside.items()),
        )

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities that occur, in the order of the notation."""
        every = [x for e in (*self.exchanges, *self.once) for x in e.expressions]
        ordered: tuple[Quantity, ...] = quantities_of(
            [*every, self.server, self.client, *self.round().values()]
        )
        return ordered


def chosen(
    gradients: Expr, *, up: Expr = d, down: Expr = d, clients: Expr = C * m, losses: Expr = S.Zero
) -> tuple[Exchange]:
    """The exchange of a plain round: C m clients receive a model, compute, and send one back."""
    return (Exchange(clients=clients, up=up, down=down, gradients=gradients, losses=losses),)


def dimensionless(name: str, value: object) -> Expr:
    """An expression without unit.

    Raises BoundkitError for any other expression, and DimensionError for a sum of different dimensions.
    """
    expr = sympify(value, strict=True)
    dimension = dimension_of(expr, units_of(expr))
    if dimension not in (None, ONE):
        raise BoundkitError(f"a cost counts things, but {name} = {expr} has dimension {dimension}.")
    return expr


def _totals(exchanges: tuple[Exchange, ...]) -> dict[str, Expr]:
    gradients = sum((e.clients * e.gradients for e in exchanges), S.Zero)
    losses = sum((e.clients * e.losses for e in exchanges), S.Zero)
    return {
        "down": sum((e.clients * e.down for e in exchanges), S.Zero),
        "up": sum((e.clients * e.up for e in exchanges), S.Zero),
        "gradients": gradients,
        "samples": batch * gradients + losses,
    }


batch = Quantity("batch", "b", "samples of one stochastic gradient", COUNT, ONE, 32)
samples = Quantity("samples", "n", "samples that a client holds", COUNT, ONE, 600)
candidates = Quantity(
    "candidates", r"d_{cand}", "clients that evaluate their loss for the selection", COUNT, ONE, 20
)


_REQUIRED: tuple[Relational, ...] = (
    at_least(candidates, C * m),
    at_most(candidates, m),
    at_most(clusters, m),
)
"""Relations that must hold wherever all their quantities occur."""


def quantities(costs: Iterable[Cost]) -> tuple[Quantity, ...]:
    """All quantities of the costs, and T, in the order of the notation."""
    ordered: tuple[Quantity, ...] = quantities_of([T, *(q for cost in costs for q in cost.quantities)])
    return ordered


def resolve(costs: Iterable[Cost], given: Mapping[str, object]) -> tuple[dict[str, float], tuple[str, ...]]:
    """A number for every quantity but T, which is optional; and the names of those assumed.

    Quantities of the notation that do not occur in these costs are ignored, so that the values of a theorem
    may be passed. Raises BoundkitError for an unknown name, a value outside its domain, and values
    that contradict each other.
    """
    known = {q.name: q for q in quantities(costs)}
    for name in given:
        if name not in known and name not in ALPHABET:
            raise unknown("quantity of these costs", name, known)
    values = {name: number(q, given[name]) for name, q in known.items() if name in given}
    assumed = tuple(name for name in known if name not in given and name != T.name)
    values |= {name: float(known[name].typical) for name in assumed}
    check(values, assumed)
    return {name: values[name] for name in known if name in values}, assumed


def number(quantity: Quantity, given: object) -> float:
    """A given value as a float. Raises BoundkitError for a list, and as ``check_number``."""
    if isinstance(given, (list, tuple, range, np.ndarray)):
        raise BoundkitError(
            f"{quantity.name} = {given!r} was given, but a cost takes one number for it ({quantity.meaning})."
        )
    return check_number(quantity, given)


def check(values: Mapping[str, float], assumed: tuple[str, ...] = ()) -> None:
    """Raise BoundkitError for values that contradict each other."""
    for product in (w for w in WHOLE if w != m / clusters and _all_in(w, values)):
        count = float(evaluate(product, values))
        if not is_whole(count) or count < 1:
            raise BoundkitError(
                f"{plain(product)} must be a whole number, at least 1, but it is {format_number(count)} at "
                f"{_point(product, values, assumed)}."
            )
    for relation in (r for r in _REQUIRED if _all_in(r, values)):
        if not satisfied(relation, values).all():
            point = _point(relation, values, assumed)
            raise BoundkitError(f"{plain(relation)} is needed, but it does not hold at {point}.")


def _all_in(expr: Expr | Relational, values: Mapping[str, float]) -> bool:
    return {s.name for s in expr.free_symbols} <= set(values)


def _point(expr: Expr | Relational, values: Mapping[str, float], assumed: tuple[str, ...]) -> str:
    names = [n for n in values if n in {s.name for s in expr.free_symbols}]
    return join_names(
        [f"{n} = {format_number(values[n])}" + (" (assumed)" if n in assumed else "") for n in names]
    )
