"""Every kind of participation in a run: what comes out does not depend on how replicas are split."""

import numpy as np
import pytest

from boundkit.simulation.engines import Collapsed, Step
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.simulation.participation.kinds import SPECS, M, P


def made(name: str) -> Run:
    rng = np.random.default_rng(0)
    problem = Quadratic(rng.uniform(0.5, 1.5, M).tolist(), rng.normal(size=(M, 2)), P, 0.1)
    steps = {"rounds": 7, "eta": 0.1, "local_steps": 2, "seed": 3}
    return make_run("fedavg", problem, participation=SPECS[name], options={"aggregation": "mean"}, **steps)


@pytest.mark.parametrize("engine", [Step, Collapsed])
@pytest.mark.parametrize("name", SPECS)
def test_chunks_change_nothing(name: str, engine: type[Step] | type[Collapsed]) -> None:
    run = made(name)
    whole = engine(run, replicas=9, chunk=9).trajectory()
    split = engine(run, replicas=9, chunk=4).trajectory()
    for observable, series in whole.observed.items():
        np.testing.assert_allclose(split.observed[observable], series, rtol=1e-12, atol=1e-12)
    assert np.isfinite(whole.x).all()
