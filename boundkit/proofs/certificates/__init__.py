"""Proofs of theorems as data, a file each; and the theorems whose proof has the steps of another."""

SAME_STEPS = {
    "async_sgd_heterogeneous_nonconvex": "async_sgd_nonconvex",
    "fedau_cutoff_bias": "fedavg_all_bias",
    "fedavg_active_bias": "fedavg_all_bias",
    "fedavg_convex": "fedavg_convex_sharp",
    "fedavg_nonconvex_partial": "fedavg_nonconvex_partial_sharp",
    "fedavg_nonconvex_unequal_steps": "fednova_nonconvex",
}
"""Theorems that the certificate of another one proves as it stands, with that one."""

TUNED = {
    "fedavg_nonconvex_partial_tuned": "fedavg_nonconvex_partial",
    "fedavg_nonconvex_tuned": "fedavg_nonconvex",
    "fedawe_nonconvex_tuned": "fedawe_nonconvex",
}
"""Theorems that follow from another one by substitution of their step sizes, with that one."""
