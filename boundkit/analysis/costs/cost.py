"""What an algorithm asks of those who run it: sent, kept and computed in a round.

A cost belongs to the algorithm, not to a theorem: ten theorems on FedAvg share one. It stands here, and
not in the ground floor, because no theorem is made of it: it is a question that one asks beside the
bound.

Everything is counted in numbers (floats): a model is d of them. Working memory inside a round is not
counted, the model itself neither; what must outlive the round is, because a phone that comes once a
month cannot keep it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from sympy import Expr, S, sympify

from boundkit.algebra.dimension import ONE, dimension_of
from boundkit.algebra.errors import BoundkitError
from boundkit.algebra.notation import C, d, m, quantities_of, units_of
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Quantity
from boundkit.analysis.costs.notation import batch


@dataclass(frozen=True)
class Exchange:
    """One way to the clients and back: what each of ``clients`` receives, computes and sends.

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
            object.__setattr__(self, name, pure(name, getattr(self, name)))

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All five."""
        return (self.clients, self.down, self.up, self.gradients, self.losses)

    def at(self, values: Mapping[Quantity, Expr]) -> Exchange:
        """The same with values put in."""
        return Exchange(**{f.name: getattr(self, f.name).subs(values) for f in fields(self)})


@dataclass(frozen=True)
class Cost:
    """The cost of one round of an algorithm, or of one ``variant`` of it.

    ``exchanges``: the ways to and fro of a round; the last one is that of the clients that take part.
    ``server``, ``client``: numbers that the server, and each single client, keeps from round to round
    beside the model. ``once``: what is exchanged before the first round. ``state`` says what is kept.
    ``fixed``: letters that were given a value, in the case of a theorem by what it assumes.

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
            object.__setattr__(self, name, pure(name, getattr(self, name)))
        if not self.exchanges:
            raise BoundkitError(f"the cost of {self.name} needs at least one exchange a round.")
        if bool(self.state) != bool(self.server != 0 or self.client != 0):
            raise BoundkitError(
                f"the cost of {self.name} must say what is kept, if and only if something is."
            )

    @property
    def name(self) -> str:
        """The algorithm, with its variant where it has several."""
        return f"{self.algorithm} ({self.variant})" if self.variant else self.algorithm

    @property
    def label(self) -> str:
        """The name, with the letters that were given a value."""
        at = ", ".join(f"{q.name} = {plain(e)}" for q, e in self.fixed)
        return f"{self.name} at {at}" if at else self.name

    @property
    def clients(self) -> Expr:
        """How many clients take part in a round."""
        return self.exchanges[-1].clients

    @property
    def down(self) -> Expr:
        """Numbers that a client which takes part receives in a round."""
        return sum((e.down for e in self.exchanges), S.Zero)

    @property
    def up(self) -> Expr:
        """Numbers that a client which takes part sends in a round."""
        return sum((e.up for e in self.exchanges), S.Zero)

    @property
    def gradients(self) -> Expr:
        """Stochastic gradients that a client which takes part computes in a round."""
        return sum((e.gradients for e in self.exchanges), S.Zero)

    @property
    def trips(self) -> int:
        """How often in a round a client waits for the server."""
        return len(self.exchanges)

    @property
    def keeps_state(self) -> bool:
        """Whether clients must remember something between rounds, as phones that come once cannot."""
        return bool(self.client != 0)

    def round(self) -> dict[str, Expr]:
        """All clients of one round together: numbers down and up, gradients, samples read."""
        return _together(self.exchanges)

    def before(self) -> dict[str, Expr]:
        """All clients together before the first round."""
        return _together(self.once)

    def total(self, rounds: Expr) -> dict[str, Expr]:
        """All clients together over so many rounds, with what comes before them."""
        first = self.before()
        return {key: first[key] + rounds * value for key, value in self.round().items()}

    def at(self, values: Mapping[Quantity, Expr]) -> Cost:
        """The same with values put in; what it has no letter for is left aside."""
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
        """The letters that occur, in the order of the alphabet."""
        every = [x for e in (*self.exchanges, *self.once) for x in e.expressions]
        found: tuple[Quantity, ...] = quantities_of(
            [*every, self.server, self.client, *self.round().values()]
        )
        return found


def chosen(
    gradients: Expr, *, up: Expr = d, down: Expr = d, clients: Expr = C * m, losses: Expr = S.Zero
) -> tuple[Exchange]:
    """The plain round: C m clients get a model, compute, and send one back."""
    return (Exchange(clients=clients, up=up, down=down, gradients=gradients, losses=losses),)


def pure(name: str, value: object) -> Expr:
    """An expression without unit.

    Raises BoundkitError for anything else, and DimensionError where unlike things are added.
    """
    expr = sympify(value, strict=True)
    dimension = dimension_of(expr, units_of(expr))
    if dimension not in (None, ONE):
        raise BoundkitError(f"a cost counts things, but {name} = {expr} has dimension {dimension}.")
    return expr


def _together(exchanges: tuple[Exchange, ...]) -> dict[str, Expr]:
    gradients = sum((e.clients * e.gradients for e in exchanges), S.Zero)
    losses = sum((e.clients * e.losses for e in exchanges), S.Zero)
    return {
        "down": sum((e.clients * e.down for e in exchanges), S.Zero),
        "up": sum((e.clients * e.up for e in exchanges), S.Zero),
        "gradients": gradients,
        "samples": batch * gradients + losses,
    }
