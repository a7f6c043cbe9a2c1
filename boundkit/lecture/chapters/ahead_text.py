"""What lies ahead: the modified objectives, and the words around them."""

from boundkit.algebra import Source
from boundkit.lecture.parts import Objective, Objectives, Prose

OPENING = Prose(
    r"""
All that came before minimises $F(x) = \sum_i p_i F_i(x)$: one model, one architecture, one law of the data
for
all time, and clients that do as they are asked. Each of these is a choice. Change it, and the objective
changes.

For every modified objective below there is one sentence on what is known, by proof or by experiment, and
one on what
is open. None of the theorems of these papers is in the catalogue.
""",
)

OBJECTIVES = Objectives(
    (
        Objective(
            "Model heterogeneity",
            r"\min_{x,\, x_1, \dots, x_m} \; \sum_{i} p_i F_i(x_i) + \lambda\, \mathbb{E}_{u}\, "
            r"d\!\left( s(x; u), \; \sum_i w_i\, s_i(x_i; u) \right)",
            "Clients have models $x_i$ of unlike size, whose parameters cannot be averaged. What is "
            "averaged are "
            "their answers $s_i$ on unlabelled samples $u$, and the server's model $x$ is trained to give "
            "the same. "
            "**Known:** how well an ensemble generalises, and that distilling it works in experiments. "
            "**Open:** a bound on rounds; drift and sampling have no letter here yet.",
            Source(
                authors=("Cho", "Manoel", "Joshi", "Sim", "Dimitriadis"),
                year=2022,
                title="Heterogeneous Ensemble Knowledge Transfer for Training Large Models in Federated "
                "Learning",
                venue="IJCAI 2022",
                arxiv="2204.12703",
                where="Fed-ET",
            ),
        ),
        Objective(
            "Drift of concepts",
            r"\min_{x_1, \dots, x_K} \; \sum_{t} \sum_i p_i \min_{k} F_{i,t}(x_k)",
            "The law of a client's data changes with time, and not for all clients at once. Several models "
            "are kept, "
            "and every client uses the one that suits it now. **Known:** a client's loss shows that its "
            "law has "
            "changed, and clusters of clients can be followed in experiments. **Open:** what drift costs "
            "as a term, beside noise and sampling; the slide's word drift is not this lecture's client "
            "drift.",
            Source(
                authors=("Jothimurugesan", "Hsieh", "Wang", "Joshi", "Gibbons"),
                year=2023,
                title="Federated Learning under Distributed Concept Drift",
                venue="AISTATS 2023",
                arxiv="2206.00799",
                where="FedDrift",
            ),
        ),
        Objective(
            "Personalised models",
            r"\min_{v_i} \; F_i(v_i) + \frac{\lambda}{2} \|v_i - x^*\|^2 \quad \text{for every } i, \qquad "
            r"x^* = \operatorname{argmin}_x \sum_j p_j F_j(x)",
            "Each client gets a model of its own, held near the common one. At $\\lambda = 0$ everybody "
            "learns "
            "alone, for $\\lambda \\to \\infty$ all have $x^*$. **Known:** rates for strongly convex "
            "losses, and the best "
            "$\\lambda$ for linear problems. **Open:** how to choose $\\lambda$ when nobody sees the "
            "clients' data.",
            Source(
                authors=("Li", "Hu", "Beirami", "Smith"),
                year=2021,
                title="Ditto: Fair and Robust Federated Learning Through Personalization",
                venue="ICML 2021",
                arxiv="2012.04221",
                where="the objective, and its solver",
            ),
        ),
        Objective(
            "Incentives",
            r"\max_x \; \sum_i p_i \, \mathbf{1}\!\left\{ F_i(x) < F_i(\hat x_i) \right\}",
            "A client takes part if the common model is better for it than $\\hat x_i$, the one that it "
            "can train alone. So "
            "count those for whom that is true. The indicator is smoothed, and clients near the threshold "
            "weigh most. "
            "**Known:** a rate to a stationary point of the smoothed objective. **Open:** the count "
            "itself; and "
            "what happens as clients leave, since then the objective changes.",
            Source(
                authors=("Cho", "Jhunjhunwala", "Li", "Smith", "Joshi"),
                year=2022,
                title="To Federate or Not To Federate: Incentivizing Client Participation in Federated "
                "Learning",
                arxiv="2205.14840",
                where="the objective of incentivised clients",
            ),
        ),
        Objective(
            "Fairness",
            r"\min_x \; \frac{1}{q + 1} \sum_i p_i F_i(x)^{q + 1}",
            "A mean may hide one client that is served badly. Powers weigh large losses more: $q = 0$ is "
            "$F$, and for "
            "$q \\to \\infty$ the worst client alone counts. **Known:** rates for the worst case over "
            "mixtures of "
            "clients, and that power-of-choice is subgradient descent on a mean of losses weighed by rank, "
            "for $d = m$ the mean of the largest. **Open:** one "
            "number for fairness that all agree on; here it is a choice of $q$.",
            Source(
                authors=("Li", "Sanjabi", "Beirami", "Smith"),
                year=2020,
                title="Fair Resource Allocation in Federated Learning",
                venue="ICLR 2020",
                arxiv="1905.10497",
                where="q-FFL",
            ),
        ),
    )
)

WHAT_HOLDS = Prose(
    title="What the old bounds still say",
    text=r"""
Two sentences carry over.

**Weights.** If the modified objective only weighs the clients anew, by $w_i$ for $p_i$, then at its
optimum the squared gradient of the old one is at most $\chi^2 \kappa^2$. So this is what fairness, or
whoever left, may cost the mean.

**Selection.** Favouring clients with large losses was a method in the third chapter, with a bias. Seen from
here it is no bias: it is another objective, and short steps lead to its optimum. If all clients are
candidates, $d = m$, that is the mean of the largest losses. For $d < m$ it is a mean that weighs losses by
their rank, since a client with a large loss is not always among the candidates.

Whether a bias is an error depends on what was meant.
""",
)
