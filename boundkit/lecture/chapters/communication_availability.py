"""The words of the chapter on communication: availability, and time on the clock."""

from boundkit.lecture.parts import Prose, Table

AVAILABILITY = Prose(
    title="Availability: some come more often",
    text=r"""
Client $i$ is there with chance $q_i$, and nobody chose $q_i$. FedAvg then minimises the wrong objective,
and
which one depends on a detail.

- Divide by *all* clients, $\frac{1}{m} \sum_{i \in S}$: client $i$ weighs $q_i / \sum_j q_j$.
- Divide by those who *came*, $\frac{1}{|S|} \sum_{i \in S}$: client $i$ weighs
  $\mathbb{E}[\mathbf{1}_{i \in S} / |S|]$. For two clients that is
  $q_1 (1 - q_2/2) / (q_1 + q_2 - q_1 q_2)$.

Papers print the first weights for the second method. With $q = (0.9, 0.3)$ and minimisers at 0 and 100 the
first ends at 25 and the second at 17.7. The second is faster, and more biased.

**The odd rounds.** Client 1 is always there, client 2 every other round. Multiplying each update by the
rounds since the client last came sounds like a cure. It is none if one divides by $|S_t|$: the limit is
$(3 u_1 + 2 u_2)/5$, so 40 where 50 is right. Dividing by $m$ mends it; FedAWE mends it otherwise.
""",
)

CURES = Table(
    caption="Four cures for unequal availability.",
    head=("method", "idea", "what it needs", "what its bound leaves"),
    rows=(
        ("known $q_i$", "divide each update by $q_i$", "the server knows $q_i$",
         "variance of order $1/\\delta$, with $\\delta$ the least chance"),
        ("FedAU", "divide by an estimate: weigh by the mean interval between visits",
         "two numbers a client; intervals cut at $K_{cut}$",
         "weights $1 - (1 - q_i)^{K_{cut}}$ instead of equal ones"),
        ("MIFA", "step with the last gradient of everybody", "the server keeps $m$ updates",
         "no heterogeneity at all; the step must fall with the longest absence"),
        ("FedAWE", "who was away echoes its update, and those who are there gossip",
         "no memory at the server; $\\delta > 0$", "terms with $1/(1 - \\sqrt{\\rho})^2$, the speed of "
         "mixing"),
    ),
)  # fmt: skip

REVIEW = Prose(
    title="What the reviews of FedAWE asked",
    text=r"""
Do the formulas have units? The printed conditions hold $L + 1$ and $1 + L^2$: a curvature and a number
cannot be added. With $L$ and $L^2$ in their places every later constant stands.

One term of the descent lemma is lost when things are put together; it adds $216/(\tau \eta_s^2)$ to the 31
of the
noise. And one step takes two things as independent that both depend on the last visit. That gap is open.

Availability may change over time: stationary, in a staircase, as a sine, or as a sine that is cut off,
where
a client is away for a part of each period. The last has $\delta = 0$ and no theorem here covers it.
""",
)

CLOCK = Prose(
    title="Time: what a round costs",
    text=r"""
A synchronous round waits for the slowest. If steps take exponential time of mean $y$, $m$ workers wait
$y (1 + \frac12 + \dots + \frac1m)$, and an exchange takes $d_c$ more.

**Local steps** share one exchange: a step costs $y + d_c/\tau$. Put the number of steps that fit into the
time
$W$ into the bound, and the best number of local steps is

$$\tau^* = \sqrt{\frac{2 \Delta\, d_c}{\eta^3 L^2 \sigma^2 W}} .$$

It falls with $W$: talk rarely at first, often later. **AdaComm** does so, with
$\tau_l = \lceil \sqrt{F(x_l)/F(x_0)}\; \tau_0 \rceil$. The rule takes $F_{\inf} = 0$ for granted; a
constant added to
the loss changes it.

**Overlap** lets the exchange run while the clients compute. It is free where $\tau y \ge d_c$, and the
anchor is one round old.

**Asynchronous SGD** waits for nobody. Each gradient is up to $d_{\max}$ updates old. Staleness is an error
of
second order, and a restriction of first order: $\eta$ at most about $1/(\sqrt2 L d_{\max})$.
""",
)
