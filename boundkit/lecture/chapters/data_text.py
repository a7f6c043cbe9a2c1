"""The words of the chapter on unlike data."""

from boundkit.lecture.parts import Prose, Table

MEASURES = Table(
    caption="Five letters for unlike data. They are not the same number, and not the same claim.",
    head=("letter", "what it bounds", "read it as"),
    rows=(
        ("$\\sigma_g$", "$\\frac{1}{m}\\sum_i \\|\\nabla F_i(x) - \\nabla F(x)\\|^2 \\le \\sigma_g^2$",
         "one constant for all $x$; slides write the largest client for the mean, which asks for more"),
        ("$\\beta, \\kappa$",
         "$\\sum_i p_i \\|\\nabla F_i(x)\\|^2 \\le \\beta^2 \\|\\nabla F(x)\\|^2 + \\kappa^2$",
         "clients may disagree more where the gradient is long; $\\beta = 1$ is $\\sigma_g$ again"),
        ("$\\sigma_*$", "$\\frac{1}{m}\\sum_i \\|\\nabla F_i(x^*)\\|^2 = \\sigma_*^2$",
         "at the optimum alone"),
        ("$\\Gamma$", "$F^* - \\sum_i p_i F_i^* = \\Gamma$",
         "what sharing one model costs the clients, in loss"),
        ("$\\rho_*$", "$\\|x^* - \\sum_i p_i x_i^{\\tau}\\| = \\eta \\tau \\rho_*$, all started at $x^*$",
         "how far one round carries the mean away from the optimum"),
    ),
)  # fmt: skip

DRIFT = Prose(
    title="Client drift",
    text=r"""
Between two averages client $i$ follows $\nabla F_i$. After $k$ steps of length $\eta$ it is
about $\eta k \|\nabla F_i\|$ away. Smoothness turns this distance into a gradient error,
$L \eta k \|\nabla F_i\|$. Its square, in the mean over a round, is the client drift:
$\eta^2 L^2 \tau (\tau - 1) \sigma_g^2$ up to a constant.

There are three ways out. Take smaller steps, or fewer. Pull the clients back (FedProx). Or tell each client
which way it errs (SCAFFOLD). AdaComm takes the first way over time: many local steps at the start,
few at the end.
""",
)

BETA = Prose(
    title="When no constant is enough",
    text=r"""
On quadratics with unequal Hessians $\|\nabla F_i(x) - \nabla F(x)\|$ grows with $\|x\|$. No
$\sigma_g$ bounds it everywhere. With $(\beta, \kappa)$ such clients are allowed.

What does $\beta$ cost? No term of the bound holds it. It enters the condition on the step:
$4 (2\beta^2 + 1) \eta^2 L^2 \tau (\tau - 1) \le 1$. A larger $\beta$ means a smaller largest step.

One source prints $\beta^2 \ge 0$. The proof needs $\beta \ge 1$, and to ask for it loses nothing: what
holds with a smaller $\beta$ holds with 1 as well. A smaller one says much. A mean of squares is at least the
square of the mean, so that $\beta < 1$ bounds the gradient itself, at all $x$:
$\|\nabla F(x)\|^2 \le \kappa^2/(1 - \beta^2)$.
""",
)

TUNED = Prose(
    title="The step that is chosen for the horizon",
    text=r"""
The start wants a long step, the noise a short one. The step $\eta = \sqrt{m/(\tau T)}/L$ makes
both fall as $1/\sqrt{m \tau T}$.

**A trap.** Notes print this step as $\sqrt{m/(\tau T)}$. A step has the unit of a squared length over a
loss,
and $\sqrt{m/(\tau T)}$ has none. Without the $1/L$ the bound adds $1 + \sigma^2$, a number and a squared
gradient. Whoever measures $x$ in other units then gets another step.

**A second trap.** Slides write $1/\sqrt{m \tau T}$ and $1/T$ in one line. With one step size the drift is
$12\, m (\tau - 1) \sigma_g^2 / T$: it grows with $m$. A bare $1/T$ takes two step sizes, a short one at the
client and a long one at the server.
""",
)

PROX = Prose(
    title="FedProx: hold on to the server's model",
    text=r"""
Client $i$ minimises $F_i(x) + \frac{\mu_p}{2} \|x - x_t\|^2$, as exactly as it likes.

How far does the pull reach? One proximal step moves to $x_t$ by the fraction $\eta \mu_p$. So
$\mu_p$ matters where $\eta \mu_p$ is of order one. For small steps at a fixed number of steps it drops
out: FedProx then goes where FedAvg goes.

The theorem needs $1/\mu_p$ to be more than five payments. For that $\mu_p$ must be well above $L \beta^2$.
Under a constant $\sigma_g$ there is no finite $\beta$ near a stationary point, and the theorem speaks of
the way down only.
""",
)

SCAFFOLD = Prose(
    title="SCAFFOLD: correct the direction",
    text=r"""
Each client keeps a control $c_i$, what its gradients were in its last round. The server keeps their mean
$c$.
A local step is

$$x_i^{k+1} = x_i^{k} - \eta \left( g_i(x_i^{k}) - c_i + c \right).$$

If the controls were exact, every client would follow $\nabla F$. They are one round old. That is all
that is left of heterogeneity: the error of the first controls, which falls as $1/T$.

The price: a client must keep its control from round to round, a round sends twice as much, and the
noise of the controls drifts as well, 17 where FedAvg has 6.
""",
)

FEDEXP = Prose(
    title="FedExP: a longer step at the server",
    text=r"""
A short client step holds the drift down and makes the start linger. The server can make up for it. With
$\Delta_i = x_t - x_i^{\tau}$ and $\bar\Delta = \frac{1}{m} \sum_i \Delta_i$,

$$\eta_s = \max\left\{ 1,\; \frac{\sum_i \|\Delta_i\|^2}{2 m \left( \|\bar\Delta\|^2 + \epsilon \right)}
\right\}, \qquad x_{t+1} = x_t - \eta_s \bar\Delta .$$

Read the fraction as disagreement. If all updates are alike it is $1/2$, and the step stays 1. If they
cancel, it is large.

Slides print $\|x - x_i\|^2$ in the denominator. It must be the length of the *mean* update. Taken
literally, the fraction is $1/2$ for clients that move equally far, and the method is FedAvg.

$\epsilon$ is a squared length and no number. Released code multiplies it by the number of clients as well.
""",
)

SERVERS = Prose(
    title="Adaptive servers",
    text=r"""
FedAdagrad and FedAdam take the mean update for a gradient and give it to AdaGrad or Adam. Their step
$\eta_a$ is a length. Talks compare FedExP with them.

Their bounds are known here up to constants only. One printed form of the variance term has the unit of a
loss where a squared gradient is needed, and is left out of the catalogue.
""",
)

OPTIMUM = Prose(
    title="Is dissimilarity too pessimistic?",
    text=r"""
In practice FedAvg often beats SGD, although its drift term grows with $\tau$. One answer: what the server
sees is the mean of the drifts, and that may be near zero while each drift is long.

Put all clients at $x^*$, let them walk one round, and measure the mean: $\eta \tau \rho_*$. This is the
average drift at optimum. In the bound below it is the only letter for unlike data.

For quadratics with equal Hessians $\rho_* = 0$, whatever $\sigma_g$ is. To first order
$\rho_* \approx \frac{\eta (\tau - 1)}{2} \left\| \sum_i p_i H_i \nabla F_i(x^*) \right\|$: it takes a
correlation of curvature and gradient.

**Is client drift the dominant error at all?** With a short step it falls as $\eta^2$, the other terms as
$\eta$. Where clients are sampled, the next chapter's term is larger.
""",
)
