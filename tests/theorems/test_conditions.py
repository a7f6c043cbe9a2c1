"""Conditions on steps and rounds by number: each holds up to its limit, and not a thousandth beyond.

Limits are written out by hand from the theory, or from the proof in a theorem's docstring.
"""

from dataclasses import dataclass, field
from math import log, sqrt

from boundkit.analysis.evaluate import satisfied
from boundkit.theorems import theorem

SELECTED = "biased_selection_strongly_convex_"


@dataclass(frozen=True)
class Edge:
    """At these values the letter may be as large (or as small, if ``least``) as ``limit``, and no more."""

    theorem: str
    letter: str
    limit: float
    values: dict[str, float] = field(hash=False)
    least: bool = False

    def __str__(self) -> str:
        return f"{self.theorem.removeprefix(SELECTED)} {self.letter} {self.limit:.6g}"


def selected(kind: str, letter: str, limit: float, least: bool = False, **values: float) -> Edge:
    return Edge(SELECTED + kind, letter, limit, {"L": 1, "mu": 1, "tau": 1, "rho_bar": 0} | values, least)


def offset(kind: str, limit: float, **values: float) -> Edge:
    return selected(kind, "offset", limit, least=True, **values)


def fedavg(kind: str, limit: float, tau: float) -> Edge:
    return Edge(f"fedavg_{kind}", "eta", limit, {"L": 2, "tau": tau})


def cycles(name: str, constant: str, by: float) -> Edge:
    """T = 1000 rounds are c L groups/mu log(m T^2/groups^2) with 4 groups of 40 clients and mu = 1/2."""
    limit = 1000 * 0.5 / (by * 4 * log(40 * 1000**2 / 4**2))
    return Edge(name, "L", limit, {"T": 1000, "m": 40, "groups": 4, "mu_pl": 0.5, constant: by})


EDGES = [
    # A round's first step is at most twice its last: tau - 1 <= gamma = 4 L/mu = 4000
    selected("decaying", "tau", 4001, mu=0.001),
    # gamma >= B = 1 + 3 rho_bar/8, here 4 at L/mu = 1
    selected("decaying", "rho_bar", 8),
    # offset >= 4 L/mu, tau - 1 and B; the doubled step needs 8 L/mu and 2 B
    offset("sharp", 10, L=2.5),
    offset("sharp", 20, tau=21),
    offset("sharp", 13, rho_bar=32),
    offset("rigorous", 10, L=2.5),
    offset("rigorous", 20, tau=21),
    offset("rigorous", 7, rho_bar=32),
    offset("double", 20, L=2.5),
    offset("double", 20, tau=21),
    offset("double", 14, rho_bar=32),
    # min{1/(2 mu B), 1/(4 L)}, with B = 1, 4 and 10
    selected("fixed", "eta", 0.25),
    selected("fixed", "eta", 0.125, rho_bar=8),
    selected("fixed", "eta", 0.1, rho_bar=8, mu=1.25),
    selected("fixed_sharp", "eta", 0.25),
    selected("fixed_sharp", "eta", 0.1, L=2.5),
    selected("fixed_sharp", "eta", 0.1, rho_bar=24),
    selected("fixed_sharp", "eta", 0.2, rho_bar=8, mu=1.25),
    # Convex: 1/(4 L), and 1/(2 L) where the proof asks no more; both at any tau
    fedavg("convex", 0.125, tau=1),
    fedavg("convex", 0.125, tau=50),
    fedavg("convex_sharp", 0.25, tau=1),
    fedavg("convex_sharp", 0.25, tau=50),
    # Not convex: 1/(2 L tau), and 4 eta^2 L^2 (tau - 1)^2 <= 1/3 from tau = 3 on
    fedavg("nonconvex_sharp", 0.25, tau=1),
    fedavg("nonconvex_sharp", 0.125, tau=2),
    fedavg("nonconvex_sharp", 1 / sqrt(192), tau=3),
    # Cycles: T is at least of the order (L/mu) groups log(m T^2/groups^2)
    cycles("cyclic_pl_gd_rate", "c_4", 1),
    cycles("cyclic_pl_gd_rate", "c_4", 2),
    cycles("cyclic_pl_local_sgd_rate", "c_6", 1),
    cycles("cyclic_pl_shuffled_rate", "c_6", 1),
    cycles("cyclic_pl_tuned", "c_1", 25 / 4),
]


def test_conditions_hold_up_to_their_limits() -> None:
    for edge in EDGES:
        conditions = theorem(edge.theorem).step_size
        outwards = -1e-3 if edge.least else 1e-3
        for away, failing in ((-outwards, 0), (0, 0), (outwards, 1)):
            values = edge.values | {edge.letter: edge.limit * (1 + away)}
            assert sum(not satisfied(c, values) for c in conditions) == failing, edge
