"""Availability and the clock: the parts of the chapter on communication that nobody chooses."""

from boundkit.lecture.chapters import communication_availability as text
from boundkit.lecture.parts import Explorer, Live, Part, Picture, Slider, Statement

AVAILABILITY: tuple[Part, ...] = (
    text.AVAILABILITY,
    Live(
        "intermittent",
        "Clients at 0 and 100, the second there every other round. FedAvg goes to 25.",
    ),
    Statement("fedavg_active_bias", "Not a rate: the place at which FedAvg settles, by $\\chi^2$."),
    text.CURES,
    Statement("fedau_cutoff_bias", "FedAU's own bias, if long intervals are cut off."),
    Statement("mifa_nonconvex", "One term. Look at the condition."),
    Statement("fedawe_nonconvex_corrected", "The repaired statement, for the mean of all models."),
    Picture(
        "availability",
        lead="Where each method ends, when chances to come differ and change.",
        alt="Distance to the optimum for FedAvg, FedAU, MIFA and FedAWE under several dynamics.",
    ),
    text.REVIEW,
)

CLOCK: tuple[Part, ...] = (
    text.CLOCK,
    Statement("local_sgd_nonconvex_clock", "Alike data. The bound after so many seconds, not rounds."),
    Explorer(
        "local_sgd_nonconvex_clock",
        title="How rarely should clients talk?",
        sliders=(
            Slider("tau", 1, 100),
            Slider("delay", 0.1, 1000),
            Slider("wall", 1000, 1_000_000),
            Slider("eta", 1e-3, 0.01),
            Slider("sigma", 0.1, 10),
        ),
        along="tau",
        values={"tau": 5, "delay": 10, "wall": 20_000, "eta": 0.01, "sigma": 1, "step_time": 1, "m": 10},
        ask="Find the best $\\tau$. Multiply the time by 100: does it move as the formula says?",
    ),
    Statement("adacomm_nonconvex", "Two means of $\\tau$: one for the start, one for the drift."),
    Statement("overlap_sgd_nonconvex_clock", "The order only: constants are open."),
    Statement("async_sgd_nonconvex", "$T$ counts updates by single clients."),
)
