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
# # Does the theorem hold, and how tightly?
#
# A bound promises: the error is at most this. Two things can be wrong with it. It may be
# false. Or it may be true and say little. We run the algorithm and look.

# %%
from dataclasses import replace

import boundkit as bk

theorem = bk.theorem("fedavg_nonconvex_partial")
theorem

# %% [markdown]
# ## A run
#
# Ten clients with quadratic losses in three dimensions. Half of them come in each round and
# take four noisy local steps.

# %%
problem = bk.Quadratic.random(10, 3, seed=1, noise=5.0)
half = {"kind": "uniform", "C": 0.5}
setting = dict(rounds=60, eta=0.01, local_steps=4, x0=[2.0, 2.0, 2.0], participation=half)
problem

# %% [markdown]
# ## The verdict
#
# `verify` measures what the theorem bounds, takes the constants from the problem, and
# compares. On quadratics the expectation is exact: no replicas, no interval.

# %%
verdict = bk.verify(theorem, problem, slopes=False, **setting)
verdict

# %%
bk.plot(verdict);

# %% [markdown]
# It holds. The measured value is about a fifth of the bound.

# %%
assert verdict.answer == "holds"
assert 0.2 < verdict.ratio < 0.25

# %% [markdown]
# ## Can a verdict be negative?
#
# A check that cannot fail is none. So we lie: every term twenty times too small.

# %%
terms = tuple(replace(term, expr=term.expr / 20) for term in theorem.terms)
liar = replace(theorem, name="too_good_to_be_true", terms=terms, reductions=(), limits=())
caught = bk.verify(liar, problem, slopes=False, **setting)
assert caught.answer == "violated"
assert abs(caught.ratio / verdict.ratio - 20) < 1e-6
caught.reason

# %% [markdown]
# And where the theorem does not speak, there is no verdict. Its step size must be small; with
# eta = 0.5 it claims nothing, so that nothing can refute it.

# %%
silent = bk.verify(theorem, problem, slopes=False, **{**setting, "eta": 0.5})
assert silent.answer == "not applicable"
silent.reason

# %% [markdown]
# ## Where does the slack come from?
#
# Nearly all of the bound is its initial gap, $4\Delta/(\eta\eta_s\tau T)$. The descent lemma
# alone gives a 2 there: the proof spends the rest to absorb the drift.

# %%
share = verdict.prediction.terms["initial gap"] / verdict.prediction.total
assert share > 0.9
round(float(share), 3)

# %% [markdown]
# ## Exercises
#
# 1. Let all clients come and take the theorem `fedavg_nonconvex`. Is that bound tighter?
# 2. Run 600 rounds instead of 60. What is the bound made of now, and what does the ratio do?

# %% [markdown]
# ## Answers
#
# **1.** Hardly. Partial participation is gone, but that was 2 % of the bound. The initial gap
# is the same, with the same 4.

# %%
everyone = {name: value for name, value in setting.items() if name != "participation"}
full = bk.verify(bk.theorem("fedavg_nonconvex"), problem, slopes=False, **everyone)
assert full.answer == "holds"
assert full.prediction.terms["initial gap"] == verdict.prediction.terms["initial gap"]
assert 1.03 < full.ratio / verdict.ratio < 1.06
full.ratio, verdict.ratio

# %% [markdown]
# **2.** The initial gap falls as $1/T$; noise, drift and sampling stay, and make up nearly
# half. They are bounded still more loosely, so the ratio falls.

# %%
longer = bk.verify(theorem, problem, slopes=False, **{**setting, "rounds": 600})
assert longer.answer == "holds"
assert 0.5 < longer.prediction.terms["initial gap"] / longer.prediction.total < 0.6
assert longer.ratio < verdict.ratio
bk.plot(longer);
