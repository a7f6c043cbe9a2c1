r"""FedNova's step size as its theorem gives it: eta = sqrt(m/(tau T)), a number.

A step turns a gradient into a displacement, so it has the unit of a displacement over a gradient. A number
has none. Put into a bound, the rule takes the unit of every term with it, and 1 + sigma^2 is what comes out.
With 1/L it is a step, and the terms keep their units.
"""

from sympy import Eq, sqrt

from boundkit.algebra import Source
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import L, T, eta, m, tau
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT

EXHIBIT = Exhibit(
    name="fednova_step_rule",
    algorithm="fednova",
    claim=MEAN_SQUARED_GRADIENT,
    printed=Form(conditions=(Eq(eta, sqrt(m / (tau * T)), evaluate=False),)),
    repaired=Form(conditions=(Eq(eta, sqrt(m / (tau * T)) / L, evaluate=False),)),
    states="fednova_nonconvex_tuned",
    up_to="the average of the clients' steps for tau",
    lost="The 1/L that gives the rule the unit of a step was dropped.",
    source=Source(
        authors=("Wang", "Liu", "Liang", "Joshi", "Poor"),
        year=2020,
        title="Tackling the Objective Inconsistency Problem in Heterogeneous Federated Optimization",
        venue="NeurIPS 2020",
        arxiv="2007.07481",
        where="Theorem 1",
    ),
    prose=__doc__,
)
