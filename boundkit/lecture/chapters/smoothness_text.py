"""The words of the chapter on relaxed smoothness."""

from boundkit.lecture.parts import Prose, Table

RELAXED = Prose(
    title="When no L is enough",
    text=r"""
Every bound so far supposes one $L$ for all $x$. Networks do not have one: along a training run the
curvature is
seen to grow with the gradient. Relaxed smoothness says just that,

$$\|\nabla^2 f(x)\| \le L_0 + L_1 \|\nabla f(x)\| .$$

At $L_1 = 0$ it is the old sentence. With $L_1 > 0$ exponentials and polynomials of one variable are allowed:
$f(x) = x^4$ has no $L$, but for every $L_1$ it has $L_0 = 16/L_1^2$. Not so for several variables: along an
axis $x^2 y^2$ has no gradient, and its curvature grows without end.

The letters have units. $L_0$ is a curvature, and $L_1$ is one over a length: how far one may go before the
curvature has changed by a factor.
""",
)

CLIPPING = Prose(
    title="Clipping",
    text=r"""
A step that is right where the gradient is small is too long where it is large. So clip it:

$$x \leftarrow x - \min\left( \eta, \frac{\gamma}{\|g\|} \right) g .$$

No step is longer than $\gamma$, which is a length. The threshold for the gradient is $\gamma / \eta$.

While the gradient is above the target $\epsilon$, a round lowers the loss by at least a constant times
$\min(\eta \epsilon^2, \gamma \epsilon)$. With $\eta = 1/(2 L_0)$ and $\gamma = 1/(2 L_1)$ that gives
$5 \Delta (L_0/\epsilon^2 + L_1/\epsilon)$ rounds. The largest gradient is in none of it. Without clipping
it would be:
the step would have to suit the steepest place.
""",
)

FEDERATED = Prose(
    title="Clipping in a federation",
    text=r"""
**CELGC** lets every client clip by its own gradient. For alike clients that is harmless. For unlike ones it
is not: clipped gradients keep their directions and lose their lengths, and the mean of directions is not
the direction
of the mean.

**EPISODE** decides once a round. All clients send a fresh gradient, and their mean $G_r$ says whether
*everybody* clips in
this round. Local steps use the corrected gradient $g_i - G_r^i + G_r$, as in SCAFFOLD.

**EPISODE++** asks only those who come. It remembers each client's mean gradient of its last round,

$$G_{r+1}^i = \frac{1}{\tau} \sum_{k} g_i(x_i^k), \qquad
G_{r+1} = G_r + \frac{1}{m} \sum_{i \in S_r} \left( G_{r+1}^i - G_r^i \right).$$

In the scan of the talk one frame is headed EPISODE and shows these lines, the loops end at unreadable
letters (they end at
$\tau - 1$), and the last line seems to divide by the number of those who came. It divides by all $m$; only
so is $G$ the
mean of the $G^i$ at all times.
""",
)

TABLE = Table(
    caption="Rounds until $\\mathbb{E}\\|\\nabla F\\| \\le \\epsilon$, up to constants, and what each "
    "supposes. "
    "Here $\\zeta$ and $\\rho_\\zeta$ say how unlike clients are, "
    "$\\|\\nabla F_i - \\nabla F\\| \\le \\zeta + \\rho_\\zeta \\|\\nabla F\\|$.",
    head=("method", "smoothness", "clients", "who comes", "first term", "what is left"),
    rows=(
        ("local SGD", "$L$", "unlike", "all", "$\\frac{\\Delta L \\sigma^2}{m \\tau \\epsilon^4}$",
         "grows with $m \\tau \\sigma_g^2 / \\sigma^2$"),
        ("SCAFFOLD", "$L$", "unlike", "some", "$\\frac{\\Delta L \\sigma^2}{C m \\tau \\epsilon^4}$",
         "$\\frac{\\Delta L}{C^{2/3} \\epsilon^2}$"),
        ("CELGC", "$L_0, L_1$", "alike", "all", "$\\frac{\\Delta L_0 \\sigma^2}{m \\tau \\epsilon^4}$",
         "hidden in a limit on $\\tau$"),
        ("EPISODE", "$L_0, L_1$", "unlike", "all", "$\\frac{\\Delta L_0 \\sigma^2}{m \\tau \\epsilon^4}$",
         "$\\frac{\\Delta (L_0 + L_1(\\zeta + \\rho_\\zeta \\sigma))}{\\epsilon^2} (1 + "
         "\\frac{\\sigma}{\\epsilon})$"),
        ("EPISODE++", "$L_0, L_1$", "unlike", "some",
         "$\\frac{\\Delta L_0 \\sigma^2}{C m \\tau \\epsilon^4}$",
         "as EPISODE, with $1/C$; the bracket is unreadable in the scan, and inferred"),
    ),
)  # fmt: skip

LOWER = Prose(
    title="A lower bound: clipping alone is not enough",
    text=r"""
Take minibatch SGD, let some clients come, and clip. Then there are losses on which it needs
$\Delta L_1 M / \epsilon^2$ rounds, up to a logarithm, with $M$ the largest gradient below the level of the
start. Clipping
has bought nothing.

Why? A minority pulls hard one way, a majority weakly the other. The mean follows the minority.
Clip strongly, and each client counts by its direction only: the majority wins, and the model walks uphill.
Clip weakly, and the
step must be short, or it jumps across a steep valley. Short steps are slow where it is flat.

The corrections of EPISODE++ make every client's step point the way of the mean, and the mean decides whether
all clip.

The slide prints $\Delta L_1 M / \epsilon$. That has the unit of a gradient, and a number of rounds has
none. The
square of $\epsilon$ is lost, perhaps in the scan.
""",
)
