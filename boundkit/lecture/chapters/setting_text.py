"""The two tables that open the lecture, and the words of its first page."""

from boundkit.lecture.parts import Prose, Table

DISTRIBUTED = Table(
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

CROSS = Table(
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

OBJECTIVE = Prose(
    title="What is minimised",
    text=r"""
Client $i$ holds $n_i$ samples, and their mean loss is its own objective:

$$F_i(x) = \frac{1}{n_i} \sum_{j=1}^{n_i} f(x; \xi_{ij}), \qquad F(x) = \sum_{i=1}^{m} p_i F_i(x), \qquad
p_i = \frac{n_i}{\sum_j n_j}.$$

Read it from the right: the weights $p_i$ sum to one, so every sample counts the same, wherever it lies.

The aim is the minimiser $x^*$ of $F$. No client knows $F$. Each knows only its own $F_i$, and $x^*$ is in
general the minimiser of none of them.
""",
)

ROUND = Prose(
    title="A round of FedAvg",
    text=r"""
The server has a model $x_t$. One round has three parts.

1. The server sends $x_t$ to the clients of this round.
2. Client $i$ takes $\tau_i$ steps on its own loss, from $x_i^{0} = x_t$:

$$x_i^{k+1} = x_i^{k} - \eta\, g_i(x_i^{k}), \qquad k = 0, \dots, \tau_i - 1.$$

3. The server takes the mean of what comes back, with the weights of those who came:

$$x_{t+1} = x_t + \eta_s \sum_{i \in S_t} \frac{p_i}{\sum_{j \in S_t} p_j} \left(x_i^{\tau_i} -
x_t\right).$$

The server step $\eta_s$ is 1 in FedAvg as it was published.

**How many steps is that?** With batches of $B$ samples and $E$ passes over the data,

$$\tau_i = \left\lceil \frac{E n_i}{B} \right\rceil .$$

Lecture notes leave the rounding out. They also take the weights $p_i$ over the clients that came without
dividing by their sum; then the weights sum to less than one and the model shrinks towards 0 in every round.
Dividing by the sum mends that, at a price for unequal $n_i$: the mean of the step is no longer the step
that all clients together would take.
""",
)

PICTURE = Prose(
    title="Client drift",
    text=r"""
At $\tau = 1$ the mean of the local gradients is the gradient of $F$. FedAvg is then minibatch SGD.

At $\tau > 1$ the second local gradient is taken at a point that has moved towards the client's own
minimiser. The mean of these gradients belongs to no single point. This is client drift.

Whether drift moves the place where FedAvg comes to rest depends on curvature. With equal Hessians it does
not:
the pulls still cancel at $x^*$. With unequal Hessians it does, and for $\tau \to \infty$ FedAvg comes to
rest, on quadratics, at the mean of the minimisers.
""",
)

ASSUMPTIONS = Prose(
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

TERMS = Prose(
    title="The bound, term by term",
    text=r"""
**Initial gap.** It falls as $1/(\eta \tau T)$: what counts is how far all steps together could have walked.

**Stochastic noise.** It grows with $\eta$ and is shared by $m$ clients. It does not fall with $T$.

**Noise drift.** Noise moves a client inside its round, too. This is of order $\eta^2$, and $m$ does not
help:
each client drifts alone.

**Client drift.** Unlike losses pull the clients apart. It is of order $\eta^2 \tau^2 \sigma_g^2$, and it
vanishes
at $\tau = 1$.

Three of the four terms stay however large $T$ is. A fixed step leads to a floor, and only a smaller step
lowers it.

**Under the step of the notes**, $\eta = \sqrt{m/(\tau T)}/L$, all terms fall with $T$, the first two as
$1/\sqrt{m \tau T}$ and client drift as $m/T$. More clients then make the drift larger. The notes leave the
$1/L$
out, and a step without it has no unit.
""",
)

ROUNDS = Table(
    caption="Rounds until 99 % of the test digits are read rightly: a convolutional network on MNIST, 100 "
    "clients, ten of "
    "them a round, $u$ local steps in the mean (McMahan et al. 2017, Table 2).",
    head=("", "$u$", "alike data", "unlike data, two digits a client"),
    rows=(
        ("FedSGD, $E = 1$, full batches", "1", "626", "483"),
        ("$E = 5$, full batches", "5", "179", "1000"),
        ("$E = 20$, full batches", "20", "234", "672"),
        ("$E = 1$, $B = 10$", "60", "34", "350"),
        ("$E = 5$, $B = 10$", "300", "20", "229"),
        ("$E = 20$, $B = 10$", "1200", "18", "173"),
    ),
)

READ_ROUNDS = Prose(
    r"""
Read the columns against each other. On alike data more local steps save rounds nearly everywhere. On
unlike data and with full
batches they cost some. Speed-ups are counted here from the first row; in another table of the same paper
they are
counted from one client a round, $C = 0$, which means one and not none. Do not mix them.
""",
)
