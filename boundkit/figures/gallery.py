"""The figures by name, for ``boundkit figure NAME``: one line a figure, and a maker of that name.

The maker is in ``boundkit.cli.gallery.makers``: it may run a verification first, which a figure may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

RUN = ("engine", "replicas", "seed", "device", "dtype", "arrays")
"""The options of a figure that may have to run something first."""


RECORDED = ("record", "records")
"""The options of a figure that draws a record: a file, or the folder of records."""


class Entry(NamedTuple):
    """What a figure shows, and which options of the command it reads beside ``--out`` and ``--preset``.

    ``example``: the words after its name with which the whole gallery shows it; ``more``: further examples,
    by the quantity that they run along.
    """

    shows: str
    options: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    more: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def examples(self, name: str) -> dict[str, tuple[str, ...]]:
        """The words of every example, by the name of its files."""
        return {name: self.example} | {f"{name}_against_{along}": words for along, words in self.more}


_PARTIAL = "fedavg_nonconvex_partial"

GALLERY: dict[str, Entry] = {
    "assumptions": Entry("which assumption implies which, and which does not: all, or some subjects"),
    "atlas": Entry("how much of every bound, and of every term's constant, some instance needs", RECORDED),
    "availability": Entry(
        "availability that changes with time, and the errors of FedAvg, FedAU, MIFA and FedAWE under it",
        RECORDED,
    ),
    "bound_against_run": Entry(
        "a theorem's bound, by cause, and what a run measured, or you, at every horizon",
        ("run", *RECORDED, "kind", "measured", *RUN),
        ("fedavg_nonconvex_partial",),
    ),
    "client_drift": Entry(
        "two clients in the plane: where FedAvg settles with one local step and many", RECORDED
    ),
    "clipping": Entry(
        "rounds to a small gradient against the largest one: clipped minibatch SGD and EPISODE++", RECORDED
    ),
    "compare": Entry(
        "bounds of several theorems: by cause at a point, along one axis, or a map of the lowest",
        ("tuned", "eta", "eta_s"),
        ("fedvarp_nonconvex", "fedavg_nonconvex_partial", "T=10:1000000:31:log", "--tuned"),
    ),
    "cyclic": Entry(
        "groups in turn against clients drawn from all: the path, and the long run against eta", RECORDED
    ),
    "fedexp_step": Entry(
        "FedExP's server step over time beside FedAvg's 1, and the losses of both", RECORDED
    ),
    "necessary_constants": Entry(
        "the constants of a bound beside the least that lower bounds allow, term by term"
    ),
    "outer_optimisers": Entry(
        "momentum at the server: stability, noise, and the best outer step against tau, on quadratics"
    ),
    "partial_participation": Entry(
        "the floor that sampling leaves FedAvg, against C, and FedVARP's removal of it", RECORDED
    ),
    "plan": Entry("an example plan: time to a target against tau, by what limits it, and stability"),
    "power_of_choice": Entry(
        "selection by losses: speed against floor in d, with rho_bar and rho_tilde", RECORDED
    ),
    "rates": Entry(
        "every exponent that verification fits beside the predicted one, by cause and quantity", RECORDED
    ),
    "reductions": Entry("which theorem becomes which, and what is left over: all, or what is joined to one"),
    "regimes": Entry(
        "which cause dominates where, over two quantities",
        ("eta", "eta_s"),
        ("fedavg_nonconvex_partial", "tau", "C", "tau=1:1000:30:log"),
    ),
    "sensitivity": Entry(
        "what a larger quantity does to a bound: better or worse",
        ("eta", "eta_s"),
        ("fedavg_nonconvex_partial",),
    ),
    "surrogate_paths": Entry(
        "unequal local steps in the plane: four algorithms, their fixed points, and what they minimise",
        RECORDED,
    ),
    "terms": Entry(
        "predicted terms against one parameter or two",
        (),
        (_PARTIAL, "eta=0.0005", "tau=1:100:21:log", "sigma_g=0.1,1,3"),
        (
            ("tau", (_PARTIAL, "eta=0.0005", "tau=1:100:21:log")),
            ("C", (_PARTIAL, "eta=0.0005", "T=100000", "m=100", "C=0.01,0.02,0.05,0.1,0.2,0.5,1")),
            ("sigma_g", (_PARTIAL, "eta=0.0005", "T=100000", "sigma_g=0.1:10:21:log")),
            ("eta", (_PARTIAL, "eta=0.00003:0.003:21:log")),
            ("T", (_PARTIAL, "eta=0.0005", "T=100:1000000:21:log")),
        ),
    ),
    "tightness": Entry("measured over bound of every theorem's worst run, sorted, on one axis", RECORDED),
    "waterfall": Entry(
        "from measured to the bound, step by step through a proof: where a constant is lost",
        ("run", "record"),
        ("fedavg_nonconvex_partial",),
    ),
}
"""Every figure, by name."""


def check_figure(name: str) -> str:
    """The name itself.

    Raises BoundkitError for a name that is not in the gallery.
    """
    from boundkit.algebra.errors import unknown

    if name not in GALLERY:
        raise unknown("figure", name, GALLERY)
    return name


def check_options(name: str, given: Sequence[str]) -> None:
    """Raise BoundkitError where an option was given that the figure does not read."""
    from boundkit.algebra import BoundkitError

    most_first = sorted((entry.options for entry in GALLERY.values()), key=len, reverse=True)
    every = dict.fromkeys(option for options in most_first for option in options)
    unread = [option for option in every if option not in GALLERY[name].options]
    for option in given:
        if option in unread:
            raise BoundkitError(
                f"--{option} was given, but {name} takes {', '.join(f'no --{one}' for one in unread)}."
            )
