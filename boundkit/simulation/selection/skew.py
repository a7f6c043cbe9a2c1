r"""Skew of a selection by losses on a problem: rho_bar, rho_tilde and Gamma.

For a strategy pi, a model x that ranks the clients and a model x' at which they are evaluated,

    rho(S(pi, x), x') = E[(1/|S|) sum_{k in S} (F_k(x') - F_k*)] / (F(x') - sum p_k F_k*),

rho_bar is its minimum over all x and x', rho_tilde its maximum over x at x' = x*.

rho_tilde needs no search: F_k* is 0 for every quadratic client, so of any candidates those with the largest
losses at x* have the largest loss gaps at x*, and rho_tilde = rho(S(pi, x*), x*), in every dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection.orderings import order_at
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.skew_minimum import (
    MinimumSkew,
    minimum_in_space,
    minimum_on_line,
    skew_interval,
)
from boundkit.simulation.selection.strategy import Strategy
from boundkit.simulation.validation import checked_array

Within = Literal["hull"] | tuple[float, float] | None


@dataclass(frozen=True)
class Skew:
    """The skew of a strategy on a problem, with its reliability.

    No skew is below ``rho_bar``, the value for theorems; ``reached`` is an attained skew, the
    same number where ``exact``. ``rho_tilde`` is at least rho_bar; along a run, where it might be smaller, it
    is raised. Ties are ignored: an order of losses counts where it occurs on an open set.

    ``rho_same`` bounds the skew from below where x' = x, which suffices for the proofs with tau = 1, or
    for the version that expands around the start of a round. ``trust`` is ``local`` where only given models
    were evaluated.
    """

    rho_bar: float
    rho_tilde: float
    Gamma: float
    reached: float
    rho_same: float
    exact: bool
    how: str
    trust: Trust = "exact"

    def _repr_html_(self) -> str:
        from boundkit.report.html import heading, html_table, notes

        names = ("rho_bar", "rho_tilde", "Gamma", "reached", "rho_same")
        rows = [[name, f"{getattr(self, name):.6g}"] for name in names]
        certain = "exact" if self.exact else "certified from below"
        return (
            heading("The skew of a selection")
            + html_table(["", "value"], rows)
            + notes([f"{certain}, {self.trust}: {self.how}"])
        )

    def constants(self) -> dict[str, Constant]:
        """rho_bar, rho_tilde and Gamma, by their symbols."""
        return {
            "rho_bar": Constant(self.rho_bar, self.trust, self.how),
            "rho_tilde": Constant(self.rho_tilde, self.trust, _TILDE if self.trust == "exact" else self.how),
            "Gamma": Constant(self.Gamma, "exact", "sum p_i F_i(x*), each F_i with the minimum 0"),
        }


_TILDE = "rho(S(pi, x*), x*)"
_NO_GAMMA = "; Gamma = 0, so that rho_tilde is 0/0 and any value will do: rho_bar is given"


def skew(
    problem: Quadratic, strategy: Strategy, within: Within = None, samples: int = 2000, seed: int = 0
) -> Skew:
    """rho_bar, rho_tilde and Gamma of a selection strategy on a quadratic problem.

    Parameters
    ----------
    problem
        Quadratics, with a minimiser for each client and a unique one of the mean.
    strategy
        The selection by losses.
    within
        In one dimension only, an interval that contains x*, to which x and x' are restricted: (low, high), or
        ``"hull"``, that of the minimisers, which is invariant for full gradients and eta <= 1/L.
    samples, seed
        In more dimensions, the number of models that are drawn to collect orders of losses that occur.

    Returns
    -------
    Skew
        ``rho_bar``, ``rho_tilde`` and ``gamma``, and whether they are exact.

    Raises
    ------
    BoundkitError
        For other than quadratics, clients without a minimiser, a mean loss without a unique minimiser, and
        for ``within`` in more than one dimension.

    References
    ----------
    Cho, Wang, Joshi, arXiv 2010.01243, section 3.

    Examples
    --------
    >>> line = Quadratic([1, 1, 1], [[-1.0], [0.2], [2.0]])
    >>> result = skew(line, Strategy(count=1, candidates=2))
    >>> round(result.rho_bar, 4), round(result.rho_tilde, 4), result.exact
    (0.1204, 1.5526, True)
    """
    pencil = Pencil.of(problem)
    if within is not None:
        ends = skew_interval(problem, within)
        minimum = minimum_on_line(pencil, strategy, ends)
    elif problem.d == 1:
        minimum = minimum_on_line(pencil, strategy, (-np.inf, np.inf))
    else:
        minimum = minimum_in_space(pencil, strategy, samples, seed)
    return _skew(pencil, strategy, minimum, "exact", problem.centre[None])


def skew_along(problem: Quadratic, strategy: Strategy, models: Array, inside: Array | None = None) -> Skew:
    """The skew along one run: the minimal rho(S(pi, x_t), x') and the maximal rho(S(pi, x_t), x*).

    ``models``: x_t at the start of each round, (T, d). x' is x_t itself, which suffices for the proofs with
    tau = 1, or for the version that expands around x_t; and, where given, the mean iterates ``inside`` round
    t, (T, n, d). Several runs may be concatenated.

    Raises BoundkitError for other shapes, and where no model remains.
    """
    pencil = Pencil.of(problem)
    models = checked_array("models", models, (None, problem.d))
    if len(models) == 0:
        raise BoundkitError("models must hold at least one model that a round began with, but it is empty.")
    evaluated = models[:, None]
    if inside is not None:
        evaluated = np.concatenate(
            [evaluated, checked_array("inside", inside, (len(models), None, problem.d))], axis=1
        )
    orders, which = np.unique(order_at(problem, models), axis=0, return_inverse=True)
    shares = strategy.shares(problem.p, orders)[which.reshape(-1)]
    skews = pencil.at(shares[:, None], evaluated)
    if np.isnan(skews).all():
        raise BoundkitError("every model given is the minimiser of all clients at once, where rho is 0/0.")
    lowest = float(np.nanmin(skews))
    minimum = MinimumSkew(lowest, lowest, True, f"the least over {len(models)} models that were visited")
    return _skew(pencil, strategy, minimum, "local", models)


def _skew(pencil: Pencil, strategy: Strategy, minimum: MinimumSkew, trust: Trust, models: Array) -> Skew:
    problem = pencil.problem
    how, tilde = minimum.how, minimum.low
    if pencil.gamma == 0:
        how += _NO_GAMMA
    else:
        orders = np.unique(order_at(problem, models), axis=0)
        tilde = float(pencil.at_optimum(strategy.shares(problem.p, orders)).max())
    return Skew(
        rho_bar=minimum.low,
        rho_tilde=max(tilde, minimum.low),
        Gamma=pencil.gamma,
        reached=minimum.high,
        rho_same=_same(strategy, problem.p),
        exact=minimum.exact,
        how=how,
        trust=trust,
    )


def _same(strategy: Strategy, p: Array) -> float:
    """min_k P(k a candidate)/(d p_k): the largest losses among candidates are at least their mean."""
    random = (
        strategy if strategy.replacement else Strategy(strategy.pool, probabilities=strategy.probabilities)
    )
    shares = random.shares(p, np.arange(len(p))[None])[0]
    return float((shares[p > 0] / p[p > 0]).min())
