# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Should the worst clients come more often?
#
# In each round only one client may come. Power of choice draws d candidates and takes the one
# with the largest loss. That is where the most can be learnt. Is there a price?

# %%
import matplotlib.pyplot as plt
import numpy as np

import boundkit as bk
from boundkit.simulation.selection import selection_limit

problem = bk.Quadratic(hessians=[1.0] * 5, centers=[[0.0], [0.2], [0.4], [0.6], [3.0]])
problem

# %% [markdown]
# ## A race
#
# d = 1 is blind chance, d = 5 looks at everybody.


# %%
def race(d, x0, rounds=400):
    """A hundred runs with d candidates a round, of whom one comes."""
    who = {"kind": "power_of_choice", "count": 1, "d": d}
    common = dict(eta=0.02, replicas=100, every=5)
    return bk.simulate("fedavg", problem, rounds=rounds, x0=x0, participation=who, **common)


runs = {d: race(d, [8.0]) for d in (1, 2, 5)}
figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for d, run in runs.items():
    axes.semilogy(run.rounds, run.mean("loss_gap"), label=f"d = {d}")
axes.set_xlabel("rounds")
axes.set_ylabel("mean loss above its minimum")
axes.legend(frameon=False);

# %% [markdown]
# Looking at losses is faster at first. Then the order turns round: who looks hardest stops
# highest.


# %%
def first_below(level, run):
    """The first observed round at which the mean loss gap is below the level."""
    return int(run.rounds[np.argmax(run.mean("loss_gap") < level)])


def floor(run):
    """The mean loss gap over the last rounds."""
    return run.mean("loss_gap")[-20:].mean()


assert first_below(1.0, runs[5]) < first_below(1.0, runs[2]) < first_below(1.0, runs[1])
assert floor(runs[5]) > floor(runs[2]) > 2 * floor(runs[1])
{d: (first_below(1.0, run), round(float(floor(run)), 4)) for d, run in runs.items()}

# %% [markdown]
# ## Why
#
# Choosing by losses is descent on another objective: the mean of the largest loss among d
# candidates. Its minimum is elsewhere. No step size and no number of rounds helps. This is
# where small steps end:

# %%
choosy = bk.Strategy(count=1, candidates=5)
end = selection_limit(problem, choosy)
end

# %%
assert abs(end.model[0] - 1.5) < 1e-6  # half-way between the outermost clients
assert abs(problem.optimum[0] - 0.84) < 1e-12
assert abs(end.loss_gap / floor(runs[5]) - 1) < 0.05

# %% [markdown]
# ## Two numbers of theory
#
# The excess loss of the chosen clients over that of all is a ratio. $\bar\rho$ is the least it
# can be, and speeds the proof up. $\tilde\rho$ is the largest at the optimum, and the bias grows
# with $\tilde\rho - \bar\rho$.

# %%
skews = {d: bk.skew(problem, bk.Strategy(count=1, candidates=d)) for d in (1, 2, 5)}
skews[2]

# %%
assert abs(skews[1].rho_bar - 1) < 1e-12 > abs(skews[1].rho_tilde - 1)  # blind: no skew, no bias
assert 1 < skews[2].rho_tilde < skews[5].rho_tilde
theorem = bk.theorem("biased_selection_strongly_convex_fixed")
theorem

# %% [markdown]
# Theory agrees on the order, and is pessimistic: its $\bar\rho$ is the least over all pairs
# of models, most of which no run ever sees. With d = 5 it is 0, and the bias is then as large
# as $\Gamma\tilde\rho L/\mu$.

# %%
bias = {
    d: bk.predict(
        theorem, L=1, mu=1, T=10_000, eta=0.001,
        rho_bar=s.rho_bar, rho_tilde=s.rho_tilde, Gamma=s.Gamma,
    ).terms["selection bias"]
    for d, s in skews.items()
}
gaps = {d: floor(run) for d, run in runs.items()}
assert abs(bias[1]) < 1e-9
assert bias[1] < bias[2] < bias[5]
assert all(gaps[d] < bias[d] for d in (2, 5))
bias

# %% [markdown]
# ## Exercises
#
# 1. Move the odd client from 3 to 0.8. Does the price go away?
# 2. Start with d = 5 and go on with d = 1. Have the best of both.

# %% [markdown]
# ## Answers
#
# **1.** It does: half-way between the outermost clients is now the mean of all, 0.4. The price
# is that of an odd client.

# %%
mild = bk.Quadratic(hessians=[1.0] * 5, centers=[[0.0], [0.2], [0.4], [0.6], [0.8]])
near = selection_limit(mild, choosy)
assert abs(near.model[0] - mild.optimum[0]) < 1e-6
near

# %% [markdown]
# **2.** A hundred rounds of d = 5, then blind chance from where they are in the mean.

# %%
after = runs[5].x[runs[5].rounds == 100][0]
rest = race(1, after, rounds=300)
assert floor(rest) < 0.5 * floor(runs[5])
rest
