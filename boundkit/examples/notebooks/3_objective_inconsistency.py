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
# # Which objective does FedAvg minimise?
#
# Three clients, equally important. The third has a fast machine and takes nine local steps a
# round; the first takes one. FedAvg averages what they send. Does it find the minimum of the
# mean loss?

# %%
import matplotlib.pyplot as plt
import numpy as np

import boundkit as bk

steps = [1, 2, 9]
problem = bk.Quadratic(hessians=[1.0, 1.0, 1.0], centers=[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
problem

# %% [markdown]
# ## A run

# %%
setting = dict(eta=0.05, local_steps=steps)
run = bk.simulate("fedavg", problem, rounds=60, x0=[-2.0, -1.0], **setting)
bk.plot(run);

# %% [markdown]
# It settles, but not at the optimum: the loss gap stops falling. No noise, no sampling, a
# small step. So what is it that the run minimises?

# %%
assert run.mean("loss_gap")[-1] > 0.8
assert abs(run.mean("loss_gap")[-1] - run.mean("loss_gap")[-10]) < 1e-3

# %% [markdown]
# ## The answer, exactly
#
# A round is an affine map, so its fixed point is a linear solve. And as the step size goes to
# 0, the fixed point is the minimiser of another sum, $\sum_i v_i F_i$: a surrogate. Here
# $v_i$ is in proportion to $p_i \tau_i$.

# %%
found = bk.objective("fedavg", problem, **setting)
found

# %%
assert np.allclose(found.surrogate_weights, np.array(steps) / sum(steps))
assert found.distance_to_optimum > 1.2
assert np.allclose(run.x[-1], found.limit.points[0], atol=2e-3)

# %% [markdown]
# Three quarters of the weight are with the third client. Nobody asked for that.
#
# ## The same with FedNova
#
# FedNova divides each update by the number of steps behind it.

# %%
nova = bk.objective("fednova", problem, **setting)
other = bk.simulate("fednova", problem, rounds=60, x0=[-2.0, -1.0], **setting)
assert np.allclose(nova.surrogate_weights, 1 / 3)
assert nova.surrogate_distance < 1e-12
nova

# %%
figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
x, y = np.meshgrid(np.linspace(-2.5, 4.5, 80), np.linspace(-1.5, 3.5, 80))
mean_loss = problem.losses(np.stack([x, y], axis=-1)) @ problem.p
axes.contour(x, y, mean_loss, levels=12, cmap="Greys_r", alpha=0.5)
for name, path in (("FedAvg", run.x), ("FedNova", other.x)):
    axes.plot(*path.T, marker=".", label=name)
axes.plot(*problem.e.T, "k^", linestyle="none", label="minima of the clients")
axes.plot(*problem.optimum, "k*", markersize=15, linestyle="none", label="optimum")
axes.set_aspect("equal")
axes.legend(frameon=False);

# %% [markdown]
# ## What a theorem says of it
#
# FedAvg with unequal steps keeps a term that neither rounds nor small steps remove:
# $2\chi^2\kappa^2$, where $\chi^2$ is the distance of the true weights from those of the
# surrogate. FedNova has $\chi^2 = 0$.

# %%
bk.theorem("fedavg_nonconvex_unequal_steps")

# %%
kept = bk.predict("fedavg_nonconvex_unequal_steps", tau_i=steps, eta=0.001, T=100_000)
gone = bk.predict("fednova_nonconvex", tau_i=steps, eta=0.001, T=100_000)
assert kept.dominant == "objective inconsistency"
assert gone.terms["objective inconsistency"] == 0
kept

# %% [markdown]
# ## Exercises
#
# 1. Make the step size a hundred times smaller. What happens to FedAvg's distance from the
#    optimum, and what to FedNova's?
# 2. Which weights $p_i$ would make FedAvg with these steps find the optimum of the plain
#    mean?

# %% [markdown]
# ## Answers
#
# **1.** FedAvg's goes to 1.42, that of the surrogate optimum. FedNova's goes to 0: what was
# left was client drift, which small steps do remove.

# %%
small = dict(eta=0.0005, local_steps=steps)
away = {
    name: bk.objective(name, problem, **small).distance_to_optimum for name in ("fedavg", "fednova")
}
assert abs(away["fedavg"] - found.surrogate_distance) < 0.01
assert away["fednova"] < 0.01 < nova.distance_to_optimum
away

# %% [markdown]
# **2.** Those that undo the steps: $p_i$ in proportion to $1/\tau_i$.

# %%
undone = 1 / np.array(steps)
undone /= undone.sum()
again = bk.objective("fedavg", problem.reweighted(undone), **small)
assert np.allclose(again.surrogate_weights, 1 / 3)
assert np.allclose(again.surrogate_optimum, problem.optimum)
again.surrogate_optimum
