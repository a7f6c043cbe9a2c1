"""Local SGD on homogeneous clients where the number of local steps changes from round to round.

The terms are those of local_sgd_nonconvex, with two different means of $tau$. The initial gap falls with the
number of local steps, so it depends on the mean number of steps a round. The drift accumulates in every local
step, and a long round holds many steps: it depends on the length of the round that a local step falls in,
$sum tau^2/sum tau$, which is larger. A schedule that begins with long rounds and ends with short ones, as
AdaComm's does, reduces the initial gap early, but this bound for one step size is the same for the reversed
schedule.
"""

from boundkit.algebra.authoring import *

_STEPS = ClientMax(tau_i)  # all clients take the same number in a round

THEOREM = upper(
    "adacomm_nonconvex",
    title="AdaComm: local SGD with a varying communication period",
    algorithm="adacomm",
    bounds=VIRTUAL_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, HOMOGENEOUS_CLIENTS, FULL_PARTICIPATION, SERVER_STEP_ONE),
    requires=(at_least(tau_felt, tau_mean), at_least(tau_max, tau_felt)),
    steps=(at_most(eta, 1 / (L * tau_max)),),
    terms=(
        derived(
            "initial gap",
            2 * gap / (eta * tau_mean * T),
            "eta/2 of the squared gradient a local step is covered by the decrease of the loss, in tau_mean "
            "T of them",
        ),
        derived(
            "stochastic noise",
            eta * L * sigma**2 / m,
            "eta^2 L sigma^2/(2m) a local step, independent across clients, times 2/eta",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau_felt - 1) * sigma**2,
            "tau_r - 1 as for local SGD in each round, weighted by its tau_r steps",
        ),
    ),
    definitions={
        tau_mean: RoundMean(_STEPS),
        tau_felt: RoundMean(_STEPS**2) / tau_mean,
        tau_max: RoundMax(_STEPS),
    },
    becomes=(
        to(
            "local_sgd_nonconvex",
            {tau_mean: tau, tau_felt: tau, tau_max: tau},
            because="all rounds have the same length",
        ),
        not_to(
            "local_sgd_nonconvex",
            {tau_mean: tau},
            because="long rounds hold more of the steps, so the drift exceeds that of the mean length",
        ),
    ),
    remarks=(
        "The mean runs over all local steps, of which there are tau_mean T.",
        "With a step eta_r of its own in each round the same proof gives, for the mean weighted by eta_r, 2 "
        "gap/S_1 + L sigma^2 S_2/(m S_1) + L^2 sigma^2 S_3/S_1, with S_1 = sum eta_r tau_r, S_2 = sum "
        "eta_r^2 tau_r and S_3 = sum eta_r^3 tau_r (tau_r - 1). So the mean goes to 0 where sum eta_r tau_r "
        "diverges while sum eta_r^2 tau_r and sum eta_r^3 tau_r^2 converge, as the source says; at one step "
        "size an error floor stays.",
        "T rounds take T (tau_mean step_time + delay) of wall-clock time.",
        "Schedules are fixed beforehand here. The same sums, in expectation and over a fixed number of local "
        "steps, hold where tau_r is chosen when the round starts, as AdaComm chooses it from the loss.",
    ),
    source=WANG_2018_ADACOMM.at(
        "Theorem on variable communication periods",
        note="The source states when the mean goes to 0; recalled. The explicit bound is proved here.",
        letters={"R": T, "tau_r": tau_mean},
    ),
    prose=__doc__,
)
