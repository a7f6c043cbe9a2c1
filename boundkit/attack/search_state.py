"""The memory of a search: what was tried, what was refused and why, and the best leads for every aim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate_run import tried
from boundkit.attack.evidence import Evidence, Silent, evidence
from boundkit.attack.evidence_batch import Pool
from boundkit.attack.local_search import squashed
from boundkit.attack.nested_numbers import plan_of_run
from boundkit.attack.objectives import Aim
from boundkit.attack.run_cost import TooLong, refuse_long
from boundkit.attack.search_budget import Clock
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

LEADS = 6
"""How many leads are kept for an aim, of different origins."""
KEPT = 3000
"""How many pieces of evidence are kept."""
DECAY, MUCH = 0.7, 0.05
"""How much of an aim's gain a walk leaves, and the progress of a walk, by logarithm, that is a whole gain."""


@dataclass
class Lead:
    """The best descendant of one start, for one aim."""

    aim: int
    origin: int
    score: float
    horizon: float
    evidence: Evidence
    plan: Instance | None
    family: str
    walks: int = 0


@dataclass
class Hunt:
    """Asks plans, and remembers. Raises Over, from the clock, when the search is to end."""

    theorem: Theorem
    aims: Sequence[Aim]
    machine: EngineOptions
    clock: Clock
    pieces: list[Evidence] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    families: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.aims = tuple(self.aims)
        self.leads: list[list[Lead]] = [[] for _ in self.aims]
        self.gains = [1.0 for _ in self.aims]
        self._origins = count()

    def ask(self, family: str, plan: Instance) -> None:
        """Try a new start."""
        self._note(lambda: (tried(self.theorem, plan, self.machine), plan), family, next(self._origins))

    def replay(self, run: Run) -> None:
        """Look at a run that was found before."""
        self._note(lambda: (self._of(run), plan_of_run(run)), "kept", next(self._origins))

    def step(self, lead: Lead, make: Callable[[], Instance]) -> float:
        """Try a neighbour of a lead; its score for the lead's aim, -inf where it is refused."""

        def trial() -> tuple[Evidence, Instance]:
            plan = make()
            return tried(self.theorem, plan, self.machine), plan

        return self._note(trial, lead.family, lead.origin)[lead.aim]

    def lead(self, rng: np.random.Generator) -> Lead | None:
        """The lead to follow next: of the aim that has gained most lately, of its better ones at random."""
        open_aims = [k for k, leads in enumerate(self.leads) if any(lead.plan for lead in leads)]
        if not open_aims:
            return None
        weights = np.array([self.gains[k] + 0.05 + 0.3 * (k == 0) for k in open_aims])
        aim = int(rng.choice(open_aims, p=weights / weights.sum()))
        leads = [lead for lead in self.leads[aim] if lead.plan is not None]
        place = min(int(rng.geometric(0.5)) - 1, len(leads) - 1)
        leads[place].walks += 1
        return leads[place]

    def height(self, aim: int) -> float:
        """The best score for an aim so far."""
        return self.leads[aim][0].score if self.leads[aim] else -np.inf

    def learn(self, aim: int, before: float) -> None:
        """A walk for an aim is over: the aims that walks help are followed more often."""
        gained = squashed(self.height(aim)) - squashed(before)
        self.gains[aim] = DECAY * self.gains[aim] + (1 - DECAY) * min(1.0, gained / MUCH)

    def _of(self, run: Run) -> Evidence:
        refuse_long(self.theorem, run)
        with np.errstate(all="ignore"):
            return evidence(self.theorem, run, self.machine)

    def _note(self, trial: Callable[[], tuple[Evidence, Instance]], family: str, origin: int) -> list[float]:
        self.clock.tick()
        scores = [-np.inf] * len(self.aims)
        try:
            with np.errstate(all="ignore"):
                found, plan = trial()
        except (BoundkitError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.refused[_reason(error)] += 1
            return scores
        self.families[family] += 1
        if len(self.pieces) < KEPT:
            self.pieces.append(found)
        pool = Pool([found])
        for k, aim in enumerate(self.aims):
            each = aim.score(pool)
            if each.size and not np.isnan(each).all():
                place = int(np.nanargmax(each))
                scores[k] = float(each[place])
                lead = Lead(k, origin, scores[k], float(found.horizons[place]), found, plan, family)
                self._keep(lead)
        return scores

    def _keep(self, lead: Lead) -> None:
        """Among the best of its aim, one of each origin."""
        leads = self.leads[lead.aim]
        same = next((other for other in leads if other.origin == lead.origin), None)
        if same is not None:
            if lead.score <= same.score:
                return
            lead.walks = same.walks
        others = [other for other in leads if other is not same]
        # at once: an interrupt finds the old ones or the new ones
        self.leads[lead.aim] = sorted([*others, lead], key=lambda other: -other.score)[:LEADS]


def _reason(error: Exception) -> str:
    """A refusal in a few words."""
    if isinstance(error, TooLong):
        return "too long"
    said = str(error).split("; ")[0]
    return ("not of the theorem: " if isinstance(error, Silent) else "") + said[:90]
