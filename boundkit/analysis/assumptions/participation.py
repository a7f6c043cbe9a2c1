"""Who comes, and when."""

from boundkit.algebra.client_sums import ClientMax
from boundkit.algebra.notation import C, availability, groups, omega_i, q_i, rho_bar, rho_tilde, staleness
from boundkit.algebra.vocabulary import (
    AVERAGE_OVER_ALL,
    AVERAGE_OVER_PRESENT,
    BERNOULLI_AVAILABILITY,
    BIASED_SELECTION,
    BOUNDED_ABSENCE,
    BOUNDED_STALENESS,
    CHANGING_AVAILABILITY,
    CYCLIC_GROUPS,
    DETERMINISTIC_SELECTION,
    EQUAL_WEIGHTS,
    FIXED_WEIGHTS,
    FULL_PARTICIPATION,
    INTERVAL_WEIGHTS,
    KNOWN_AVAILABILITY,
    ONE_LOCAL_STEP,
    PARTIAL_PARTICIPATION,
    REPLACEMENT,
    WHOLE_GROUPS,
)
from boundkit.analysis.assumptions.relation import Implication, Refutation, Subject

_WITHOUT = "drawn without replacement, one client's coming makes another's less likely"

SUBJECT = Subject(
    "participation",
    suppositions=(
        BERNOULLI_AVAILABILITY, KNOWN_AVAILABILITY, CHANGING_AVAILABILITY, BOUNDED_ABSENCE, BOUNDED_STALENESS,
    ),
    choices=(
        FULL_PARTICIPATION, PARTIAL_PARTICIPATION, REPLACEMENT, CYCLIC_GROUPS, WHOLE_GROUPS, BIASED_SELECTION,
        DETERMINISTIC_SELECTION, AVERAGE_OVER_ALL, AVERAGE_OVER_PRESENT, FIXED_WEIGHTS, INTERVAL_WEIGHTS,
    ),
    laws=(
        FULL_PARTICIPATION, PARTIAL_PARTICIPATION, REPLACEMENT, CYCLIC_GROUPS, BIASED_SELECTION,
        BERNOULLI_AVAILABILITY, KNOWN_AVAILABILITY, CHANGING_AVAILABILITY, BOUNDED_ABSENCE,
    ),
    implications=(
        Implication((FULL_PARTICIPATION,), PARTIAL_PARTICIPATION, "all of the m clients are drawn", {C: 1}),
        Implication((PARTIAL_PARTICIPATION,), CYCLIC_GROUPS, "one group, and always its turn", {groups: 1}),
        Implication((FULL_PARTICIPATION,), WHOLE_GROUPS, "one group, and all of it comes", {groups: 1, C: 1}),
        Implication((FULL_PARTICIPATION,), KNOWN_AVAILABILITY, "everyone's chance is 1", {availability: 1}),
        Implication((FULL_PARTICIPATION,), BERNOULLI_AVAILABILITY, "everyone's chance is 1", {q_i: 1}),
        Implication(
            (BERNOULLI_AVAILABILITY,),
            CHANGING_AVAILABILITY,
            "a chance that never changes; the least of them bounds all",
            {availability: 1 - ClientMax(1 - q_i)},
        ),
        Implication(
            (KNOWN_AVAILABILITY,),
            CHANGING_AVAILABILITY,
            "forget that the server knows it",
            {availability: availability},
        ),
        Implication((FULL_PARTICIPATION,), BOUNDED_ABSENCE, "nobody is ever away", {staleness: 0}),
        Implication((FULL_PARTICIPATION,), DETERMINISTIC_SELECTION, "the choice is always the same"),
        Implication((AVERAGE_OVER_ALL,), FIXED_WEIGHTS, "every client's weight is 1", {omega_i: 1}),
        Implication((ONE_LOCAL_STEP,), DETERMINISTIC_SELECTION, "it is its second half"),
        Implication(
            (REPLACEMENT,),
            BIASED_SELECTION,
            "drawn by p_i, those who come have the mean of all, at every model",
            {rho_bar: 1, rho_tilde: 1},
        ),
        Implication(
            (PARTIAL_PARTICIPATION, EQUAL_WEIGHTS),
            BIASED_SELECTION,
            "drawn uniformly, those who come have the mean of all where all weigh alike",
            {rho_bar: 1, rho_tilde: 1},
        ),
    ),
    refutations=(
        Refutation(
            (FULL_PARTICIPATION,),
            REPLACEMENT,
            "m draws with replacement from m clients",
            "a client is missed with chance (1 - 1/m)^m, about 1/e: many draws are not all clients",
        ),
        Refutation((PARTIAL_PARTICIPATION,), CHANGING_AVAILABILITY, "1 of 2 clients", _WITHOUT),
        Refutation((PARTIAL_PARTICIPATION,), BERNOULLI_AVAILABILITY, "1 of 2 clients", _WITHOUT),
        Refutation(
            (REPLACEMENT,),
            PARTIAL_PARTICIPATION,
            "2 draws from 2 clients",
            "the same client is drawn twice with chance 1/2",
        ),
        Refutation(
            (PARTIAL_PARTICIPATION,),
            REPLACEMENT,
            "1 of 2 clients with weights 3/4 and 1/4",
            "each comes with chance 1/2, not with its weight: the plain mean of who comes is another mean",
        ),
        Refutation(
            (BERNOULLI_AVAILABILITY,),
            BOUNDED_ABSENCE,
            "one client that is there with chance 1/2",
            "it is away for more than k rounds with chance 1/2^(k + 1), for every k",
        ),
        Refutation(
            (PARTIAL_PARTICIPATION,),
            BOUNDED_ABSENCE,
            "1 of 2 clients",
            "a client is left out k times running with chance 1/2^k, for every k",
        ),
        Refutation(
            (BOUNDED_ABSENCE,),
            CHANGING_AVAILABILITY,
            "client 1 in even rounds, client 2 in odd ones, both in the first",
            "nobody is away for long, but the chance to come is 0 in every second round",
        ),
        Refutation(
            (CHANGING_AVAILABILITY,),
            BERNOULLI_AVAILABILITY,
            "chance 1 in even rounds, 1/2 in odd ones",
            "never below 1/2, and not one chance",
        ),
        Refutation(
            (CYCLIC_GROUPS,),
            PARTIAL_PARTICIPATION,
            "two groups of one client",
            "who comes is known a round ahead: within a cycle the draws are not of all clients",
        ),
    ),
)  # fmt: skip
