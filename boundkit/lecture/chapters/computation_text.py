"""The words of the chapter on unequal work."""

from boundkit.lecture.parts import Prose, Table

UNEQUAL = Prose(
    title="Unequal work",
    text=r"""
Clients have unequal data, speed, memory, and optimisers. Already $\tau_i = E n_i / B$ is unequal as soon as
the $n_i$ are. What was the same number for all is now $\tau_i$.

This is no client drift, and what helps against drift does not help here. Look at one full-batch round with
a very
short step. Client $i$ moves by $-\eta \tau_i \nabla F_i(x)$. The server sees
$-\eta \sum_i p_i \tau_i \nabla F_i(x)$. So FedAvg descends

$$\tilde F(x) = \sum_i w_i F_i(x), \qquad w_i = \frac{p_i \tau_i}{\sum_j p_j \tau_j}.$$

Who works more counts more. This is objective inconsistency, and no number of rounds removes it.
""",
)

FRAMEWORK = Prose(
    title="One update rule for many methods",
    text=r"""
Let a client's update be a weighted sum of its gradients, $\Delta_i = -\eta \sum_k a_{i,k}\, g_i(x_i^k)$.
Divide by
$\|a_i\|_1$ and it is a mean gradient $d_i$. Every such method is

$$x_{t+1} = x_t - \tau_{\mathrm{eff}} \sum_i w_i\, \eta\, d_i .$$

Plain averaging has $\tau_{\mathrm{eff}} = \sum_i p_i \|a_i\|_1$ and
$w_i = p_i \|a_i\|_1 / \tau_{\mathrm{eff}}$: the server did not choose its weights, they came along with the
work.

**FedNova chooses.** It divides each update by $\|a_i\|_1$ first and weighs by $p_i$:

$$x_{t+1} = x_t + \tau_{\mathrm{eff}} \sum_i p_i \frac{\Delta_i}{\|a_i\|_1}, \qquad
\tau_{\mathrm{eff}} = \sum_i p_i \|a_i\|_1 .$$

Then $w = p$, and the inconsistency is gone. Client drift is not: on quadratics FedNova comes to rest at
$x^*$
only as $\eta \to 0$.
""",
)

SOLVERS = Table(
    caption="Local solvers by the weights of their gradients, $k = 0, \\dots, \\tau - 1$.",
    head=("solver", "$a_k$", "what it does to $\\|a\\|_1$"),
    rows=(
        ("plain steps", "$1$", "$\\tau$"),
        ("proximal, $\\alpha = \\eta \\mu_p$", "$(1 - \\alpha)^{\\tau - 1 - k}$",
         "at most $1/\\alpha$: long rounds are forgotten, so clients become more equal"),
        ("momentum $\\rho_m$, reset each round", "$\\frac{1 - \\rho_m^{\\tau - k}}{1 - \\rho_m}$",
         "up to $1/(1 - \\rho_m)$ times longer, more so for long rounds"),
        ("decaying steps $\\gamma_d$", "$\\gamma_d^{k}$", "at most $1/(1 - \\gamma_d)$"),
    ),
)  # fmt: skip

CHI = Prose(
    title="How wrong are the weights?",
    text=r"""
$$\chi^2 = \sum_i \frac{(p_i - w_i)^2}{w_i}$$

It is 0 where all $\|a_i\|_1$ are equal, and it depends on their ratios only: ten times the work for all
changes
nothing. At the place where the surrogate has no gradient, $\|\nabla F\|^2 \le \chi^2 \kappa^2$, and this
is attained.

**Where the note errs.** It gives the first term of the bound as $\hat\tau \eta / (m \tau_{\mathrm{eff}})$,
which grows with the step and has no gap in it. That is what is left after one step size
was put in, and without its $1/L$. It gives $F_i$ as a sum over clients; it is $\frac12 \|x - e_i\|^2$. And
the limit $\sum_i \tau_i e_i / \sum_j \tau_j$ holds for $\eta \to 0$ only. For a step that is not short the
weights are
$p_i [1 - (1 - \eta)^{\tau_i}]$.
""",
)

PRICE = Prose(
    title="What FedNova pays",
    text=r"""
For equal weights $A = \tau_{\mathrm{eff}} \cdot \frac{1}{m} \sum_i 1/\tau_i$: the mean of the $\tau_i$
over their harmonic mean, so at least 1. A client that took few steps has a noisy
mean gradient, and FedNova lets it count as much as the others. Plain averaging of equal weights has $A = 1$.

**And others.** FedProx with unequal $\tau_i$ is inconsistent too, the less the larger $\eta \mu_p$. VRL-SGD
with each client's own
$\tau_i$ rests at the surrogate's optimum, at any step. SCAFFOLD rests at $x^*$: its controls are mean
gradients, so they are normalised already.

In the talk's table FedNova gains on FedAvg between 5 and 10 points of accuracy with plain, proximal and
momentum solvers, and nothing where variance reduction alone is used.
""",
)

ADAPTIVE = Prose(
    title="Local adaptivity",
    text=r"""
A client that runs AdaGrad or Adam takes another step in every coordinate. Plain averaging is then
inconsistent
coordinate by coordinate. The remedy is the same: divide each update by the sum of the steps that were
taken in
that coordinate, before averaging.

For one local step the corrected method has the stationary points of $F$. For more steps a bias of order
$\eta$ stays. Of the rate only the order is known here, $1/\sqrt{m \tau T}$ and a rest of $1/T$.
""",
)
