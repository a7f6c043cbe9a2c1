"""Everything that a certificate needs, for ``from boundkit.proofs.authoring import *``.

Lemmas, vectors and atoms of the library; ``step`` and ``Certificate``; charts of common settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sympy import Eq, Expr, Ge, Integer, Symbol, fraction, solve, sqrt, sympify, together
from sympy import Rational as Rational
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.notation import (
    L0,
    L1,
    C,
    C_walk,
    L,
    T,
    availability,
    availability_max,
    beta,
    beta_s,
    clip,
    comp_keep,
    comp_noise,
    eta,
    eta_s,
    fresh,
    groups,
    m,
    missed,
    mixing,
    mu,
    mu_pl,
    prox_step,
    pull,
    rho_bar,
    rho_tilde,
    robustness,
    sampling_slack,
    sampling_spread,
    staleness,
    tau,
    tau_eff,
)
from boundkit.proofs.absent_clients import *
from boundkit.proofs.adaptive_server_step import *
from boundkit.proofs.averaged_models import *
from boundkit.proofs.certificate import Certificate as Certificate
from boundkit.proofs.certificate import CertificateStep
from boundkit.proofs.certificate import step as step
from boundkit.proofs.clipped_steps import *
from boundkit.proofs.compressed_messages import *
from boundkit.proofs.control_variates import *
from boundkit.proofs.corollaries import VaryingRounds as VaryingRounds
from boundkit.proofs.corollaries import corollary as corollary
from boundkit.proofs.domain import Coordinate
from boundkit.proofs.domain import CoordinateChart as CoordinateChart
from boundkit.proofs.domain import coordinate as coordinate
from boundkit.proofs.exchanged_models import *
from boundkit.proofs.group_cycles import *
from boundkit.proofs.lemmas import *
from boundkit.proofs.limit_points import *
from boundkit.proofs.linear_form import Vector
from boundkit.proofs.linear_form import inner as inner
from boundkit.proofs.linear_form import square as square
from boundkit.proofs.local_momentum import *
from boundkit.proofs.local_solvers import *
from boundkit.proofs.mean_gradients import *
from boundkit.proofs.mean_models import *
from boundkit.proofs.named_letters import letter_for as letter_for
from boundkit.proofs.private_updates import *
from boundkit.proofs.robust_aggregation import *
from boundkit.proofs.rounds import *
from boundkit.proofs.server_momentum import *
from boundkit.proofs.similar_solver import *
from boundkit.proofs.stale_gradients import *
from boundkit.proofs.stored_noise import *
from boundkit.proofs.stored_updates import *
from boundkit.proofs.virtual_average import *
from boundkit.proofs.weighted_sampling import *

_A, _a, _c, _n, _j, _f, _r, _k, _i, _b, _l, _u, _v, _w, _z, _x, _d = (Symbol(n) for n in "Aacnjfrkibluvwzxd")

_BIAS = {
    Rational(1, 8): (Rational(1, 20), Rational(5, 16), Rational(5, 8)),
    Rational(1, 10): (Rational(1, 20), Rational(3, 10), Rational(3, 5)),
}
"""y, p and q of the bias of local steps, by the largest eta L (tau - 1)."""


def error_of_a_client(h: Any, *numbers: Any, **constants: Any) -> CertificateStep:
    """Return the step that bounds mean_i ||e_i||^2 by the bias of local steps, for eta L (tau - 1) <= h.

    ``numbers``: y, p and q, which may be left out for h = 1/8 and 1/10. ``constants``: others of the lemma.
    """
    y, p, q = numbers or _BIAS[h]
    return step("error of a client", LOCAL_BIAS, h=h, y=y, p=p, q=q, removes=square(e), **constants)


def error_against_gradient(w: Any) -> CertificateStep:
    """Return the step that bounds E<g, e> of the means by Young's inequality with the parameter w."""
    return step("error against gradient", YOUNG, u=g.mean, v=e.mean, w=w, removes=inner(g.mean, e.mean))


def dispersion_of_directions(w: Any, stored: Vector | None = None) -> CertificateStep:
    """Return the step that parts the dispersion of the clients' directions into gradients and errors.

    ``w``: the parameter of Young's inequality. ``stored``: the updates that the server subtracts, if any.
    """
    of, removes = (g, inner(g, e)) if stored is None else (g - stored, inner(stored, e))
    return step(
        "dispersion of the directions", SUM_OF_TWO, u=of - of.mean, v=e.mean - e, y=w, removes=removes
    )


def partial_chart(
    local: Any, server: Any, curved: bool = False, limits: Sequence[Expr] = ()
) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau <= server, C m of m >= 2 clients.

    ``curved``: with r = mu/L in (0, 1] too. ``limits``: expressions in the quantities that are >= 0.
    """
    coordinates: tuple[Coordinate, ...] = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("c", eta_s * eta * L * tau, 0, server, positive=True),
        coordinate("n", tau - 1),
        coordinate("j", m - 2),
        coordinate("f", (C * m - 1) / (m - 1), 0, 1),
    )
    values = {
        eta: _A / (L * (1 + _n)),
        eta_s: _c / _A,
        tau: 1 + _n,
        m: 2 + _j,
        C: (1 + (1 + _j) * _f) / (2 + _j),
    }
    if curved:
        coordinates, values = (
            (*coordinates, coordinate("r", mu / L, 0, 1, positive=True)),
            {**values, mu: _r * L},
        )
    return CoordinateChart(coordinates, values, constraints=_constraints(limits, values))


def sampling_chart(
    local: Any, server: Any, factor: int, curvature: Quantity | None = None
) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, w = c (1 + factor l) <= server, c = eta_s eta L tau.

    l = Lambda - nu >= 0 and v = nu are of unbiased sampling. ``curvature``: mu or mu_pl, with r in (0, 1],
    its ratio to L.
    """
    excess = sampling_spread - sampling_slack
    coordinates: tuple[Coordinate, ...] = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("w", eta_s * eta * L * tau * (1 + factor * excess), 0, server, positive=True),
        coordinate("n", tau - 1),
        coordinate("l", excess),
        coordinate("v", sampling_slack, 0, 1),
    )
    values = {
        eta: _A / (L * (1 + _n)),
        eta_s: _w / (_A * (1 + factor * _l)),
        tau: 1 + _n,
        sampling_spread: _v + _l,
        sampling_slack: _v,
    }
    if curvature is not None:
        coordinates = (*coordinates, coordinate("r", curvature / L, 0, 1, positive=True))
        values |= {curvature: _r * L}
    return CoordinateChart(coordinates, values)


def any_clients_chart(local: Any, server: Any, limits: Sequence[Expr] = ()) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau <= server, C m of m >= 1 clients.

    C m = 1 + k clients participate, and m - C m = i do not. ``limits``: expressions that are >= 0.
    """
    coordinates = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("c", eta_s * eta * L * tau, 0, server, positive=True),
        coordinate("n", tau - 1),
        coordinate("k", C * m - 1),
        coordinate("i", m - C * m),
    )
    clients = 1 + _k + _i
    values = {
        eta: _A / (L * (1 + _n)),
        eta_s: _c / _A,
        tau: 1 + _n,
        m: clients,
        C: (1 + _k) / clients,
    }
    return CoordinateChart(coordinates, values, constraints=_constraints(limits, values))


def clusters_chart(local: Any, server: Any, root: int = 8, times: int = 16) -> CoordinateChart:
    """Return the partial chart with b = 1 - missed in (0, 1], root c <= sqrt(C m) b and times c <= C m."""
    chart, c = partial_chart(local, server), eta_s * eta * L * tau
    values = {**chart.values, missed: 1 - _b}
    limits = (C * m * (1 - missed) ** 2 - (root * c) ** 2, C * m - times * c)
    coordinates = (*chart.coordinates, coordinate("b", 1 - missed, 0, 1, positive=True))
    return CoordinateChart(coordinates, values, constraints=_constraints(limits, values))


def available_chart(spread: Expr, of: Quantity) -> CoordinateChart:
    """Return the chart A = eta L tau <= 1/8, c = s L <= 1/2 of clients available at random, s with pull.

    With z = 16 c times ``spread``, the largest w_i (1 - q_i)/q_i, at most 1; it is linear in ``of``.
    """
    c = eta_s * eta * L * tau * pull
    coordinates = (
        coordinate("A", eta * L * tau, 0, Rational(1, 8), positive=True),
        coordinate("c", c, 0, Rational(1, 2), positive=True),
        coordinate("n", tau - 1),
        coordinate("z", 16 * c * spread, 0, 1),
    )
    (own,) = solve(16 * _c * spread - _z, of)
    values = {eta: _A / (L * (1 + _n)), eta_s: _c / (_A * pull), tau: 1 + _n, of: own}
    return CoordinateChart(coordinates, values)


def inverse_steps_chart(local: Any, server: Any = None) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau <= server, r = 1/tau, for all clients.

    Without ``server`` the server's step is 1, and c = A.
    """
    coordinates: tuple[Coordinate, ...] = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("r", 1 / tau, 0, 1, positive=True),
    )
    values: dict[Quantity, Expr] = {eta: _A * _r / L, tau: 1 / _r}
    if server is not None:
        coordinates += (coordinate("c", eta_s * eta * L * tau, 0, server, positive=True),)
        values[eta_s] = _c / _A
    return CoordinateChart(coordinates, values)


def stale_chart() -> CoordinateChart:
    """Return the chart c = eta L (1 + staleness) <= 1, of one local step."""
    c = coordinate("c", eta * L * (1 + staleness), 0, 1, positive=True)
    return CoordinateChart((c,), {eta: _c / (L * (1 + staleness))})


def stored_noise_chart(local: Any, server: Any) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau (1 + staleness) <= server."""
    coordinates = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("c", eta_s * eta * L * tau * (1 + staleness), 0, server, positive=True),
        coordinate("n", tau - 1),
    )
    values = {eta: _A / (L * (1 + _n)), eta_s: _c / (_A * (1 + staleness)), tau: 1 + _n}
    return CoordinateChart(coordinates, values)


def random_updates_chart(local: Any, server: Any) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau (2 - q)/q <= server; q: availability."""
    uses = (2 - availability) / availability
    coordinates = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("c", eta_s * eta * L * tau * uses, 0, server, positive=True),
        coordinate("n", tau - 1),
    )
    return CoordinateChart(coordinates, {eta: _A / (L * (1 + _n)), eta_s: _c / (_A * uses), tau: 1 + _n})


def controls_chart(local: Any, server: Any, limits: Sequence[Expr] = ()) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, r = 1/tau, k = eta_s eta L tau/C, u = 1/(m - 1), m >= 2.

    With C k <= server. ``limits``: expressions in the quantities that are >= 0.
    """
    chart, length = inverse_steps_chart(local), eta_s * eta * tau
    coordinates = (
        coordinate("k", L * length / C, 0, positive=True),
        coordinate("u", 1 / (m - 1), 0, 1, positive=True),
    )
    values = {**chart.values, eta_s: C * _k / _A, m: 1 + 1 / _u}
    limits = (C * m - 1, server - L * length, *limits)
    return CoordinateChart(
        (*chart.coordinates, *coordinates), values, constraints=_constraints(limits, values)
    )


def large_server_chart(server: Any, least: Any = None) -> CoordinateChart:
    """Return the chart c = eta_s eta L tau <= server, r = 1/tau, v = 1/eta_s, w = 1/(C m), all at most 1.

    ``least``: a number; with k = mu s/C times it in (0, 1] too, and mu <= L.
    """
    coordinates: tuple[Coordinate, ...] = (
        coordinate("c", eta_s * eta * L * tau, 0, server, positive=True),
        coordinate("r", 1 / tau, 0, 1, positive=True),
        coordinate("v", 1 / eta_s, 0, 1, positive=True),
        coordinate("w", 1 / (C * m), 0, 1, positive=True),
    )
    values: dict[Quantity, Expr] = {tau: 1 / _r, eta: _c * _v * _r / L, eta_s: 1 / _v, m: 1 / (C * _w)}
    if least is None:
        return CoordinateChart(coordinates, values)
    coordinates += (coordinate("k", least * eta_s * eta * mu * tau / C, 0, 1, positive=True),)
    values[mu] = _k * C * L / (least * _c)
    return CoordinateChart(coordinates, values, constraints=_constraints((L - mu,), values))


def _constraints(limits: Sequence[Expr], values: Mapping[Quantity, Expr]) -> tuple[Expr, ...]:
    return tuple(fraction(together(expr.subs(values)))[0] for expr in limits)


def solvers_chart(
    gradients: Quantity = C_walk, *, pulled: bool = True, length: Any = 1, walk: Any = 1
) -> CoordinateChart:
    """Return the chart c = eta L tau_eff <= length/2 and z = (eta L)^2 C with 4 z (2 beta^2 + 1) <= walk.

    ``gradients``: C, the factor of the client drift by the gradients. ``pulled``: whether there may be a
    proximal solver, whose eta mu_prox is at most 1.
    """
    no_negative = (1 - prox_step,) if pulled else ()
    return CoordinateChart(
        coordinates=(
            coordinate("c", eta * L * tau_eff, 0, Rational(length) / 2, positive=True),
            coordinate("z", (eta * L) ** 2 * gradients, 0, Rational(walk) / 12),
        ),
        values={eta: _c / (L * tau_eff), gradients: _z * tau_eff**2 / _c**2},
        constraints=(walk - 4 * _z * (2 * beta**2 + 1), *no_negative),
    )


def full_chart(local: Any) -> CoordinateChart:
    """Return the chart c = eta L tau <= local, with all clients and a server step of 1."""
    return CoordinateChart(
        coordinates=(coordinate("c", eta * L * tau, 0, local, positive=True), coordinate("n", tau - 1)),
        values={eta: _c / (L * (1 + _n)), tau: 1 + _n},
    )


def one_step_server_chart(factor: Expr) -> CoordinateChart:
    """Return the chart w = eta_s eta L times ``factor`` <= 1, of one local step."""
    w = coordinate("w", eta_s * eta * L * factor, 0, 1, positive=True)
    return CoordinateChart((w,), {eta_s: _w / (eta * L * factor)})


def clipped_chart() -> CoordinateChart:
    """Return the chart c = eta L0 <= 1/2 and z = clip L1 <= 1/2."""
    half = Rational(1, 2)
    coordinates = (coordinate("c", eta * L0, 0, half, positive=True), coordinate("z", clip * L1, 0, half))
    return CoordinateChart(coordinates, {L0: _c / eta, L1: _z / clip})


def local_step_chart(local: Any, *limits: Expr) -> CoordinateChart:
    """Return the chart x = eta L <= local, r = mu/L, n = tau - 1. ``limits``: expressions that are >= 0."""
    coordinates = (
        coordinate("x", eta * L, 0, local, positive=True),
        coordinate("r", mu / L, 0, 1, positive=True),
        coordinate("n", tau - 1),
    )
    values = {eta: _x / L, mu: _r * L, tau: 1 + _n}
    return CoordinateChart(coordinates, values, constraints=_constraints(limits, values))


def selection_chart(
    share: Expr, *limits: Expr, positive: bool = False, local: Any = "1/4", part: int = 1
) -> CoordinateChart:
    """Return the chart of a local step with eta L <= local and eta mu (1 + share rho_bar) <= 1/part.

    v = rho_bar is >= 0, or > 0 where ``positive``, and d = rho_tilde - rho_bar. ``limits``: expressions that
    are >= 0.
    """
    chart = local_step_chart(Rational(local))
    rate = part * eta * mu * (1 + share * rho_bar)
    coordinates = (
        *chart.coordinates,
        coordinate("v", rho_bar, positive=positive),
        coordinate("d", rho_tilde - rho_bar),
    )
    values = {**chart.values, rho_bar: _v, rho_tilde: _v + _d}
    return CoordinateChart(coordinates, values, constraints=_constraints((1 - rate, *limits), values))


def one_step_or_more(chart: CoordinateChart) -> tuple[CoordinateChart, CoordinateChart]:
    """Return a chart with the coordinate n = tau - 1 for tau = 1, and for tau >= 2 with n = tau - 2."""

    def moved(to: Any, coordinates: tuple[Coordinate, ...], given: Relational) -> CoordinateChart:
        values = {q: v.subs(_n, to) for q, v in chart.values.items()}
        constraints = tuple(each.subs(_n, to) for each in chart.constraints)
        return CoordinateChart(coordinates, values, (given,), constraints)

    others = tuple(each for each in chart.coordinates if each.symbol != _n)
    more = (*others, coordinate("n", tau - 2))
    return (
        moved(Integer(0), others, Eq(tau, 1, evaluate=False)),
        moved(1 + _n, more, Ge(tau, 2, evaluate=False)),
    )


def cycle_chart(local: Any, steps: Any = None, sampled: bool = False) -> CoordinateChart:
    """Return the chart A = eta L groups <= local, r = mu_pl/L, u = C groups <= 1 and m >= 2 groups.

    ``steps``: the local steps of a round, with A = eta L groups steps, of whole groups, without u and m;
    ``sampled``: of C m >= 1 clients of each of two groups or more, with them.
    """
    count = 1 if steps is None else steps
    least = 2 if sampled else 1
    number = least + _n
    coordinates: tuple[Coordinate, ...] = (
        coordinate("A", eta * L * groups * count, 0, local, positive=True),
        coordinate("r", mu_pl / L, 0, 1, positive=True),
        coordinate("n", groups - least),
    )
    values = {eta: _A / (L * number * count), mu_pl: _r * L, groups: number}
    if steps is None or sampled:
        coordinates += (coordinate("u", C * groups, 0, 1, positive=True), coordinate("j", m - 2 * groups))
        values |= {C: _u / number, m: 2 * number + _j}
    limits = (_u * (2 * number + _j) - number,) if sampled else ()
    return CoordinateChart(coordinates, values, constraints=limits)


def one_step_chart(local: Any, curved: bool = False) -> CoordinateChart:
    """Return the chart c = eta L <= local, one local step; ``curved``: with r = mu/L in (0, 1] too."""
    c = coordinate("c", eta * L, 0, local, positive=True)
    if curved:
        return CoordinateChart((c, coordinate("r", mu / L, 0, 1, positive=True)), {eta: _c / L, mu: _r * L})
    return CoordinateChart((c,), {eta: _c / L})


def requested_chart(limit: Expr) -> CoordinateChart:
    """Return the chart c = eta L <= 1 with gradients of an age, where ``limit`` >= 0."""
    values = {eta: _c / L}
    coordinates = (coordinate("c", eta * L, 0, 1, positive=True),)
    return CoordinateChart(coordinates, values, constraints=_constraints((limit,), values))


def one_or_more_steps(
    local: Any, drift: Any, square: bool = False
) -> tuple[CoordinateChart, CoordinateChart]:
    """Return charts for tau = 1 and tau >= 2 where eta L tau <= local, (eta L)^2 tau (tau - 1) <= drift.

    ``square``: (eta L (tau - 1))^2 <= drift instead. The second chart has the coordinates c = eta L tau and
    n = tau - 2, with (1 + n) c^2 <= (2 + n) drift; of a fraction ``drift`` the denominator is multiplied out.
    """
    c = coordinate("c", eta * L * tau, 0, local, positive=True)
    one = CoordinateChart((c,), {eta: _c / L, tau: Integer(1)}, given=(Eq(tau, 1, evaluate=False),))
    numer, denom = fraction(sympify(drift))
    power = 2 if square else 1
    more = CoordinateChart(
        (c, coordinate("n", tau - 2)),
        {eta: _c / (L * (2 + _n)), tau: 2 + _n},
        given=(Ge(tau, 2, evaluate=False),),
        constraints=((2 + _n) ** power * numer - (1 + _n) ** power * _c**2 * denom,),
    )
    return one, more


def compressed_updates_chart(local: Any, server: Any, messages: Any) -> CoordinateChart:
    """Return the partial chart with u = comp_noise eta_s eta L tau/(C m) <= messages too."""
    chart = partial_chart(local, server)
    u = coordinate("u", comp_noise * eta_s * eta * L * tau / (C * m), 0, messages)
    values = {**chart.values, comp_noise: _u * (1 + (1 + _j) * _f) / _c}
    return CoordinateChart((*chart.coordinates, u), values)


def compression_chart(lost: Quantity) -> CoordinateChart:
    """Return the chart c = eta L <= b, b = 1 - lost in (0, 1] with lost^2 = 1 - comp_keep."""
    coordinates = (
        coordinate("c", eta * L, 0, 1, positive=True),
        coordinate("b", 1 - lost, 0, 1, positive=True),
    )
    return CoordinateChart(
        coordinates, {eta: _c / L, lost: 1 - _b, comp_keep: 1 - (1 - _b) ** 2}, constraints=(_b - _c,)
    )


def server_steps_chart(limit: Any) -> CoordinateChart:
    """Return the chart c = eta_s eta L tau <= limit, r = 1/tau, v = 1/eta_s, all at most 1."""
    coordinates = (
        coordinate("c", eta_s * eta * L * tau, 0, limit, positive=True),
        coordinate("r", 1 / tau, 0, 1, positive=True),
        coordinate("v", 1 / eta_s, 0, 1, positive=True),
    )
    return CoordinateChart(coordinates, {tau: 1 / _r, eta: _c * _v * _r / L, eta_s: 1 / _v})


def contracting_step_chart(*limits: Expr) -> CoordinateChart:
    """Return the chart x = eta L, r = mu/L, x (1 + r) <= 2. ``limits``: expressions that are >= 0."""
    coordinates = (coordinate("x", eta * L, 0, positive=True), coordinate("r", mu / L, 0, 1, positive=True))
    values = {eta: _x / L, mu: _r * L}
    return CoordinateChart(
        coordinates, values, constraints=_constraints((2 - eta * (L + mu), *limits), values)
    )


def robust_chart(root: Quantity) -> CoordinateChart:
    """Return the chart A = eta L tau, r = 1/tau, c = eta_s eta L tau <= 1, k = ``root``.

    With k^2 = robustness and (1 + k) A (1 - r) <= 1/4.
    """
    chart = inverse_steps_chart(None, 1)
    values = {**chart.values, root: _k, robustness: _k**2}
    return CoordinateChart(
        (*chart.coordinates, coordinate("k", root)), values, constraints=(1 - 4 * (1 + _k) * _A * (1 - _r),)
    )


def absent_clients_chart(local: Any, server: Any, root: Quantity, limits: Sequence[Expr]) -> CoordinateChart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau <= server, w = r/(1 - r), d = 1/q - 1.

    r = ``root``, with r^2 = mixing, and q is the availability. ``limits``: expressions that are >= 0.
    """
    coordinates = (
        coordinate("A", eta * L * tau, 0, local, positive=True),
        coordinate("c", eta_s * eta * L * tau, 0, server, positive=True),
        coordinate("n", tau - 1),
        coordinate("w", root / (1 - root)),
        coordinate("d", 1 / availability - 1),
    )
    values = {eta: _A / (L * (1 + _n)), eta_s: _c / _A, tau: 1 + _n, **_absent_clients(root)}
    limits = [expr.subs(sqrt(mixing), root) for expr in limits]
    return CoordinateChart(coordinates, values, constraints=_constraints(limits, values))


def _absent_clients(root: Quantity) -> dict[Quantity, Expr]:
    own = _w / (1 + _w)
    return {root: own, mixing: own**2, availability: 1 / (1 + _d)}


def mixing_rounds_chart(local: Any, server: Any, root: Quantity) -> CoordinateChart:
    """Return the chart a = ``local`` eta L tau beta and z = ``server`` c beta^2/(1 - r), both in (0, 1].

    c = eta_s eta L tau; w, d and r = ``root`` as for absent clients.
    """
    length = server * eta_s * eta * L * tau * beta**2 / (1 - root)
    coordinates = (
        coordinate("a", local * eta * L * tau * beta, 0, 1, positive=True),
        coordinate("z", length, 0, 1, positive=True),
        coordinate("n", tau - 1),
        coordinate("w", root / (1 - root)),
        coordinate("d", 1 / availability - 1),
    )
    step = _a / (local * beta * L * (1 + _n))
    server_step = local * _z / (server * _a * beta * (1 + _w))
    return CoordinateChart(coordinates, {eta: step, eta_s: server_step, tau: 1 + _n, **_absent_clients(root)})


def short_rounds_chart(times: Any, least: Any, root: Quantity) -> CoordinateChart:
    """Return the chart z = 80 c beta (1 + r)/(q (1 - r) ``times``) and v = ``least``/eta_s, both in (0, 1].

    c = eta_s eta L tau; w, d and ``root`` as for absent clients, and j = availability_max - q.
    """
    length = 80 * eta_s * eta * L * tau * beta / (availability * times)
    coordinates = (
        coordinate("z", length * (1 + root) / (1 - root), 0, 1, positive=True),
        coordinate("v", least / eta_s, 0, 1, positive=True),
        coordinate("n", tau - 1),
        coordinate("w", root / (1 - root)),
        coordinate("d", 1 / availability - 1),
        coordinate("j", availability_max - availability),
    )
    local = times * _z * _v / (80 * least * beta * (1 + _d) * (1 + 2 * _w) * L)
    values = {
        eta: local / (1 + _n), eta_s: least / _v, tau: 1 + _n, **_absent_clients(root),
        availability_max: 1 / (1 + _d) + _j,
    }  # fmt: skip
    return CoordinateChart(coordinates, values)


def momentum_chart(local: Any, server: Any, length: Expr) -> CoordinateChart:
    """Return the partial chart with c = eta_s eta L tau/b times ``length``, b = 1 - beta_s in (0, 1]."""
    chart, c = partial_chart(local, server), eta_s * eta * L * tau * length / (1 - beta_s)
    old, factor = chart.coordinates[1], length.subs(beta_s, 1 - _b)
    coordinates = (chart.coordinates[0], replace(old, definition=c), *chart.coordinates[2:])
    coordinates += (coordinate("b", 1 - beta_s, 0, 1, positive=True),)
    return CoordinateChart(coordinates, {**chart.values, eta_s: _c * _b / (_A * factor), beta_s: 1 - _b})


def local_momentum_charts(local: Any, length: Expr, limit: Any) -> tuple[CoordinateChart, CoordinateChart]:
    """Return charts for tau = 1 and tau >= 2 where A = eta L tau <= local, c = s L ``length``/fresh <= 1.

    s = eta_s eta tau. The second chart has T by z = eta L (tau - 1) s L fresh T <= limit.
    """
    s = eta_s * eta * L * tau
    z = coordinate("z", eta * L * (tau - 1) * s * fresh * T, 0, limit, positive=True)
    moved = _c * _f / length.subs(fresh, _f)
    chart = CoordinateChart(
        (
            coordinate("A", eta * L * tau, 0, local, positive=True),
            coordinate("c", s * length / fresh, 0, 1, positive=True),
            coordinate("n", tau - 1),
            coordinate("f", fresh, 0, 1, positive=True),
        ),
        {eta: _A / (L * (1 + _n)), eta_s: moved / _A, tau: 1 + _n, fresh: _f},
    )
    one, more = one_step_or_more(chart)
    rounds = _z * (2 + _n) / (_A * (1 + _n) * moved * _f)
    return one, replace(more, coordinates=(*more.coordinates, z), values={**more.values, T: rounds})
