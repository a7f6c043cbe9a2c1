"""Exact expectations of rounds of algorithms that store an update of every client, on quadratics.

The state is the server's model x, and of every client the stored update y_i and the model r_i of its last
participation. A round is affine in it, and every participant changes it by a summand of its own: second
moments after the round need the probabilities that one client, and that two clients, participate.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.proofs.expectation_values import Array, RunContext
from boundkit.proofs.rounds import CORRECTED
from boundkit.simulation.participation import WithoutReplacement
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run

_MOST_NUMBERS = 10**8
"""Most numbers in the moments of all rounds."""


def size_of_state(run: Run) -> int:
    """Return N, the length of the state. Raises BoundkitError for a run whose moments are not computed."""
    problem, called = run.problem, run.algorithm.name
    if not isinstance(problem, Quadratic):
        raise BoundkitError(
            f"{called} stores updates: their expectations have a formula on quadratic problems only, not on "
            f"{problem.kind}."
        )
    size = problem.d * (1 + 2 * problem.m) + 1
    numbers = (run.rounds + 1) * size**2
    if numbers > _MOST_NUMBERS:
        raise BoundkitError(
            f"a ledger of {called} with {problem.m} clients, d = {problem.d} and {run.rounds} rounds holds "
            f"{numbers:.2g} moments, above {_MOST_NUMBERS:.0e}; take fewer clients, coordinates or rounds."
        )
    return size


class StoredUpdateRounds:
    """Exact expectations of products of vectors, and of scalars, in every round of a quadratic run.

    A map (d, N) takes the state (x, y_1, ..., y_m, r_1, ..., r_m, 1) to a vector, and a form (N, N) the
    state's second moments to the expectation of a square. Vectors of the clients are (m, d, N). Raises
    BoundkitError as ``size_of_state`` does.
    """

    def __init__(self, context: RunContext) -> None:
        problem, run = context.descended, context.run
        self.size = size_of_state(run)
        assert isinstance(problem, Quadratic)
        self.context, self.problem, self.m, self.d = context, problem, problem.m, problem.d
        m, d = problem.m, problem.d
        unit = np.eye(self.size)
        self.x, one = unit[:d], unit[-1]
        self.y, self.last = unit[d:-1].reshape(2, m, d, self.size)
        basis = np.broadcast_to(np.eye(d), (m, d, d)) if problem.basis is None else problem.basis
        self.H = (basis * problem.spectrum[:, None, :]) @ np.swapaxes(basis, 1, 2)
        self.offset = np.einsum("ijk,ik,n->ijn", self.H, problem.e, one)
        g, x, y = self.H @ self.x - self.offset, self.x, self.y
        away = x - np.outer(problem.centre, one)
        directions, noise, displacement, of_noise = self._local_steps()
        self.vectors = {
            "g": g,
            "e": g - directions,
            "y": y,
            "z": x - self.last,
            "q": self.H @ self.last - self.offset - y,
            "o": np.einsum("ijk,ik,n->ijn", self.H, problem.centre - problem.e, one),
            "X": np.broadcast_to(away, y.shape),
            "P": np.broadcast_to(g.mean(0), y.shape),
        }
        step, walked, random = self._round(directions, noise)
        moments = self._moments(*step)
        self.now, later = moments[:-1], moments[1:]

        gap = _values(moments, _form(away, self.H.mean(0) @ away)) / 2
        distance = _values(moments, _form(away))
        one_each, q = np.ones(run.rounds), self.vectors["q"]
        self.scalars = {
            "direction": (_values(self.now, walked) + random) / context.length**2,
            "client_variance": np.trace(noise, axis1=1, axis2=2).mean() * one_each,
            "displacement": _values(self.now, displacement) + of_noise,
            "decrease": gap[:-1] - gap[1:],
            "loss_gap": gap[:-1],
            "next_loss_gap": gap[1:],
            "square_distance": distance[:-1],
            "next_square_distance": distance[1:],
            "next_age": _values(later, _form(self.vectors["z"])) / m,
            "next_own_error": _values(later, _form(q)) / m,
            "next_mean_own_error": _values(later, _form(q.mean(0))),
            "next_correction_error": _values(later, _form(q - q.mean(0))) / m,
            "next_stored_error": _values(later, _form(g - y)) / m,
            "next_error_at_optimum": _values(later, _form(y - self.vectors["o"])) / m,
        }

    def inner(self, first: str, second: str, mean: bool) -> Array:
        """E <u, v> of the means over clients, or E mean_i <u_i, v_i>, (T,)."""
        u, v = self.vectors[first], self.vectors[second]
        return _values(self.now, _form(u.mean(0), v.mean(0)) if mean else _form(u, v) / self.m)

    def _local_steps(self) -> tuple[Array, Array, Array, float]:
        """Return the means of the directions, (m, d, N), the covariances of their noise, (m, d, d), and the
        mean squared displacement as a form and what noise adds to it."""
        run, m, d, y = self.context.run, self.m, self.d, self.y
        tau, eta = int(run.steps(0).max()), run.eta
        correction = y.mean(0) - y if run.algorithm.name in CORRECTED else 0 * y
        model, covariance = np.broadcast_to(self.x, y.shape).copy(), np.zeros((m, d, d))
        total, moved, spread = np.zeros_like(model), np.zeros((self.size, self.size)), 0.0
        contraction = np.eye(d) - eta * self.H
        for _ in range(tau):
            moved += _form(model - self.x) / (m * tau)
            spread += float(np.trace(covariance, axis1=1, axis2=2).sum()) / (m * tau)
            gradient = self.H @ model - self.offset
            total += gradient / tau
            model = model - eta * (gradient + correction)
            covariance = contraction @ covariance @ contraction
            covariance = covariance + (eta * self.problem.deviation) ** 2 * np.eye(d)
        return total, covariance / (eta * tau) ** 2, moved, spread

    def _round(self, directions: Array, noise: Array) -> tuple[tuple[Array, Array, Array], Array, float]:
        """Return the state after a round without participants, (N, N), what each participant adds to x, y_i
        and r_i, (m, 3 d, N), with its covariance, (m, 3 d, 3 d), and E ||x+ - x||^2 as a form and a noise."""
        m, d, unit = self.m, self.d, np.eye(self.d)
        share, pair = self._probabilities()
        own = -self.context.length / (share * m)
        new = directions - self.y
        changes = np.concatenate([own * new, new, self.x - self.last], axis=1)
        drawn = np.concatenate([own * unit, unit, 0 * unit])
        covariances = drawn @ noise @ drawn.T
        after = np.eye(self.size)
        after[:d] -= self.context.length * self.y.mean(0)
        step, each = after[:d] - self.x, changes[:, :d]
        whole = each.sum(0)
        mixed = share * _form(step, whole)
        walked = _form(step) + mixed + mixed.T + pair * _form(whole) + (share - pair) * _form(each)
        random = share * float(np.trace(covariances[:, :d, :d], axis1=1, axis2=2).sum())
        return (after, changes, covariances), walked, random

    def _probabilities(self) -> tuple[float, float]:
        """Return the probabilities that one client, and that two given clients participate."""
        participation, m = self.context.run.participation, self.m
        count = participation.count if isinstance(participation, WithoutReplacement) else m
        return count / m, count * (count - 1) / (m * (m - 1)) if m > 1 else 1.0

    def _start(self) -> Array:
        """Return the second moments of the state at the start, (N, N)."""
        run, m, d = self.context.run, self.m, self.d
        y, given = np.zeros((m, d)), run.algorithm.settings.get("initial_controls") == "gradient"
        if given:
            y = self.H @ run.x0 - self.offset[:, :, -1]
        state = np.concatenate([run.x0, y.ravel(), np.tile(run.x0, m), [1.0]])
        result = np.outer(state, state)
        if given:
            rows = np.arange(d, d * (1 + m))
            result[rows, rows] += self.problem.deviation**2
        return result

    def _moments(self, after: Array, changes: Array, covariances: Array) -> Array:
        """Return the second moments of the state in all rounds, (T + 1, N, N), of a round as in _round."""
        m, d, (share, pair) = self.m, self.d, self._probabilities()
        client = np.arange(m * d).reshape(m, d)
        rows = np.concatenate([np.tile(np.arange(d), (m, 1)), d + client, d * (1 + m) + client], axis=1)
        whole = np.zeros((self.size, self.size))
        np.add.at(whole, rows, changes)
        result = np.empty((self.context.run.rounds + 1, self.size, self.size))
        result[0] = self._start()
        for t, now in enumerate(result[:-1]):
            mixed = share * after @ now @ whole.T
            moved = after @ now @ after.T + mixed + mixed.T + pair * whole @ now @ whole.T
            own = (share - pair) * changes @ now @ np.swapaxes(changes, 1, 2) + share * covariances
            np.add.at(moved, (rows[:, :, None], rows[:, None, :]), own)
            result[t + 1] = (moved + moved.T) / 2
        return result


def _form(first: Array, second: Array | None = None) -> Array:
    """Return the form of <u, v> in the second moments, summed over clients where they have them."""
    second = first if second is None else second
    rows = first.shape[-1]
    return np.asarray(first.reshape(-1, rows).T @ second.reshape(-1, rows))


def _values(moments: Array, form: Array) -> Array:
    """Return the expectations of a form in every round, (T,)."""
    return np.asarray(moments.reshape(len(moments), -1) @ form.ravel())
