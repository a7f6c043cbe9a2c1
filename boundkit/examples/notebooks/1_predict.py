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
# # How many local steps?
#
# You have 100 clients. Ten of them come in each round. A round is dear, a local step is
# cheap: so why not take many local steps? A convergence theorem knows the price. We ask it.

# %%
import boundkit as bk

# %% [markdown]
# ## The theorem
#
# It bounds the mean squared gradient over the rounds. Each term has a cause, written under
# its brace.

# %%
theorem = bk.theorem("fedavg_nonconvex_partial")
theorem

# %% [markdown]
# ## Numbers
#
# Put values in. What you leave out takes a typical value, and the last lines say which.

# %%
at_ten = bk.predict(theorem, m=100, C=0.1, T=1000, eta=0.001, tau=10)
at_ten

# %% [markdown]
# Nearly all of it is the initial gap: the steps are so small that the run is still on its
# way. More local steps help here.

# %%
assert at_ten.dominant == "initial gap"
assert at_ten.terms["initial gap"] > 0.9 * at_ten.total

# %% [markdown]
# ## Along tau
#
# A list becomes an axis. The initial gap falls as $1/\tau$; client drift rises as $\tau(\tau
# - 1)$ and partial participation as $\tau$. On the shaded ground the step size is outside the
# condition of the theorem.

# %%
along = bk.predict(theorem, m=100, C=0.1, T=1000, eta=0.001, tau=list(range(1, 101)))
bk.plot(along);

# %% [markdown]
# The bound is lowest somewhere in the middle. `tune` finds the place, and says whether a
# condition binds.

# %%
best = bk.tune(theorem, "tau", m=100, C=0.1, T=1000, eta=0.001)
best

# %%
assert best.values["tau"] == 35
assert best.bound == along.total.min()
assert bk.predict(theorem, tau=41).holds
assert not bk.predict(theorem, tau=42).holds

# %% [markdown]
# So many local steps do help, up to 35; and from 42 on the theorem is silent, whatever its
# formula says.
#
# ## What would help more?
#
# A second step size, at the server. Then the clients may move less while the server moves
# further.

# %%
both = bk.tune(theorem, "eta,eta_s", m=100, C=0.1, T=1000, tau=35)
alone = bk.tune(theorem, "eta", m=100, C=0.1, T=1000, tau=35)
both

# %%
assert both.bound < alone.bound
assert both.terms["client drift"] < 0.1 * alone.terms["client drift"]

# %% [markdown]
# Which term is the largest, over tau and C at once?

# %%
bk.plot(bk.regimes(theorem, "tau", "C", eta=0.001, T=1000));

# %% [markdown]
# ## Exercises
#
# 1. All clients come: C = 1. Does the best tau grow or fall, and what do you gain?
# 2. The clients are alike: sigma_g = 0. What keeps tau from growing now?

# %% [markdown]
# ## Answers
#
# **1.** It grows, from 35 to 40, and the bound falls by a fifth: what the absent clients cost
# is gone.

# %%
full = bk.tune(theorem, "tau", m=100, C=1.0, T=1000, eta=0.001)
assert full.values["tau"] == 40
assert full.terms["partial participation"] == 0
assert 0.75 < full.bound / best.bound < 0.8
full

# %% [markdown]
# **2.** Only the condition on the step size. Neither drift nor partial participation costs
# anything, and the formula would go on to tau = 707.

# %%
alike = bk.tune(theorem, "tau", m=100, C=0.1, T=1000, eta=0.001, sigma_g=0)
assert alike.at_limit
assert alike.values["tau"] == 41
assert alike.terms["client drift"] == alike.terms["partial participation"] == 0
alike
