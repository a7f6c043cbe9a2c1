"""Algorithm interface: pure functions over state, on arrays (replicas, clients, parameters).

In a round every participating client starts from the server's model, takes its local steps, and sends an
update; the server aggregates the updates and takes a step. The same functions run step by step on any
problem, and are probed by the engines that need the affine map of a round, so that no map is derived by
hand. By default clients take SGD steps, y <- y - eta g from y = x, tau_i times; the server receives x - y_i
and steps along their mean with weights p_i, renormalised over the participating clients.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.algorithms.round import (
    ClientOracle,
    Received,
    Round,
    ServerOracle,
    WeightInputs,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like, device

State = dict[str, AnyArray]
Local = dict[str, AnyArray]
Message = dict[str, AnyArray]


class Algorithm:
    """Base class: options are data; functions map a state to a new state.

    ``options`` maps each option to its default (the paper's). Raises BoundkitError for others.

    An array of a local state with the shape (R, n, d) is a vector of each client; scalars of clients are
    (R, n, 1) or (R, n). In the server's state ``x`` is the model, (R, d); client state is (R, m, d);
    arrays named in ``counters`` count rounds or hold decisions: they never depend on the iterates.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    options: ClassVar[dict[str, Any]]
    rotation_equivariant: ClassVar[bool] = True
    """Whether a local step commutes with rotations; a coordinate-wise rule does not."""
    counters: ClassVar[frozenset[str]] = frozenset()
    """Arrays of the state that never depend on the iterates."""
    free_options: ClassVar[frozenset[str]] = frozenset()
    """Options that stay free in the analysis of the algorithm, or have no influence on it."""
    virtual: ClassVar[bool] = False
    """Whether the mean of the local models is observed at every local step."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        given = dict(options or {})
        for name in given:
            if name not in self.options:
                raise unknown(f"option of {self.name}", name, self.options)
        self.settings: dict[str, Any] = {**self.options, **given}
        self.check_options()

    def check_options(self) -> None:
        """Refuse invalid option values."""

    def check_run(self, local_steps: Clients, clients: int) -> None:
        """Refuse a run that the algorithm does not support; ``local_steps`` is (cycle, m)."""

    def most_steps(self, local_steps: Clients) -> Clients:
        """The most local steps of each client and round, (cycle, m), given those of the run."""
        return local_steps

    @property
    def affine(self) -> bool:
        """Whether every round is affine in the state everywhere; a probe can only test this locally."""
        return True

    @property
    def random(self) -> bool:
        """Whether the algorithm draws random numbers of its own, from ``Round.draws``."""
        return False

    @property
    def noiseless(self) -> Algorithm:
        """The algorithm without random numbers of its own."""
        return self

    @property
    def linear_steps(self) -> bool:
        """Whether ``local_step`` is that of this class, which an engine may take in a way of its own."""
        return type(self).local_step is Algorithm.local_step

    @property
    def step_coefficients(self) -> tuple[float, float]:
        """rho and mu of ``local_step``."""
        return 0.0, 0.0

    @property
    def plain_steps(self) -> bool:
        """Whether rho = mu = 0: y <- y - eta g, with a correction if the local state has one (SCAFFOLD)."""
        return self.linear_steps and not any(self.step_coefficients)

    @property
    def stateless(self) -> bool:
        """Whether the state is (R, d) arrays only, so that a round is a sum over participating clients."""
        return True

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        """The server's state before round 0, from models (R, d). The model is ``state["x"]``."""
        return {"x": x0}

    def plan(self, state: State, t: int, steps: Clients, oracle: ServerOracle) -> tuple[State, Clients]:
        """The local steps of round t, (m,) or (R, m), at most the run's; the state may record them.

        Called before every round, empty rounds included. The oracle's gradients have no noise here.
        """
        return state, steps

    @property
    def adds_clients(self) -> bool:
        """Whether the server may let clients participate that were not sampled."""
        return False

    def participation_counts(self, state: State, sampled: Clients) -> Clients:
        """Participation counts, (R, m), given the sampled counts."""
        return sampled

    def rates(self, rates: Array) -> Array:
        """The step sizes of a round's local steps, given those of the run."""
        return rates

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        """Each client's state before its first step; the iterate is ``local["y"]``, (R, n, d)."""
        return {"y": received_model(state, round)}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        """One local step, with the stochastic gradient g at ``local["y"]``.

        v <- rho v + g + correction, y <- y - eta (v + mu (y - x)), total <- total + g: of the vectors
        ``v``, ``correction``, ``x`` and ``total`` only those that the local state has.
        """
        (momentum, mu), after, v = self.step_coefficients, dict(local), gradient
        if "total" in local:
            after["total"] = local["total"] + gradient
        if "correction" in local:
            v = v + local["correction"]
        if "v" in local:
            after["v"] = v = momentum * local["v"] + v
        if mu:
            v = v + mu * (local["y"] - local["x"])
        after["y"] = local["y"] - eta * v
        return after

    def message(self, state: State, local: Local, round: Round) -> Message:
        """A client's message after its last step: the ``update`` x - y, (R, n, d), and further arrays."""
        return {"update": state["x"][:, None, :] - local["y"]}

    def transmitted(self, sent: Message, round: Round) -> Message:
        """The messages as they reach the server, after a random compression for example.

        Given the messages, their expectation is what was sent, independently between clients.
        """
        return sent

    def transmission_variance(self, d: int) -> tuple[float, float]:
        """a and b such that an update u of d coordinates reaches the server with covariance
        a diag(u_1^2, ..., u_d^2) + b u u', for algorithms whose rounds are affine.
        """
        return 0.0, 0.0

    def weights(self, inputs: WeightInputs) -> Array:
        """The server's weights of the participating clients, (..., n): 0 where a count is 0."""
        return inputs.normalised(inputs.p)

    def weight_dependence(self, equal: bool) -> str:
        """The dependence of a client's weight: "client", "count" (the client and the number of
        participants), "ratio" (c_i v_i over the sum over participants, times a number), or "all".

        ``equal``: whether all p_i and all local steps are the same.
        """
        return "count" if equal else "ratio"

    def server_step(self, state: State, received: Received) -> State:
        """The state after a round with at least one participating client."""
        return {**state, "x": averaged(state, received)}

    def empty_round(self, state: State, round: Round) -> State:
        """The state after a round without participating clients."""
        return state

    def models(self, state: State) -> dict[str, AnyArray]:
        """Further points (R, d) at which the problem is observed, by the prefix of the observables."""
        return {}

    def diagnostics(self, state: State) -> dict[str, AnyArray]:
        """Numbers, (R,), recorded with the round that led to the state."""
        return {}

    def waiting(self, state: State) -> AnyArray | None:
        """Replicas, (R,), whose run has not begun: their rounds are not recorded."""
        return None

    def limit_of_counters(self, state: State, inclusion: Array) -> State:
        """The state with the limit values of counters that converge without repeating exactly.

        ``inclusion``: the inclusion probability of each client in each round of a period, (period, m).
        """
        return state

    def given_options(self) -> dict[str, Any]:
        """Options whose values differ from the paper's."""
        return {
            k: self.settings[k] for k, v in self.options.items() if not np.array_equal(self.settings[k], v)
        }

    def changed_options(self) -> list[str]:
        """Those of ``given_options`` that are not ``free_options``, as text."""
        return [f"{k} = {v!r}" for k, v in self.given_options().items() if k not in self.free_options]


class EqualWeights(Algorithm):
    """Base class of algorithms whose server weighs all participating clients equally."""

    def weights(self, inputs: WeightInputs) -> Array:
        return inputs.normalised(np.ones_like(inputs.p))

    def weight_dependence(self, equal: bool) -> str:
        return "count"


def received_model(state: State, round: Round) -> AnyArray:
    """The server's model as each client of the round receives it, (R, n, d), without a copy."""
    return copies(state["x"], round.clients.shape[-1])


def copies(x: AnyArray, clients: int) -> AnyArray:
    """The models x, (R, d), once for each of n clients: (R, n, d), without a copy in memory."""
    return array_namespace(x).broadcast_to(x[:, None, :], (x.shape[0], clients, x.shape[1]))


def averaged(state: State, received: Received) -> AnyArray:
    """x - eta_s sum_S w_i (x - y_i)."""
    return state["x"] - received.round.eta_s * received.aggregate


def server_control(controls: AnyArray, p: Array) -> AnyArray:
    """sum_i p_i c_i over all clients: (R, m, d) to (R, d)."""
    return as_like(p, controls) @ controls


def zero_client_state(x0: AnyArray, clients: int) -> AnyArray:
    """Zeros as initial client state, (R, m, d)."""
    return zeros(x0, clients, x0.shape[1])


def zeros(x0: AnyArray, *shape: int) -> AnyArray:
    """Zeros of shape (R, *shape), of the type and on the device of the models x0, (R, d)."""
    return array_namespace(x0).zeros((x0.shape[0], *shape), dtype=x0.dtype, device=device(x0))


def number_option(algorithm: Algorithm, name: str, lower: float, upper: float, closed: bool = False) -> None:
    """Refuse an option that is not a number in [lower, upper), or in [lower, upper] where closed."""
    value = algorithm.settings[name]
    ok = isinstance(value, (int, float)) and not isinstance(value, bool) and lower <= value
    if not (ok and (value <= upper if closed else value < upper)):
        ends = "" if closed else ", not including,"
        raise BoundkitError(
            f"the option {name} of {algorithm.name} must be a number from {lower:g} up to{ends} "
            f"{upper:g}, but it is {reprlib.repr(value)}."
        )


def count_option(algorithm: Algorithm, name: str, nullable: bool = False, least: int = 1) -> None:
    """Refuse an option that is not a whole number, at least ``least``, or null where ``nullable``."""
    value = algorithm.settings[name]
    if nullable and value is None:
        return
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise BoundkitError(
            f"the option {name} of {algorithm.name} must be a whole number, at least {least}, "
            f"{'or null, ' if nullable else ''}but it is {reprlib.repr(value)}."
        )


def list_option(algorithm: Algorithm, name: str, clients: int, most: float, numbers: str) -> None:
    """Refuse an option that is neither null nor one number above 0 and at most ``most`` a client."""
    given = algorithm.settings[name]
    valid = isinstance(given, (list, tuple)) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) and 0 < v <= most for v in given
    )
    if given is not None and not (valid and len(given) == clients):
        raise BoundkitError(
            f"the option {name} of {algorithm.name} must be {clients} numbers {numbers}, one a client."
        )


def choice_option(algorithm: Algorithm, name: str, choices: Mapping[str, Any] | tuple[str, ...]) -> None:
    """Refuse an option that is not one of these names."""
    value = algorithm.settings[name]
    if not isinstance(value, str) or value not in choices:
        raise unknown(name, str(value), choices)


def truth_option(algorithm: Algorithm, name: str) -> None:
    """Refuse an option that is neither true nor false."""
    value = algorithm.settings[name]
    if not isinstance(value, bool):
        raise BoundkitError(
            f"the option {name} of {algorithm.name} must be true or false, but it is {reprlib.repr(value)}."
        )


__all__ = [
    "Algorithm",
    "ClientOracle",
    "EqualWeights",
    "Local",
    "Message",
    "Received",
    "Round",
    "ServerOracle",
    "State",
    "WeightInputs",
    "averaged",
    "choice_option",
    "copies",
    "count_option",
    "list_option",
    "number_option",
    "received_model",
    "server_control",
    "truth_option",
    "zero_client_state",
    "zeros",
]
