"""Client participation, the local work of a round, and the step of the server."""

from boundkit.algebra.notation import (
    C,
    a1_i,
    a2_i,
    alast_i,
    availability,
    eta_s,
    eta_s_mean,
    groups,
    omega_i,
    q_i,
    rho_bar,
    rho_tilde,
    staleness,
    tau,
)
from boundkit.algebra.sums import ClientMax
from boundkit.algebra.vocabulary import (
    ADAPTIVE_SERVER_STEP,
    AVERAGE_OVER_ALL,
    AVERAGE_OVER_PRESENT,
    BERNOULLI_AVAILABILITY,
    BIASED_SELECTION,
    BOUNDED_ABSENCE,
    BOUNDED_STALENESS,
    CHANGING_AVAILABILITY,
    COMMON_STEPS,
    CYCLIC_GROUPS,
    DECAYING_STEP,
    DETERMINISTIC_SELECTION,
    EQUAL_WEIGHTS,
    FIXED_WEIGHTS,
    FULL_PARTICIPATION,
    GENERAL_SOLVER,
    INEXACT_PROXIMAL,
    INTERVAL_WEIGHTS,
    KNOWN_AVAILABILITY,
    LOCAL_GRADIENT_CONTROLS,
    ONE_LOCAL_STEP,
    PARTIAL_PARTICIPATION,
    REPLACEMENT,
    SAMPLING_ERROR,
    SERVER_STEP_AT_LEAST_ONE,
    SERVER_STEP_ONE,
    UNBIASED_SAMPLING,
    WHOLE_GROUPS,
)
from boundkit.analysis.assumptions.relation import Implication, Refutation, Subject

_WITHOUT = "without replacement, participation of one client makes that of another less likely"

PARTICIPATION = Subject(
    "participation",
    suppositions=(
        BERNOULLI_AVAILABILITY, KNOWN_AVAILABILITY, CHANGING_AVAILABILITY, BOUNDED_ABSENCE, BOUNDED_STALENESS,
        UNBIASED_SAMPLING, SAMPLING_ERROR,
    ),
    choices=(
        FULL_PARTICIPATION, PARTIAL_PARTICIPATION, REPLACEMENT, CYCLIC_GROUPS, WHOLE_GROUPS, BIASED_SELECTION,
        DETERMINISTIC_SELECTION, AVERAGE_OVER_ALL, AVERAGE_OVER_PRESENT, FIXED_WEIGHTS, INTERVAL_WEIGHTS,
    ),
    exclusive=(
        FULL_PARTICIPATION, PARTIAL_PARTICIPATION, REPLACEMENT, CYCLIC_GROUPS, BIASED_SELECTION,
        BERNOULLI_AVAILABILITY, KNOWN_AVAILABILITY, CHANGING_AVAILABILITY, BOUNDED_ABSENCE,
    ),
    implications=(
        Implication((FULL_PARTICIPATION,), PARTIAL_PARTICIPATION, "all m clients are sampled", {C: 1}),
        Implication((PARTIAL_PARTICIPATION,), CYCLIC_GROUPS, "a single, always active group", {groups: 1}),
        Implication((FULL_PARTICIPATION,), WHOLE_GROUPS, "a single, participating group", {groups: 1, C: 1}),
        Implication((FULL_PARTICIPATION,), KNOWN_AVAILABILITY, "every probability is 1", {availability: 1}),
        Implication((FULL_PARTICIPATION,), BERNOULLI_AVAILABILITY, "every probability is 1", {q_i: 1}),
        Implication(
            (BERNOULLI_AVAILABILITY,),
            CHANGING_AVAILABILITY,
            "the probabilities are constant; the smallest bounds all",
            {availability: 1 - ClientMax(1 - q_i)},
        ),
        Implication(
            (KNOWN_AVAILABILITY,),
            CHANGING_AVAILABILITY,
            "it drops that the server knows the probabilities",
            {availability: availability},
        ),
        Implication((FULL_PARTICIPATION,), BOUNDED_ABSENCE, "no client is ever unavailable", {staleness: 0}),
        Implication((FULL_PARTICIPATION,), DETERMINISTIC_SELECTION, "the choice is always the same"),
        Implication((AVERAGE_OVER_ALL,), FIXED_WEIGHTS, "every client's weight is 1", {omega_i: 1}),
        Implication((ONE_LOCAL_STEP,), DETERMINISTIC_SELECTION, "it is its second half"),
        Implication(
            (REPLACEMENT,),
            BIASED_SELECTION,
            "sampled by p_i, the clients of a round have the mean loss of all in expectation",
            {rho_bar: 1, rho_tilde: 1},
        ),
        Implication(
            (PARTIAL_PARTICIPATION, EQUAL_WEIGHTS),
            BIASED_SELECTION,
            "sampled uniformly, the clients of a round have the mean loss of all for equal weights",
            {rho_bar: 1, rho_tilde: 1},
        ),
    ),
    refutations=(
        Refutation(
            (FULL_PARTICIPATION,),
            REPLACEMENT,
            "m draws with replacement from m clients",
            "a client is not drawn with probability (1 - 1/m)^m, about 1/e",
        ),
        Refutation((PARTIAL_PARTICIPATION,), CHANGING_AVAILABILITY, "1 of 2 clients", _WITHOUT),
        Refutation((PARTIAL_PARTICIPATION,), BERNOULLI_AVAILABILITY, "1 of 2 clients", _WITHOUT),
        Refutation(
            (REPLACEMENT,),
            PARTIAL_PARTICIPATION,
            "2 draws from 2 clients",
            "the same client is drawn twice with probability 1/2",
        ),
        Refutation(
            (PARTIAL_PARTICIPATION,),
            REPLACEMENT,
            "1 of 2 clients with weights 3/4 and 1/4",
            "each is sampled with probability 1/2, not with its weight: the unweighted mean is biased",
        ),
        Refutation(
            (BERNOULLI_AVAILABILITY,),
            BOUNDED_ABSENCE,
            "one client that is available with probability 1/2",
            "it is unavailable for more than k rounds with probability 1/2^(k + 1), for every k",
        ),
        Refutation(
            (PARTIAL_PARTICIPATION,),
            BOUNDED_ABSENCE,
            "1 of 2 clients",
            "a client is not sampled in k consecutive rounds with probability 1/2^k, for every k",
        ),
        Refutation(
            (BOUNDED_ABSENCE,),
            CHANGING_AVAILABILITY,
            "client 1 in even rounds, client 2 in odd ones, both in the first",
            "absences are short, but the availability is 0 in every second round",
        ),
        Refutation(
            (CHANGING_AVAILABILITY,),
            BERNOULLI_AVAILABILITY,
            "probability 1 in even rounds, 1/2 in odd ones",
            "never below 1/2, and not constant",
        ),
        Refutation(
            (CYCLIC_GROUPS,),
            PARTIAL_PARTICIPATION,
            "two groups of one client",
            "the client is determined by the round: within a cycle not all clients can be sampled",
        ),
    ),
)  # fmt: skip


LOCAL_WORK = Subject(
    "work",
    choices=(
        ONE_LOCAL_STEP,
        COMMON_STEPS,
        GENERAL_SOLVER,
        INEXACT_PROXIMAL,
        LOCAL_GRADIENT_CONTROLS,
        SERVER_STEP_ONE,
        ADAPTIVE_SERVER_STEP,
        SERVER_STEP_AT_LEAST_ONE,
        DECAYING_STEP,
    ),
    implications=(
        Implication((ONE_LOCAL_STEP,), COMMON_STEPS, "one step each is the same number", {tau: 1}),
        Implication(
            (COMMON_STEPS,),
            GENERAL_SOLVER,
            "tau plain steps are a sum with the weights 1, ..., 1",
            {a1_i: tau, a2_i: tau, alast_i: 1},
        ),
        Implication(
            (SERVER_STEP_ONE,),
            ADAPTIVE_SERVER_STEP,
            "the square of a mean is at most the mean of the squares",
            {eta_s_mean: 1},
        ),
        Implication((ADAPTIVE_SERVER_STEP,), SERVER_STEP_AT_LEAST_ONE, "it is its first half"),
        Implication((SERVER_STEP_ONE,), SERVER_STEP_AT_LEAST_ONE, "1 is at least 1", {eta_s: 1}),
    ),
    refutations=(
        Refutation(
            (SERVER_STEP_AT_LEAST_ONE,),
            ADAPTIVE_SERVER_STEP,
            "eta_s = 2 and homogeneous clients",
            "with equal updates no value above 1 is admissible: 2 ||u||^2 > ||u||^2",
        ),
        Refutation(
            (GENERAL_SOLVER,),
            COMMON_STEPS,
            "two plain steps for client 1, five for client 2",
            "the number of steps may differ between clients",
        ),
    ),
)
