"""Every lemma of the library on random rounds, and false versions of lemmas, which must fail there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import C, L, T, eta, m, missed, tau, update_error
from boundkit.proofs import local_steps
from boundkit.proofs.checker import decide_in_box
from boundkit.proofs.control_variates import (
    AGE,
    BOUNDED_AGE,
    CORRECTION_AND_AGE,
    CORRECTION_ERROR,
    ERROR_AND_AGE,
    ERROR_AND_DISPLACEMENT,
    ERROR_AT_OPTIMUM,
    GRADIENTS_AT_OPTIMUM,
    MEAN_OWN_ERROR,
    OWN_ERROR,
    STORED_DESCENT,
    TELESCOPING_AGE,
    TELESCOPING_CORRECTION_ERROR,
    TELESCOPING_ERROR_AT_OPTIMUM,
    TELESCOPING_OWN_ERROR,
    q,
    z,
)
from boundkit.proofs.lemmas import (
    COCOERCIVE_THREE_POINTS,
    DESCENT,
    DISTANCE,
    JENSEN,
    LOCAL_VARIANCE,
    PARTICIPATION,
    PARTICIPATION_BOUND,
    SUM_OF_TWO,
    TELESCOPING_DISTANCE,
    TELESCOPING_LOSS,
    THREE_POINTS,
    YOUNG,
    Conclusion,
    Lemma,
)
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import LinearForm, data, inner, square
from boundkit.proofs.mean_models import mean_displacement
from boundkit.proofs.rounds import X, a, client_variance, direction, e, g, loss_gap, o, round_of, y
from boundkit.proofs.stored_updates import (
    CLUSTER_STORED_ERROR,
    FIRST_DIRECTION,
    STORED_ERROR,
    TELESCOPING_STORED_ERROR,
    G,
)
from boundkit.theorems import theorem
from tests.cases import each, thinned
from tests.proofs.changes import violations
from tests.proofs.rounds import RandomRound, random_round
from tests.proofs.stored_rounds import stale_round, stored_round

NONCONVEX, ALL = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex")
CONVEX, CURVED = theorem("fedavg_convex_partial"), theorem("fedavg_strongly_convex_partial")
ONE, ONE_CURVED = theorem("sgd_nonconvex"), theorem("sgd_strongly_convex")
BETA = theorem("fedavg_nonconvex_beta_kappa")
STORED = theorem("fedvarp_nonconvex")
CLUSTERED = theorem("clusterfedvarp_nonconvex_sharp")
CONTROLS = tuple(
    theorem(name)
    for name in (
        "scaffold_nonconvex", "scaffold_convex_partial", "scaffold_strongly_convex_partial",
    )
)  # fmt: skip
STALE = theorem("mifa_nonconvex")
SETTINGS = (NONCONVEX, ALL, CONVEX, CURVED, ONE, ONE_CURVED, BETA, STORED, CLUSTERED, *CONTROLS, STALE)
SEEDS = [2, 3, 4, 6, 9, 10, 11, 14, 23, 30, 34, 37]
"""Of rounds on which every false version of a lemma is seen."""
MORE = [seed for seed in range(40) if seed not in SEEDS]
H = Rational(1, 8)

ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "square": [{"of": g - 2 * e.mean}],
    "nonnegative": [{"of": direction}, {"of": client_variance}],
    "error of stored updates of clusters": [{"w": Rational(1, 3)}],
    "telescoping from the error of the first direction": [
        {"k": Rational(1, 9)}, {"k": 2}, {"k": Rational(1, 2), "sampling": (1 - C) / (C * m)},
    ],
    "mean of a cluster": [{"of": G}, {"of": y}],
    "error of stored updates": [{"w": Rational(1, 3)}, {"w": C / 2}],
    "stored updates by error and age": [{"w": 3}, {"w": Rational(1, 3)}],
    "telescoping of the error at their own models": [{}, {"k": Rational(2, 3)}, {"k": 1 / (2 - C)}],
    "corrections by error and age": [{"w": 3}, {"w": Rational(1, 3)}],
    "Young": [
        {"u": g.mean, "v": X, "w": Rational(1, 2)},
        {"u": g, "v": e, "w": Rational(1, 5)},
        {"u": g.mean, "v": -e.mean, "w": Rational(3)},
    ],
    "square of a sum": [
        {"u": g.mean, "v": X, "y": Rational(1, 9)},
        {"u": g - g.mean, "v": e.mean - e, "y": Rational(1, 9)},
    ],
    "Jensen": [{"of": e}, {"of": g}],
    "three points, noise apart": [
        {}, {"part": Rational(1, 2), "v": Rational(1, 3)}, {"part": 1, "of": a - o},
    ],
    "displacement of the mean local models, convex": [{"y": Rational(1, 100)}, {"y": 1}],
    "bias of convex local steps, noise apart": [{"y": Rational(1, 100)}, {"y": 1}],
    "drift of the mean of all local models": [{"y": Rational(1, 100)}, {"y": 2}],
    "three points, cocoercive": [
        {"part": 1}, {"part": Rational(1, 2), "v": Rational(1, 3)}, {"part": 0, "v": Rational(3, 4)},
        {"part": 1, "of": a - o}, {"part": Rational(1, 2), "v": Rational(1, 3), "of": a - o},
    ],
    "client participation, one client or more": [{}, {"share": 1 / (C * m)}],
    "one local step": [{"against": g}, {"against": e.mean}],
    "variance of local steps": [{"h": H}],
    "bias of local steps": [
        {"h": H, "y": Rational(1, 20), "p": Rational(5, 16), "q": Rational(5, 8)},
        {"h": H, "whole": True, "y": Rational(1, 20), "p": Rational(5, 16), "q": Rational(5, 8)},
        {"h": H, "shared": True, "y": Rational(1, 10), "p": Rational(5, 16), "q": Rational(21, 40)},
    ],
    "displacement of local steps": [{"h": H, "y": Rational(1, 20), "p": Rational(1, 2), "q": Rational(3, 4)}],
    "variance of convex local steps": [{"h": H}],
    "bias of convex local steps": [
        {"h": H, "y": Rational(1, 20), "p": Rational(9, 32), "q": Rational(17, 32)}
    ],
    "displacement of convex local steps": [
        {"h": H, "y": Rational(1, 20), "p": Rational(3, 8), "q": Rational(17, 32)}
    ],
}  # fmt: skip
"""Arguments of lemmas that have any."""


def violated(
    lemma: Lemma, conclude: Callable[..., Conclusion], seeds: Sequence[int] = SEEDS, **arguments: Any
) -> int:
    """The number of random rounds on which a conclusion does not hold."""
    result = 0
    for setting in SETTINGS:
        curved = lemma.name == "Polyak-Lojasiewicz"
        if setting is CURVED if curved else not lemma.missing(setting):
            rounds = (random_round_of(seed, setting.name) for seed in seeds)
            result += violations(conclude(round_of(setting), **arguments), rounds)
    return result


@cache
def random_round_of(seed: int, name: str) -> RandomRound:
    setting = theorem(name)
    stored = setting in (STORED, CLUSTERED, *CONTROLS)
    simulate = stored_round if stored else stale_round if setting is STALE else random_round
    return simulate(seed, setting)


@each("name", LEMMAS)
@each("seeds", thinned([SEEDS, MORE], 1))
def test_a_lemma_holds_on_random_rounds(name: str, seeds: Sequence[int]) -> None:
    lemma = LEMMAS[name]
    for arguments in ARGUMENTS.get(name, [{}]):
        assert violated(lemma, lemma.conclude, seeds, **arguments) == 0


def changed(lemma: Lemma, by: Callable[[Any], LinearForm]) -> tuple[Lemma, Callable[..., Conclusion]]:
    """The lemma, and a conclusion that is larger by a form."""

    def conclude(this: Any, **arguments: Any) -> Conclusion:
        right = lemma.conclude(this, **arguments)
        return Conclusion(right.form + by(this), right.hypotheses, right.equality)

    return lemma, conclude


def scaled(lemma: Lemma, index: int, factor: Any) -> tuple[Lemma, Callable[..., Conclusion]]:
    """The lemma, and its conclusion with one coefficient multiplied by a factor."""

    def conclude(this: Any, **arguments: Any) -> Conclusion:
        right = lemma.conclude(this, **arguments)
        atom = list(right.form.coefficients)[index]
        extra = LinearForm({atom: (factor - 1) * right.form[atom]})
        return Conclusion(right.form + extra, right.hypotheses, right.equality)

    return lemma, conclude


HALF = Rational(1, 2)
FALSE: dict[str, tuple[Lemma, Callable[..., Conclusion]]] = {
    "telescoping to gap/(2 T)": scaled(TELESCOPING_LOSS, 0, HALF),
    "telescoping the distance to D^2/(2 T)": scaled(TELESCOPING_DISTANCE, 0, HALF),
    "sampling variance (1 - C)/(C m)": changed(
        PARTICIPATION, lambda _: ((1 - C) / (C * m) - (1 - C) / (C * (m - 1))) * square(a - a.mean)
    ),
    "variance of clients over m": changed(
        PARTICIPATION, lambda _: LinearForm({client_variance: 1 / m - 1 / (C * m)})
    ),
    "participation bound with (1 - C)/(C m)": changed(
        PARTICIPATION_BOUND,
        lambda this: -((1 - C) / (C * m)) * square(this.sampled - this.sampled.mean),
    ),
    "descent with L s^2/8": scaled(DESCENT, 1, Rational(1, 4)),
    "Young with 1/(8 w)": changed(YOUNG, lambda _: -HALF / 2 * square(X)),
    "square of a sum without 1/y": changed(SUM_OF_TWO, lambda _: -9 * square(X)),
    "Jensen, a mean of squares at most the square of the mean": (
        JENSEN,
        lambda this, of: Conclusion(-JENSEN.conclude(this, of=of).form),
    ),
    "squared distance with s <a, x - x*>": changed(
        DISTANCE, lambda this: this.length * inner(a.mean, g.mean)
    ),
    "variance of local steps over 2 tau": scaled(LOCAL_VARIANCE, 0, HALF),
    "three points with twice the loss gap": changed(THREE_POINTS, lambda _: LinearForm({loss_gap: -1})),
    "three points, cocoercive with twice the loss gap": changed(
        COCOERCIVE_THREE_POINTS, lambda _: LinearForm({loss_gap: -1})
    ),
    "three points, with three times the squared direction": changed(
        COCOERCIVE_THREE_POINTS, lambda _: -1 / L * square(a.mean)
    ),
    "three points, cocoercive, with three times the squares of the clients": changed(
        COCOERCIVE_THREE_POINTS, lambda _: -3 / (2 * L) * square(a - o) + 1 / (2 * L) * square(a.mean)
    ),
    "three points, noise apart, with an eighth of the displacement": changed(
        LEMMAS["three points, noise apart"],
        lambda _: LinearForm({mean_displacement: -7 * L / 16, loss_gap: -HALF}),
    ),
    "variance of the local models, half": scaled(LEMMAS["variance of the local models, convex"], 0, HALF),
    "displacement of the mean local models, half": changed(
        LEMMAS["displacement of the mean local models, convex"],
        lambda _: -(eta**2) * (tau - 1) * (2 * tau - 1) / 12 * square(g),
    ),
    "bias of convex local steps, half": changed(
        LEMMAS["bias of convex local steps, noise apart"],
        lambda _: -((eta * L * (tau - 1)) ** 2) / 8 * square(g),
    ),
    "drift of the mean of all local models, half": changed(
        LEMMAS["drift of the mean of all local models"],
        lambda _: -((eta * (tau - 1)) ** 2) / 8 * square(g.mean),
    ),
    "gradient and loss with L/2": scaled(LEMMAS["gradient and loss"], 0, Rational(1, 4)),
    "noise of one step, half": scaled(LEMMAS["noise of one step"], 0, HALF),
    "beta-kappa dissimilarity, half": scaled(LEMMAS["beta-kappa dissimilarity"], 0, HALF),
    "gradient dominance with 4 mu": scaled(LEMMAS["gradient dominance"], 1, 2),
    "stored updates without the move of the server": changed(
        STORED_ERROR, lambda this: LinearForm({direction: -4 * (L * this.length) ** 2})
    ),
    "stored updates that forget twice as fast": changed(
        STORED_ERROR, lambda _: -Rational(4, 3) * C * square(g - y)
    ),
    "stored updates without noise": changed(
        STORED_ERROR, lambda _: LinearForm({client_variance: -Rational(4, 3) * C})
    ),
    "stored updates of clusters that are never missed": changed(
        CLUSTER_STORED_ERROR, lambda _: -Rational(4, 3) * missed * square(G - y)
    ),
    "stored updates of clusters without dissimilarity": changed(
        CLUSTER_STORED_ERROR, lambda _: -Rational(4, 3) * (1 - missed) * square(a - G)
    ),
    "mean of a cluster, with the stored update for it": (
        LEMMAS["mean of a cluster"],
        lambda this, of: Conclusion(inner(g - y, of), equality=True),
    ),
    "dissimilarity in a cluster, half": scaled(LEMMAS["dissimilarity in a cluster"], 0, HALF),
    "telescoping of stored updates of clusters to half": scaled(
        LEMMAS["telescoping of stored updates of clusters"], 0, HALF
    ),
    "telescoping from a tenth of the error of the first direction": changed(
        FIRST_DIRECTION, lambda _: LinearForm({data(update_error**2): -1 / T})
    ),
    "telescoping from that error, without the mean gradient at the start": changed(
        FIRST_DIRECTION, lambda _: -(1 - C) / (C * (m - 1)) * square(g.mean)
    ),
    "telescoping of stored updates to half": scaled(TELESCOPING_STORED_ERROR, 0, HALF),
    "sampling of directions where updates are stored": changed(
        PARTICIPATION, lambda this: square(a - a.mean) - square(this.sampled - this.sampled.mean)
    ),
    "age without the move of the server": changed(
        AGE, lambda this: LinearForm({direction: -(this.length**2)})
    ),
    "age of independent participation": changed(
        AGE, lambda this: 2 * this.length * (1 - C) / (m - 1) * inner(a - y - (a - y).mean, z)
    ),
    "error at their own models without noise": changed(
        OWN_ERROR, lambda _: LinearForm({client_variance: -C})
    ),
    "mean error at their own models without noise": changed(
        MEAN_OWN_ERROR, lambda _: LinearForm({client_variance: -C / m})
    ),
    "mean error at their own models without sampling": changed(
        MEAN_OWN_ERROR, lambda _: -C * (1 - C) / (m - 1) * square(e - q - (e - q).mean)
    ),
    "corrections without noise": changed(CORRECTION_ERROR, lambda _: LinearForm({client_variance: -1})),
    "stored updates by error alone": changed(ERROR_AND_AGE, lambda _: -4 * L**2 * square(z)),
    "stored updates by age alone": changed(ERROR_AND_AGE, lambda _: -Rational(4, 3) * square(q)),
    "corrections by age alone": changed(CORRECTION_AND_AGE, lambda _: -Rational(4, 3) * square(q - q.mean)),
    "telescoping of the age, to half of it": (
        TELESCOPING_AGE,
        lambda this: Conclusion(HALF * TELESCOPING_AGE.conclude(this).form - HALF * square(z)),
    ),
    "telescoping of the error at their own models to half": scaled(TELESCOPING_OWN_ERROR, 0, HALF),
    "telescoping of the error of corrections to half": scaled(TELESCOPING_CORRECTION_ERROR, 0, HALF),
    "telescoping of the error at the optimum to half": scaled(TELESCOPING_ERROR_AT_OPTIMUM, 0, HALF),
    "gradients and those at the optimum with L/2": scaled(GRADIENTS_AT_OPTIMUM, 0, Rational(1, 4)),
    "error by displacement, a quarter": scaled(ERROR_AND_DISPLACEMENT, 0, Rational(1, 4)),
    "stored updates at the optimum that are new in every round": changed(
        ERROR_AT_OPTIMUM, lambda _: (1 - C) * (square(a - o) - square(y - o))
    ),
    "descent along stored gradients with L s^2/8": changed(
        STORED_DESCENT, lambda this: -Rational(3, 8) * L * this.length**2 * square(a.mean)
    ),
    "stored gradients of bounded age, a tenth": (
        BOUNDED_AGE,
        lambda this: Conclusion(
            Rational(1, 10) * BOUNDED_AGE.conclude(this).form - Rational(9, 10) * square(e)
        ),
    ),
    "bias of corrected steps, as without correction": changed(
        LEMMAS["bias of local steps"],
        lambda this: (eta * L * (tau - 1)) ** 2 * Rational(5, 16) * (square(g) - square(this.first_step)),
    ),
    "bias of local steps, a fifth": changed(
        LEMMAS["bias of local steps"],
        lambda _: (-((eta * L * (tau - 1)) ** 2) * Rational(1, 4)) * square(g),
    ),
}


@each("name", FALSE)
def test_a_false_lemma_fails_on_random_rounds(name: str) -> None:
    lemma, conclude = FALSE[name]
    arguments = ARGUMENTS.get(lemma.name, [{}])[0]
    assert violated(lemma, conclude, **arguments) > 0


def test_every_lemma_with_arguments_is_tested_with_them() -> None:
    assert set(ARGUMENTS) <= set(LEMMAS)
    assert T in random_round_of(0, NONCONVEX.name).quantities


def test_few_local_steps_are_shorter_together_where_all_of_them_are_bounded() -> None:
    """At two steps b is half of eta L tau, so that a smaller q is enough; of many it is the same."""
    numbers = {"h": Rational(1, 4), "y": Rational(1, 10), "p": Rational(2, 5), "convex": True}

    def least(steps: int, whole: bool) -> float:
        """Return how far the sum of the noise is below its bound for q = 3/5, at the largest steps."""
        sums = local_steps.displacement(q=Rational(3, 5), whole=whole, **numbers)
        return float(sums[-1].expr.subs({"b": Rational(1, 4), "n": steps - 2}) / steps**2)

    assert least(2, False) < 0 < least(2, True)
    assert least(10**6, False) == pytest.approx(least(10**6, True), rel=1e-4)
    with_all = local_steps.bias(q=1, whole=True, **numbers)
    assert any(each.text.startswith("eta L tau <= h") for each in with_all)


@each("h", (Rational(1, 8), Rational(7, 24), Rational(3, 5)))
def test_a_variance_that_grows_by_that_of_the_gradients_is_less_of_their_means(h: Rational) -> None:
    """The largest sum of (V_k - S_k)/k is below the claim with beta', and above the one without growth."""
    steps = 400
    a, growth = float(h) / steps, float(h / (4 - h**2))

    def mean(spreads: NDArray[Any]) -> float:
        """Return sum_k (V_k - S_k)/k over the number of steps, at sigma = 1 and S_k = spreads^2 V_k."""
        variance, total = 1.0, 0.0
        for k, spread in enumerate(spreads, start=1):
            total += (1 - spread**2) * variance / k
            variance = variance * (1 + a * spread) ** 2 + 1
        return float(total / steps)

    time = np.arange(1, steps + 1) / steps
    found = [mean(x * (1 - time**power)) for x in np.linspace(0, 1, 21) for power in (1, 9)]
    random = np.random.default_rng(0)
    found += [mean(random.uniform(0, 1) * random.uniform(0, 1, steps)) for _ in range(50)]
    assert 1 + 1e-4 < max(found) <= 1 + growth * a * (steps - 1) / 2


def test_the_variance_of_the_gradients_is_taken_off_where_steps_are_short() -> None:
    def holds(h: Rational) -> bool:
        claimed = local_steps.bias(h, 1, 10, 10, shared=True)
        return all(decide_in_box(each).decision for each in claimed if not each.text.startswith("eta L"))

    assert holds(Rational(3, 5))
    assert not holds(Rational(61, 100))


def test_convex_local_steps_may_be_long() -> None:
    """No bound below 1 on eta L (tau - 1) is needed: without noise p is 1/4, on any curvature in [0, L].

    Of a curvature -L it is more, so that convexity is needed.
    """
    h, y, p = Rational(5, 4), Rational(1, 10**6), Rational(1, 4) * (1 + Rational(1, 10**6))
    claimed = local_steps.bias(h, y, p, Rational(10**6), convex=True)
    sums = [each.expr for each in claimed if each.text.startswith("sum over the steps")]
    points = [{"b": h * k / 4, "n": n} for k in range(5) for n in (0, 1, 9, 1000)]
    assert len(sums) == 2
    assert all(each.subs(at) >= 0 for each in sums for at in points)
    assert not any(each.text.startswith("h =") for each in claimed)
    with pytest.raises(BoundkitError, match="h = 5/4"):
        local_steps.bias(h, y, p, Rational(10**6))

    def of_square(curvature: float, steps: int) -> float:
        """Return ||e||^2/(eta L (tau - 1))^2 for L = 1 and a first gradient of 1."""
        eta = float(h) / (steps - 1)
        gradients = (1 - eta * curvature) ** np.arange(steps)
        return float((np.mean(gradients) - 1) ** 2 / float(h) ** 2)

    for steps in (2, 3, 10, 300):
        assert all(of_square(curvature, steps) <= p for curvature in np.linspace(0, 1, 30))
    assert of_square(-1.0, 10) > p
