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
# # Bring your own theorem
#
# You have proved something, or you review somebody who says so. Write it down once: then it
# can be checked, asked and tested. Ours is gradient descent over m clients that average after
# every noisy step.

# %%
from dataclasses import replace

import boundkit as bk
from boundkit.algebra.authoring import (
    EQUAL_WEIGHTS, FULL_PARTICIPATION, MEAN_SQUARED_GRADIENT, NONCONVEX_NOISY, ONE_LOCAL_STEP,
    SERVER_STEP_ONE, L, Source, T, at_most, derived, eta, gap, m, sigma, upper,
)

# %% [markdown]
# Letters know what they mean.

# %%
eta

# %% [markdown]
# ## A theorem is a value
#
# Named terms, each with the reason for its constant; assumptions; allowed step sizes. The
# constructor of a term says where its constant comes from: `derived` is proved by the author.

# %%
start = derived("initial gap", 2 * gap / (eta * T), "the descent lemma, summed")
noise = derived(
    "stochastic noise", eta * L * sigma**2 / m, "L eta^2 sigma^2/(2m) a step, times 2/eta"
)
mine = upper(
    "my_sgd",
    title="Minibatch SGD, my version",
    algorithm="minibatch_sgd",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX_NOISY, EQUAL_WEIGHTS, FULL_PARTICIPATION, ONE_LOCAL_STEP, SERVER_STEP_ONE
    ),
    steps=(at_most(eta, 1 / L),),
    terms=(start, noise),
    source=Source(
        authors=("Me",), year=2026, title="A Note", arxiv="2601.00001", where="Theorem 1"
    ),
)
mine

# %% [markdown]
# ## A slip of the pen
#
# Forget the square of sigma. The theorem cannot even be built: its terms have unlike units.

# %%
try:
    replace(mine, terms=(start, replace(noise, expr=eta * L * sigma / m)))
except bk.BoundkitError as error:
    refusal = str(error)
assert "dimension" in refusal
refusal

# %% [markdown]
# ## Checks that need no run

# %%
report = bk.check(mine)
assert report
report

# %% [markdown]
# ## Ask it
#
# What you may ask of the catalogue's theorems you may ask of yours.

# %%
best = bk.tune(mine, m=10, T=100)
assert best.values["eta"] < 1
best

# %%
bk.plot(bk.predict(mine, T=[10, 30, 100, 300, 1000, 3000], m=10, eta=0.1));

# %% [markdown]
# ## Hold it against a run

# %%
problem = bk.Quadratic(hessians=[1.0, 1.0], centers=[[0.0], [2.0]], noise=1.0)
verdict = bk.verify(mine, problem, slopes=False, rounds=30, eta=0.5, x0=[9.0])
assert verdict.answer == "holds"
assert verdict.ratio > 0.6
bk.plot(verdict);

# %% [markdown]
# Two thirds of the bound are really there: a quadratic nearly reaches it. So the constant
# cannot be much smaller. Claim half of it, and the lie is found.

# %%
bold = replace(mine, name="bold_sgd", terms=(replace(start, expr=gap / (eta * T)), noise))
assert bk.check(bold)  # nothing is wrong with its form
exposed = bk.verify(bold, problem, slopes=False, rounds=30, eta=0.5, x0=[9.0])
assert exposed.answer == "violated"
exposed

# %% [markdown]
# ## Exercises
#
# 1. Is the 2 of the initial gap the best constant? Find a run that reaches it.
# 2. Under which rule for eta does your bound fall as $1/\sqrt{mT}$?

# %% [markdown]
# ## Answers
#
# **1.** It is. One step of length 1/L from anywhere, without noise: ratio 1.

# %%
tight = bk.verify(mine, problem.without_noise(), slopes=False, rounds=1, eta=1.0, x0=[9.0])
assert abs(tight.ratio - 1) < 1e-12
tight.ratio

# %% [markdown]
# **2.** eta in proportion to $\sqrt{m/T}$.

# %%
rule = bk.reach(mine, "1/sqrt(m*T) + 1/T")
assert rule.reached
assert str(rule.rules["eta"]) == "sqrt(m)/(L*sqrt(T))"
rule
