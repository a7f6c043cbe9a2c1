"""How to read a bound, in words."""

from boundkit.lecture.parts import Prose, Table

UPPER = Prose(
    title="What an upper bound says",
    text=r"""
It says that every problem of a class, run as described, stays below. It is a promise about the worst. It
does not
say that your run is near it, and it does not say that a method with a lower bound is the better one: bounds
compare proofs.

Take two bounds on one and the same method. At $\tau = 1$ FedAvg is minibatch SGD. One theorem promises
$2 \Delta/(\eta T) + \eta L \sigma^2/m$, the other, made for many local steps, twice and four times that.
""",
)

MEASURED = Prose(
    title="What is measured against what",
    text=r"""
Read the left-hand side first.

- $\frac{1}{T} \sum_{t<T} \mathbb{E} \|\nabla F(x_t)\|^2$: a mean over rounds *and* over luck. One run is
  one draw.
- $\min_t$ is never more than the mean over $t$. Papers print the minimum and prove the mean.
- At the *server's* models, or at the mean of the clients' local ones? These are unlike claims.
- $\mathbb{E} F(x_T) - F^*$ is about the last model, and it needs convexity or PL.
- A number of *rounds*, of *local steps*, or of *updates*: $T$ counts rounds here. Papers mean all three.

Then ask which constants are those of your run. $\sigma_g$ may be measured along the run, which is all that
the proofs
use; then the bound is checked and not predicted.
""",
)

CONSTANTS = Table(
    caption="Where a constant comes from, as each term says.",
    head=("provenance", "meaning", "may a run refute it?"),
    rows=(
        ("`stated`", "printed in the text of the paper", "yes"),
        ("`appendix`", "read in the appendix or the supplement", "yes"),
        ("`derived`", "proved in the theorem's own file", "yes"),
        ("`order`", "the source leaves it open: $c_1, c_2, \\dots$", "no; only a slope can be"),
    ),
)

CONDITIONS = Prose(
    title="Conditions",
    text=r"""
A bound holds inside its conditions. A step outside is not wrong; nothing is promised for it. A strip below
each slider marks where the conditions hold.

Conditions hide costs. FedVARP's rate begins after some $\tau/C^2$ rounds. $\beta$ is in no term and halves
the step.
MIFA's bound has one term, and a step that falls with the longest absence.
""",
)

DIMENSIONS = Prose(
    title="Dimensions",
    text=r"""
Let the loss have the unit $[F]$ and the model the unit $[x]$. Then $L$ has $[F]/[x]^2$, a gradient
$[F]/[x]$, and a step $[x]^2/[F]$. Every term of a sum must have the same unit.

**The trap.** "Put $\eta = \sqrt{m/(\tau T)}$." The left side has a unit and the right has none. Somebody
set $L = 1$
and forgot it. Whoever then measures $x$ in other units takes another step, and the bound reads $1 +
\sigma^2$, a number plus a
squared gradient. With $\eta = \sqrt{m/(\tau T)}/L$ all is well.

The same test finds $L + 1$ and $1 + L^2$ in a step condition, $\Delta L_1 M/\epsilon$ for a number of
rounds, and $\epsilon$
added to a squared length as if it were a number.
""",
)

ORDER = Prose(
    title="Up to constants",
    text=r"""
$\mathcal{O}(1/\sqrt{m \tau T})$ has forgotten everything but a slope. From it one may read how the bound
falls if
$T$ grows a hundredfold. One may not read which of two methods is better at $T = 1000$, nor set the terms
equal to find a
best $\tau$.

A logarithm is a constant to some and not to others. $\tilde{\mathcal{O}}$ hides it.
""",
)

TIGHT = Prose(
    title="Tightness",
    text=r"""
Divide what was measured by the bound. At 1 nothing can be taken off. In the record that comes with boundkit
about half of the upper bounds are at 0.01 to 0.3, and about one in six is above 0.9. Some are attained.

That is three things at once: the constants are generous, the problem is not the worst, and inequalities
were used that
are sharp at different places. A ratio of 0.25 early in a run often is just the 4 before the gap. The
floors of partial
participation are 8 to 24 times too high, exactly, where everything can be worked out.

A small ratio is no fault. A ratio above 1 is: then the theorem is false, or its conditions were not met.
""",
)

REGIONS = Prose(
    title="More is better? It depends",
    text=r"""
"More local steps are better" has no answer without a region. Three readings are to be kept apart.

- **All else fixed**: a larger $\tau$ lowers the initial gap and raises the drift. Which wins depends on
  $T$.
- **Under a rule for the step**: with $\eta = \sqrt{m/(\tau T)}/L$ a larger $m$ lowers two terms and raises
  two.
- **With the best step each time**: the fairest question, and often another answer.

And there is the clock. A bound in rounds does not know what a round costs.
""",
)
