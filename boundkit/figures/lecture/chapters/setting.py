"""The setting and FedAvg: who is asked, what is minimised, and what one bound says of it."""

from boundkit.algebra import Source
from boundkit.figures.lecture.chapters.setting_exercises import EXERCISES
from boundkit.figures.lecture.chapters.setting_quiz import questions
from boundkit.figures.lecture.parts import (
    Chapter,
    Exercises,
    Explorer,
    Limits,
    Live,
    Picture,
    Prose,
    Quiz,
    Slider,
    Statement,
    Table,
)

_DISTRIBUTED = Table(
    caption="Distributed SGD in a data centre against federated learning.",
    head=("", "distributed SGD", "federated learning"),
    rows=(
        ("Workers", "tens or hundreds", "up to millions of clients"),
        ("Who is there", "every worker, all the time", "a few clients at a time, those that can be reached"),
        ("Data", "shuffled and dealt out: each worker sees the same law", "stays where it arose: "
         "each client has a law of its own"),
        ("Computing power", "alike machines", "phones, sensors, hospitals: unlike in speed and memory"),
        ("Communication", "fast wires, a gradient a step", "slow and dear: many local steps an exchange"),
        ("Privacy", "data may be moved", "data may not leave the client"),
    ),
)  # fmt: skip

_CROSS = Table(
    caption="Cross-device against cross-silo federated learning.",
    head=("", "cross-device", "cross-silo"),
    rows=(
        ("Clients", "phones and sensors, up to millions", "firms or hospitals, two to hundreds"),
        ("Who is there", "a small fraction, $C \\ll 1$, and not at will", "nearly all, $C = 1$"),
        ("State at a client", "none: it may never come again", "kept from round to round"),
        ("Data", "little at each client, and unlike", "much at each client, and unlike too"),
        ("Computing power", "unlike, $\\tau_i$ differs", "alike, or known beforehand"),
        ("What limits", "communication and presence", "communication, computing, and law"),
        ("Privacy", "data stays on the device", "data stays in the house"),
    ),
)

_OBJECTIVE = Prose(
    title="What is minimised",
    text=r"""
Client $i$ holds $n_i$ samples, and their mean loss is its own objective:

$$F_i(x) = \frac{1}{n_i} \sum_{j=1}^{n_i} f(x; \xi_{ij}), \qquad F(x) = \sum_{i=1}^{m} p_i F_i(x), \qquad p_i = \frac{n_i}{\sum_j n_j}.$$

Read it from the right: the weights $p_i$ sum to one, so every sample counts the same, wherever it lies.

The aim is the minimiser $x^*$ of $F$. No client knows $F$. Each knows only its own $F_i$, and $x^*$ is in
general the minimiser of none of them.
""",
)

_ROUND = Prose(
    title="A round of FedAvg",
    text=r"""
The server has a model $x_t$. One round has three parts.

1. The server sends $x_t$ to the clients of this round.
2. Client $i$ takes $\tau_i$ steps on its own loss, from $x_i^{0} = x_t$:

$$x_i^{k+1} = x_i^{k} - \eta\, g_i(x_i^{k}), \qquad k = 0, \dots, \tau_i - 1.$$

3. The server takes the mean of what comes back, with the weights of those who came:

$$x_{t+1} = x_t + \eta_s \sum_{i \in S_t} \frac{p_i}{\sum_{j \in S_t} p_j} \left(x_i^{\tau_i} - x_t\right).$$

The server step $\eta_s$ is 1 in FedAvg as it was published.

**How many steps is that?** With batches of $B$ samples and $E$ passes over the data,

$$\tau_i = \left\lceil \frac{E n_i}{B} \right\rceil .$$

Lecture notes leave the rounding out. They also take the weights $p_i$ over the clients that came without
dividing by their sum; then the weights sum to less than one and the model shrinks towards 0 in every round.
Dividing by the sum mends that, at a price for unequal $n_i$: the mean of the step is no longer the step
that all clients together would take.
""",
)

_PICTURE = Prose(
    title="Client drift",
    text=r"""
At $\tau = 1$ the mean of the local gradients is the gradient of $F$. FedAvg is then minibatch SGD.

At $\tau > 1$ the second local gradient is taken at a point that has moved towards the client's own
minimiser. The mean of these gradients belongs to no single point. This is client drift.

Whether drift moves the place where FedAvg comes to rest depends on curvature. With equal Hessians it does not:
the pulls still cancel at $x^*$. With unequal Hessians it does, and for $\tau \to \infty$ FedAvg comes to
rest at the mean of the clients' minimisers.
""",
)

_ASSUMPTIONS = Prose(
    title="What is assumed",
    text=r"""
Four sentences carry nearly every bound of this lecture.

- **Smooth**: $\|\nabla F_i(x) - \nabla F_i(y)\| \le L \|x - y\|$ for every client. The notes call $F_i$
  "$L$-Lipschitz"; it is the gradient that is.
- **Bounded noise**: $\mathbb{E}\, g_i(x) = \nabla F_i(x)$ and
  $\mathbb{E} \|g_i(x) - \nabla F_i(x)\|^2 \le \sigma^2$, independent across clients and steps.
- **Bounded dissimilarity**: $\frac{1}{m} \sum_i \|\nabla F_i(x) - \nabla F(x)\|^2 \le \sigma_g^2$.
- **Bounded below**: $\Delta = F(x_0) - F_{\inf}$ is finite.

No convexity is asked for, and so no optimum is promised: what gets small is the gradient.
""",
)

_TERMS = Prose(
    title="The bound, term by term",
    text=r"""
**Initial gap.** It falls as $1/(\eta \tau T)$: what counts is how far all steps together could have walked.

**Stochastic noise.** It grows with $\eta$ and is shared by $m$ clients. It does not fall with $T$.

**Noise drift.** Noise moves a client inside its round, too. This is of order $\eta^2$, and $m$ does not help:
each client drifts alone.

**Client drift.** Unlike losses pull the clients apart. It is of order $\eta^2 \tau^2 \sigma_g^2$, and it vanishes
at $\tau = 1$.

Three of the four terms stay however large $T$ is. A fixed step leads to a floor, and only a smaller step
lowers it.

**Under the step of the notes**, $\eta = \sqrt{m/(\tau T)}/L$, all terms fall with $T$, the first two as
$1/\sqrt{m \tau T}$ and client drift as $m/T$. More clients then make the drift larger. The notes leave the $1/L$
out, and a step without it has no unit.
""",
)

CHAPTER = Chapter(
    slug="setting",
    title="The setting and FedAvg",
    question="What does federated learning minimise, and how far does FedAvg get?",
    parts=(
        _DISTRIBUTED,
        _CROSS,
        Prose(
            "Both tables say one thing: in a federation nobody may shuffle the data, wait for everybody, or "
            "assume that clients work equally fast. The three kinds of heterogeneity, of data, of "
            "communication and of computation, are the next three chapters."
        ),
        _OBJECTIVE,
        _ROUND,
        _PICTURE,
        Picture(
            "client_drift",
            lead="Two clients in the plane. Follow the path with many local steps: it comes to rest beside "
            "the optimum.",
            alt="Contours of two clients' losses with the paths of FedAvg for one and for many local steps: "
            "the first ends at the optimum, the second at a point between the clients' minimisers.",
        ),
        Live(
            "two_clients",
            "The example of the lecture notes, $F_1 = (x-1)^2$ and $F_2 = 2(x-5)^2$, with $x^* = 11/3$. Raise "
            "$\\tau$ and watch the limit move towards 3, the mean of the two minimisers. The notes write the "
            "local steps with half the gradient; that only renames $\\eta$.",
        ),
        _ASSUMPTIONS,
        Statement(
            "fedavg_nonconvex",
            "On the left is the mean over rounds of the squared gradient at the server's models. On the right "
            "are four forces, each by name.",
        ),
        _TERMS,
        Statement(
            "fedavg_nonconvex_sharp",
            "The same bound with the longest walk, of $\\tau - 1$ steps, for $\\tau(\\tau - 1)$: half "
            "the client drift at $\\tau = 2$, and the same for long rounds.",
        ),
        Explorer(
            "fedavg_nonconvex",
            title="The four terms of FedAvg's bound",
            sliders=(
                Slider("tau", 1, 100),
                Slider("eta", 1e-4, 0.1),
                Slider("sigma_g", 0.01, 10),
                Slider("sigma", 0.01, 10),
                Slider("m", 1, 1000),
                Slider("T", 10, 100_000),
            ),
            along="tau",
            values={"tau": 5, "eta": 0.005, "sigma_g": 1, "sigma": 1, "m": 20, "T": 2000, "L": 1, "gap": 10},
            ask="At which $\\tau$ does client drift pass the initial gap, and does a larger $T$ move that "
            "place? Then set $\\tau$ to 1: which terms are left?",
        ),
        Picture(
            "bound_against_run",
            ("fedavg_nonconvex",),
            lead="The bound, by cause, and what a run measured. The run lies below, by a factor that the last "
            "chapter is about.",
            alt="Stacked terms of the bound against the horizon, with the measured mean squared gradient "
            "below them.",
        ),
        Limits(
            (
                "It says nothing about the last model: the average over rounds is small, and so is the best of "
                "the rounds, but which round that is nobody knows.",
                "It says nothing about test accuracy, and nothing about overfitting: it is about the loss that "
                "is trained.",
                "It has no term for sampling; where only some clients come, the third chapter's bound holds.",
                "It does not say that local steps help. At a fixed step more of them shorten the start and "
                "raise the drift; what that is worth depends on the price of a round.",
            )
        ),
        Quiz(questions),
        Exercises(EXERCISES),
    ),
    sources=(
        Source(
            authors=("McMahan", "Moore", "Ramage", "Hampson", "Agüera y Arcas"),
            year=2017,
            title="Communication-Efficient Learning of Deep Networks from Decentralized Data",
            venue="AISTATS 2017",
            arxiv="1602.05629",
            where="Algorithm 1, Tables 1 and 2",
        ),
        Source(
            authors=("Kairouz", "McMahan", "et al."),
            year=2021,
            title="Advances and Open Problems in Federated Learning",
            arxiv="1912.04977",
            where="Table 1: distributed, cross-silo and cross-device learning",
        ),
        Source(
            authors=("Wang", "Charles", "Xu", "Joshi", "McMahan", "et al."),
            year=2021,
            title="A Field Guide to Federated Optimization",
            arxiv="2107.06917",
            where="Sections 2 and 3",
        ),
    ),
)
"""The first page of the lecture."""
