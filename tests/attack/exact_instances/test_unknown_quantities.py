"""A theorem with a quantity that no exact instance knows has none, and raises no error."""

from dataclasses import replace

import pytest

from boundkit.algebra import Quantity
from boundkit.algebra.notation import tau_max
from boundkit.attack.exact_instances import measure_exact_instances
from boundkit.theorems import theorem

NAMES = (
    "accelerated_local_sgd_strongly_convex", "async_sgd_nonconvex", "biased_selection_strongly_convex_fixed",
    "cyclic_pl_tuned", "ef21_nonconvex", "episode_relaxed_smooth_decrease", "fedavg_nonconvex_partial",
    "fedavg_strongly_convex_decaying", "fedawe_nonconvex_tuned", "fedcm_nonconvex", "fedexp_convex",
    "gossip_local_sgd_nonconvex", "scaffnew_strongly_convex", "scaffold_nonconvex_sharp",
)  # fmt: skip

OTHER = Quantity("other", "other", "a quantity of an author", tau_max.domain, tau_max.dimension, 10)


@pytest.mark.parametrize("name", NAMES)
def test_another_quantity_leaves_all_out(name: str) -> None:
    own = theorem(name)
    more = replace(own.terms[0], expr=own.terms[0].expr * (1 + 1 / OTHER))
    other = replace(own, terms=(more, *own.terms[1:]), reductions=(), limits=())
    assert next(measure_exact_instances(own), None) is not None
    assert [*measure_exact_instances(other)] == []
