"""The objective that an aggregation rule minimises, from weights, local steps and participation alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.report import Listing, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number, join_names
from boundkit.simulation.aggregation_rules import RULES
from boundkit.simulation.arrays import Array, Clients
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.surrogate import surrogate_weights
from boundkit.simulation.validation import checked_weights, number, whole

_SAME = 1e-9
"""Largest difference between a surrogate weight and p_i that is rounding."""
_LISTED = 20
"""Most clients of the printed table."""


@dataclass(frozen=True, repr=False)
class RuleObjective(Reported):
    """The objective sum v_i F_i that a rule minimises as the step size goes to 0, beside F = sum p_i F_i.

    ``weights``: v, (m,), which sum to 1; None where the rule minimises no weighted mean of the clients.
    ``scale``: of one round of the rule, E sum_S w_i: 1 where the weights of the updates sum to 1.
    ``repairs``: rules under which v = p, with these numbers of local steps or, if ``equal_steps``, with equal
    ones.
    """

    algorithm: str
    rule: str | None
    p: Array
    steps: Clients
    participation: Mapping[str, Any]
    weights: Array | None
    scale: float | None
    repairs: tuple[str, ...]
    equal_steps: bool

    @property
    def consistent(self) -> bool:
        """Whether v = p up to rounding."""
        return self.weights is not None and bool(np.abs(self.weights - self.p).max() <= _SAME)

    @property
    def ratio(self) -> Array | None:
        """v_i/p_i, (m,), nan for clients of weight 0; None without v."""
        if self.weights is None:
            return None
        return np.divide(self.weights, self.p, out=np.full_like(self.p, np.nan), where=self.p > 0)

    @property
    def bias(self) -> float | None:
        """Largest ||sum v_i e_i - sum p_i e_i|| over minimisers e_i at mutual distance at most 1.

        Half of sum |v_i - p_i|: the limit's distance from the optimum on losses ||x - e_i||^2/2.
        """
        return None if self.weights is None else float(np.abs(self.weights - self.p).sum() / 2)

    def to_dict(self) -> dict[str, Any]:
        """The answer of ``objective --p ... --json``."""
        ratio = self.ratio
        return {
            "algorithm": self.algorithm,
            "rule": self.rule,
            "p": self.p.tolist(),
            "local_steps": self.steps.tolist(),
            "participation": dict(self.participation),
            "surrogate_weights": None if self.weights is None else self.weights.tolist(),
            "ratio": None if ratio is None else [None if r != r else r for r in ratio.tolist()],
            "bias_of_unit_quadratics": self.bias,
            "weights_sum": self.scale,
            "minimises_f": self.consistent,
            "repairs": list(self.repairs),
            "repairs_need_equal_steps": self.equal_steps,
        }

    def report(self) -> Report:
        """The weights by client, what is minimised, the bias, and the rules that have none."""
        rule = None if self.rule is None else RULES[self.rule]
        name = self.algorithm if self.rule is None else self.rule
        caption = name if rule is None else f"{name}: x <- {rule.formula}"
        ratio, rows = self.ratio, []
        order = np.arange(len(self.p))
        if self.weights is not None and len(order) > _LISTED:
            order = np.sort(np.argsort(-np.abs(self.weights - self.p), kind="stable")[:_LISTED])
        for i in order:
            row = [str(i), format_number(self.p[i]), str(self.steps[i])]
            if self.weights is not None and ratio is not None:
                row += [format_number(self.weights[i]), f"{ratio[i]:.3g}" if self.p[i] else ""]
            rows.append(row)
        header = ["client", "p", "local steps", "surrogate weight v", "v/p"]
        table = Table(header[: len(rows[0])], rows, caption=caption)
        lines = [*self._omitted(len(order)), *self._verdict(), *self._repairs()]
        codes = [] if rule is None else list(rule.implementations)
        return Report((table, Sentences(lines, wrapped=True), Listing("computed by", codes)))

    def _omitted(self, shown: int) -> list[str]:
        omitted = len(self.p) - shown
        return [f"{omitted} clients with smaller |v - p| are not listed; --json has them."] if omitted else []

    def _verdict(self) -> list[str]:
        if self.rule == "models" and self.weights is None:
            return [
                f"The weights p_i of the participants sum to {format_number(self.scale)} on average; every "
                "round multiplies the model by that: it is drawn to 0, and no weighted mean of the clients' "
                "losses is minimised. Average updates instead of models, or divide by the sum."
            ]
        if self.weights is None:
            return [f"{self.algorithm} has no surrogate objective sum v_i F_i here that is known."]
        speed = ""
        if self.scale is not None and abs(self.scale - 1) > _SAME:
            speed = (
                f" Its weights sum to {format_number(self.scale)} on average, which scales the server's step "
                "and not the objective."
            )
        if self.consistent:
            return [f"As the step size goes to 0 it minimises F = sum p_i F_i.{speed}"]
        ratio = self.ratio
        assert ratio is not None
        finite = np.where(self.p > 0, ratio, 1.0)
        most, least = int(np.argmax(finite)), int(np.argmin(finite))
        return [
            f"As the step size goes to 0 it minimises sum v_i F_i, not F = sum p_i F_i: client {most} counts "
            f"{finite[most]:.3g} times its weight p, client {least} {finite[least]:.3g} times.{speed}",
            "Where client i has the loss ||x - e_i||^2/2, with its minimum at e_i, the distance of the limit "
            f"from the optimum is up to {format_number(self.bias)} times the largest one between two minima.",
        ]

    def _repairs(self) -> list[str]:
        if self.consistent or not self.repairs:
            return []
        names = join_names(self.repairs)
        plural = len(self.repairs) > 1
        verb = "minimise" if plural else "minimises"
        if self.equal_steps:
            return [
                f"With equal numbers of local steps {names} {verb} F; with these numbers no rule here does."
            ]
        return [f"With the same clients and local steps {names} {verb} F."]


def rule_objective(
    *,
    p: Sequence[float] | Array | None = None,
    tau: int | Sequence[int] | None = None,
    rule: str | None = None,
    C: float | None = None,
    q: float | Sequence[float] | None = None,
    count: int | None = None,
    algorithm: str | None = None,
    epochs: int | None = None,
    samples: Sequence[int] | None = None,
    batch: int | None = None,
) -> RuleObjective:
    """Compute the surrogate objective of an aggregation rule.

    Parameters
    ----------
    p
        Weights of the clients in F = sum p_i F_i; by default in proportion to ``samples``.
    tau
        Local steps, one number or one a client; 1 by default.
    rule
        One of ``RULES``, ``weighted`` by default. None for an algorithm without a choice of aggregation.
    C, q, count
        Participation: C m clients without replacement; each client with its own probability; or ``count``
        draws with replacement, in proportion to p. All clients by default.
    algorithm
        An algorithm in place of ``fedavg``.
    epochs, samples, batch
        In place of ``tau``: ``epochs`` passes over the client's samples in mini-batches, the last of which
        may be smaller.

    Returns
    -------
    RuleObjective
        The surrogate weights v beside p, the bias, and the rules without one.

    Raises
    ------
    BoundkitError
        For values that contradict each other, and rules that are unknown.

    Examples
    --------
    >>> answer = rule_objective(p=[0.6, 0.3, 0.1], tau=[5, 2, 9])
    >>> [round(v, 3) for v in answer.weights.tolist()]
    [0.667, 0.133, 0.2]
    >>> answer.repairs
    ('normalised',)
    """
    clients = _clients(p, tau, q, samples)
    sizes = (
        None if samples is None else [whole("samples", n, 1) for n in _listed("samples", samples, clients)]
    )
    weights = _weights(p, sizes, clients)
    steps = _steps(tau, epochs, sizes, batch, clients)
    participation = _participation(C, q, count, clients)
    if rule is None and algorithm is None:
        rule = "weighted"
    if rule is not None and rule not in RULES:
        raise _unknown_rule(rule)
    run = _run(algorithm, rule, weights, steps, participation)
    v, scale = _surrogate(run, rule)
    repairs, equal = _repairs(rule, weights, steps, participation)
    return RuleObjective(
        run.algorithm.name, rule, run.problem.p, steps, participation, v, scale, repairs, equal
    )


def _unknown_rule(rule: str) -> BoundkitError:
    """The error for a rule that is none; of the name of an algorithm, with its rules."""
    from boundkit.simulation.algorithms import ALGORITHMS

    name = rule.lower().replace("-", "_")
    if name not in ALGORITHMS:
        return unknown("rule", rule, RULES)
    own = [key for key, kind in RULES.items() if kind.algorithm == name]
    if len(own) == 1:
        return BoundkitError(f"{name} is an algorithm, and its aggregation rule is called {own[0]!r}.")
    if own:
        return BoundkitError(f"{name} is an algorithm; name its aggregation rule, {', '.join(own)}.")
    return BoundkitError(
        f"{name} is an algorithm and no aggregation rule: give it without --rule, as in boundkit objective "
        f"{name} --p 0.6,0.3,0.1; rules are {', '.join(RULES)}."
    )


def _run(
    algorithm: str | None, rule: str | None, p: Array, steps: Clients, participation: Mapping[str, Any]
) -> Run:
    """A run on losses (x - e_i)^2/2, whose surrogate weights depend on its rounds alone."""
    problem = Quadratic([1.0] * len(p), np.zeros((len(p), 1)), p)
    options: Mapping[str, Any] = {}
    if rule is not None:
        kind = RULES[rule]
        if algorithm is not None and (algorithm == "fednova") != (kind.algorithm == "fednova"):
            raise BoundkitError(
                f"the rule {rule} is of {kind.algorithm}, but {algorithm} was given; give one of them."
            )
        algorithm, options = algorithm or kind.algorithm, kind.options
    assert algorithm is not None
    return make_run(
        algorithm,
        problem,
        rounds=1,
        eta=1e-3 / float(steps.max()),
        local_steps=steps.tolist(),
        participation=dict(participation),
        options=dict(options),
    )


def _surrogate(run: Run, rule: str | None) -> tuple[Array | None, float | None]:
    """v, and E sum_S w_i where a round has weights."""
    scale = None
    if run.algorithm.stateless:
        mean = AggregationWeights(run).mean(0)
        scale = float(mean.sum()) if rule != "normalised" and run.algorithm.name != "fednova" else None
        if rule == "models" and abs(float(mean.sum()) - 1) > _SAME:
            return None, scale
    return surrogate_weights(run), scale


def _repairs(
    rule: str | None, p: Array, steps: Clients, participation: Mapping[str, Any]
) -> tuple[tuple[str, ...], bool]:
    """The rules with v = p at these local steps, or else at equal ones, and whether they need equal ones."""
    for table in (steps, np.ones_like(steps)):
        consistent = []
        for name in RULES:
            if name == "models" or (name == rule and table is steps):
                continue
            try:
                v, _ = _surrogate(_run(None, name, p, table, participation), name)
            except BoundkitError:  # a rule that this participation does not allow
                continue
            if v is not None and np.abs(v - p).max() <= _SAME:
                consistent.append(name)
        if consistent:
            return tuple(consistent), table is not steps
    return (), False


def _clients(p: Any, tau: Any, q: Any, samples: Any) -> int:
    """The number of clients, from the first list that is given."""
    for values in (p, samples, tau, q):
        if values is not None and np.ndim(values) == 1 and len(values):
            return len(values)
    raise BoundkitError("the clients are not known: give p, samples or tau with one value for each client.")


def _listed(name: str, values: Any, clients: int) -> list[Any]:
    """One value a client."""
    listed = [values] * clients if np.ndim(values) == 0 else list(values)
    if len(listed) == 1 < clients:
        listed = listed * clients
    if len(listed) != clients:
        raise BoundkitError(f"{name} has {len(listed)} values, but there are {clients} clients.")
    return listed


def _weights(p: Any, samples: list[int] | None, clients: int) -> Array:
    if p is not None:
        return checked_weights(_listed("p", p, clients), clients)
    return checked_weights(None, clients) if samples is None else np.array(samples) / sum(samples)


def _steps(tau: Any, epochs: Any, samples: list[int] | None, batch: Any, clients: int) -> Clients:
    if epochs is None:
        if batch is not None:
            raise BoundkitError("batch goes with epochs and samples.")
        listed = _listed("tau", 1 if tau is None else tau, clients)
        return np.array([whole("tau", value, 1) for value in listed], dtype=np.intp)
    if tau is not None:
        raise BoundkitError("tau and epochs were both given; give one of them.")
    if samples is None or batch is None:
        raise BoundkitError("epochs needs samples and batch, such as samples 600,300,100 and batch 32.")
    passes, size = whole("epochs", epochs, 1), whole("batch", batch, 1)
    return np.array([passes * -(-n // size) for n in samples], dtype=np.intp)


def _participation(C: Any, q: Any, count: Any, clients: int) -> dict[str, Any]:
    given = {name: value for name, value in {"C": C, "q": q, "count": count}.items() if value is not None}
    if len(given) > 1:
        raise BoundkitError(f"{join_names(list(given))} were given, which exclude each other; give one.")
    if C is not None:
        return {"kind": "uniform", "C": number("C", C, 0, 1)}
    if q is not None:
        return {"kind": "bernoulli", "probabilities": [float(each) for each in _listed("q", q, clients)]}
    if count is not None:
        return {"kind": "with_replacement", "count": whole("count", count, 1)}
    return {"kind": "full"}
