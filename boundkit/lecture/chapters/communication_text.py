"""The words of the chapter on communication: sampling, biased selection, cycles."""

from boundkit.lecture.parts import Prose

SAMPLING = Prose(
    title="Sampling: who is missing",
    text=r"""
Of $m$ clients $Cm$ come in a round, drawn evenly and without replacement. A round then moves towards the
optimum of those who came. The mean of such rounds is right. Its variance is the new term:

$$\frac{12\, \eta_s \eta\, \tau L\, (1 - C)\, \sigma_g^2}{C (m - 1)} .$$

Read it from the right. Alike clients can stand in for each other, so it goes with $\sigma_g^2$. At $C = 1$
nobody is missing. With more clients a round it falls as $1/(Cm)$. And it is of first order in the step,
while client drift is of second order: for short steps it is the larger of the two.

The term is exact up to its constant. For equal Hessians FedAvg's floor can be worked out, and 12 is about
24 times too much.
""",
)

RATE = Prose(
    title="Two steps, one rate",
    text=r"""
With $\eta = 1/(\sqrt{T} \tau L)$ at the client and $\eta_s = \sqrt{\tau C m}$ at the server the terms fall
as

$$\frac{1}{\sqrt{C m \tau T}}, \qquad \sqrt{\frac{\tau}{C m T}}, \qquad \frac{1}{T}$$

for noise, participation and drift. Participation dominates, and more local steps make it worse.

Slides print this rate below a bound with one step. With one step the drift is of order $C m \tau / T$.
And the rate begins only at $T \ge 576\, C m \tau$, which no slide says.
""",
)

FEDVARP = Prose(
    title="FedVARP: remember who is away",
    text=r"""
The server keeps the last update $y_j$ of every client. With $\Delta_i = x_t - x_i^{\tau}$,

$$v = \frac{1}{|S_t|} \sum_{i \in S_t} (\Delta_i - y_i) + \frac{1}{m} \sum_{j=1}^{m} y_j,$$

$$x_{t+1} = x_t - \eta_s v, \qquad y_i \leftarrow \Delta_i \;\text{ for } i \in S_t .$$

The first sum corrects by what is new, the second speaks for all. The mean of $v$ is that of FedAvg, and its
variance vanishes as the memory becomes right.

**What the slide leaves out.** It strikes out the participation term, and the line goes through client
drift as
well. Drift stays. Start-up terms come in, of size $1/(C^2 m T)$, and with them conditions: $T$ of the
order of
$\tau/C^2$ rounds before the rate begins. One step of the printed proof takes
noise and later gradients as uncorrelated; mended, the noise costs 72 and not 40.

**ClusterFedVARP** remembers one update a cluster. That is less memory, and fresher. The participation
term comes back for $\sigma_c$, what is unlike *inside* a cluster.
""",
)

SELECTION = Prose(
    title="Biased selection: clients with larger losses",
    text=r"""
Draw clients with probability $p_i$ and nobody is favoured. Favour those with larger losses, and the loss
falls faster at first. At what price?

Two numbers say how skewed a rule $\pi$ is. With $S(\pi, x)$ the clients that it takes at the model $x$,

$$\rho(S(\pi, x), x') =
\frac{\mathbb{E} \left[ \frac{1}{|S|} \sum_{k \in S(\pi, x)} (F_k(x') - F_k^*) \right]}
{F(x') - \sum_k p_k F_k^*},$$

$$\bar\rho = \min_{x, x'} \rho(S(\pi, x), x'), \qquad \tilde\rho = \max_{x} \rho(S(\pi, x), x^*).$$

Above the line is what the chosen clients still have to lose, below it what all have. Draws in proportion
to $p_k$ have $\bar\rho = \tilde\rho = 1$. A larger $\bar\rho$ shortens the way, and
$\tilde\rho - \bar\rho$ leaves a bias that neither $T$ nor $\eta$ makes small.

**Power-of-choice.** Draw $d$ candidates, ask for their losses, take the $Cm$ largest. A larger $d$ is
faster,
and its floor is higher. Variants ask for less: `cpow-d` takes the loss on one batch, `rpow-d` the loss
that a
client sent when it last came, and `adapow-d` lets $d$ fall to $Cm$ in the end.

**Where the slides err.** They say that $\bar\rho > 0$ is faster; it is $\bar\rho > 1$. They ask for
$\tilde\rho = \bar\rho = 1$ for no bias; $\tilde\rho = \bar\rho$ is enough, or $\Gamma = 0$. Their $T$
counts local
steps. And $d = Cm$ is the unbiased rule for equal $p_k$ only.

**Where the paper has a gap.** For random selection and $\tau > 1$ the mean of the chosen clients' models
depends on who was chosen. The published step then fails: in an example with two clients the ratio falls to
8/13,
0.124 and 0.0001 for 2, 5 and 20 local steps. The rigorous statement compares at the round's start.

Such selection is also said to be fairer, and lower losses first to be more robust against clients that lie.
Neither is in the bound.
""",
)

CYCLES = Prose(
    title="Cycles: clients by time zone",
    text=r"""
Phones charge at night. Clients then come group after group, always in the same order: $\bar K$ groups, and
of the group in turn $Cm$ clients.

Two things go wrong. The group that came last has pulled the model its way (cyclic order, $\eta^2$). And
those
drawn from a group are not the group (partial participation, $\eta$). Within a group there are fewer to
miss, so that over many rounds cycles may beat uniform sampling.

**Where the slide errs.** Its last factor reads $(1 - \alpha - C)/(m/\bar K - 1)$. The scan took
$1/\bar K$ for $1 - \alpha$: it is $(1/\bar K - C)/(m/\bar K - 1)$, which is 0 when whole groups come.
The factor $\bar K$ before it is an artefact of the proof: measured floors are the same for 1 and for 16
groups.
""",
)
