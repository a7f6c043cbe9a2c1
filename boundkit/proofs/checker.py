"""The checker: decides whether a certificate proves its theorem, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from sympy import QQ, Dummy, Expr, Mul, Pow, S, Symbol, expand, simplify, sympify
from sympy import field as rational_functions
from sympy.polys.fields import FracElement

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.notation import L, T, control_error_star, distance, eta, gap, mu, mu_prox, offset
from boundkit.algebra.printing import SIGNS, plain
from boundkit.proofs import rounds
from boundkit.proofs.absent_clients import apart, sequence_gradient
from boundkit.proofs.adaptive_server_step import iterate_gap
from boundkit.proofs.averaged_models import deviation, next_deviation
from boundkit.proofs.certificate import Certificate, CertificateStep
from boundkit.proofs.clipped_steps import clipped_decrease, rounds_above
from boundkit.proofs.domain import ChartDomain, CoordinateChart, Inequality, Obligation, check_cases
from boundkit.proofs.exchanged_models import next_square_distances, square_distances
from boundkit.proofs.lemmas import Conclusion
from boundkit.proofs.library import LEMMAS
from boundkit.proofs.linear_form import Atom, LinearForm, data, square
from boundkit.proofs.named_letters import named, positive_parts
from boundkit.proofs.proof_check import END, START, ProofCheck, StepCheck
from boundkit.proofs.rounds import ABSENT, EXCHANGE, SOLVER, STEP, AlgorithmRound, P, kind_of, round_of
from boundkit.proofs.scalar_inequalities import Decision, Interval, prove
from boundkit.proofs.similar_solver import bregman, next_bregman
from boundkit.proofs.virtual_average import Q, virtual_loss_gap

Coefficients = dict[Atom, FracElement]


@dataclass(frozen=True)
class RoundQuantity:
    """The quantity of a round that a claim is about: it, its value a round later, and that at the start.

    ``weighted``: whether it is about a mean over the rounds with the server steps as weights. ``times``: what
    is claimed is at most this times the quantity.
    """

    now: LinearForm
    later: LinearForm | None = None
    initial: Expr | None = None
    weighted: bool = False
    times: Expr = S.One


ROUND_QUANTITIES: Mapping[str, RoundQuantity] = {
    "mean squared gradient": RoundQuantity(square(rounds.g.mean)),
    "weighted mean squared gradient": RoundQuantity(square(rounds.g.mean), weighted=True),
    "loss gap of the weighted iterate": RoundQuantity(LinearForm({iterate_gap: 1}), weighted=True),
    "mean squared gradient at the virtual average": RoundQuantity(square(Q)),
    "mean loss gap at the virtual average": RoundQuantity(LinearForm({virtual_loss_gap: 1})),
    "mean clipped decrease": RoundQuantity(LinearForm({clipped_decrease: 1})),
    "rounds to a small gradient": RoundQuantity(LinearForm({rounds_above: 1})),
    "mean loss gap": RoundQuantity(LinearForm({rounds.loss_gap: 1})),
    "last squared distance": RoundQuantity(
        LinearForm({rounds.square_distance: 1}),
        LinearForm({rounds.next_square_distance: 1}),
        distance**2,
    ),
    "last loss gap": RoundQuantity(
        LinearForm({rounds.loss_gap: 1}), LinearForm({rounds.next_loss_gap: 1}), gap
    ),
}
"""The quantity of a round by the name of the claim, for every claim that a certificate can start from."""
POTENTIALS: Mapping[Expr, RoundQuantity] = {
    control_error_star: RoundQuantity(
        square(rounds.y - rounds.o), LinearForm({rounds.next_error_at_optimum: 1})
    ),
    S.Zero: RoundQuantity(LinearForm({deviation: 1}), LinearForm({next_deviation: 1})),
}
"""The squares that may be added to a claimed quantity that contracts, by the root of their initial value."""

_WITH_SURROGATE: Mapping[str, RoundQuantity] = {
    "mean squared gradient": RoundQuantity(square(P)),
    "mean squared gradient of the surrogate": RoundQuantity(square(rounds.g.mean)),
    "squared gradient where the surrogate has none": RoundQuantity(square(P)),
    "squared gradient in the limit": RoundQuantity(square(P)),
}
"""The same where the server steps on a surrogate, whose gradient is g, and the objective's is P."""


_OF_KIND: Mapping[str, Mapping[str, RoundQuantity]] = {
    STEP: {
        "last loss gap": RoundQuantity(
            LinearForm({rounds.square_distance: 1}),
            LinearForm({rounds.next_square_distance: 1}),
            distance**2,
            times=L / 2,
        )
    },
    ABSENT: {
        "mean squared gradient at the mean of all models": RoundQuantity(square(rounds.g.mean)),
        "mean squared gradient at the auxiliary sequence": RoundQuantity(square(sequence_gradient)),
        "mean spread of the models, times L^2": RoundQuantity(L**2 * square(apart)),
    },
    EXCHANGE: {
        "last squared distance": RoundQuantity(
            LinearForm({square_distances: 1}), LinearForm({next_square_distances: 1}), distance**2
        )
    },
    SOLVER: {
        "last loss gap": RoundQuantity(
            LinearForm({bregman: 1}),
            LinearForm({next_bregman: 1, rounds.next_loss_gap: 1}),
            (L + mu_prox) / 2 * distance**2,
            times=L / (L + mu_prox),
        )
    },
}
"""The same by what the steps of a proof are about. An L-smooth loss is above its minimum by at most L/2 times
the squared distance from the minimiser. A Bregman distance with F_i + mu_prox ||.||^2/2, F_i convex, is from
mu_prox/2 to (L + mu_prox)/2 times it, and so at least mu_prox/L times the loss gap. The square of a mean is
at most the mean of the squares. A value a round later may be more than that of the next round, if it is at
least both that and the claimed quantity."""


def round_quantity(theorem: Theorem) -> RoundQuantity:
    """Return the quantity of a round that a theorem's claim is about.

    Raises BoundkitError where no certificate starts from that claim.
    """
    surrogate = theorem.assumes("general-local-solver") or theorem.assumes("bernoulli-availability")
    quantities = _WITH_SURROGATE if surrogate else ROUND_QUANTITIES
    quantities = _OF_KIND.get(kind_of(theorem), quantities)
    if theorem.claim.name not in quantities:
        raise BoundkitError(
            f"{theorem.name} bounds the {theorem.claim.name}, which no certificate starts from."
        )
    return quantities[theorem.claim.name]


def check(certificate: Certificate) -> ProofCheck:
    """Decide every obligation of a certificate.

    Raises BoundkitError where the certificate is malformed: a lemma that is not in the library, wrong
    arguments, a claim or an algorithm that no lemma is about, charts that do not cover the domain.
    """
    theorem = certificate.theorem
    objection = check_cases(certificate.charts)
    if objection:
        raise BoundkitError(f"the proof of {theorem.name}: {objection}.")
    if theorem.kind != "upper":
        raise BoundkitError(
            f"{theorem.name} is of the kind {theorem.kind}; a certificate proves an upper bound."
        )
    quantity, this = round_quantity(theorem), round_of(theorem)
    if quantity.weighted != this.assumes("adaptive-server-step"):
        raise BoundkitError(
            f"{theorem.name}: a claim with the server steps as weights is proved of an adaptive server step, "
            "and no other claim is."
        )
    conclusions = [conclusion_of(this, each) for each in certificate.steps]
    cases = [CaseCheck(certificate, this, conclusions, chart).run() for chart in certificate.charts]
    steps = []
    for parts in zip(*cases, strict=True):
        obligations = tuple(one for part in parts for one in part.obligations)
        steps.append(replace(parts[0], obligations=obligations))
    return ProofCheck(theorem.name, theorem.claim.plain, theorem.claim.latex, tuple(steps))


def first_line(certificate: Certificate) -> LinearForm:
    """Return line 0, the claimed quantity: of a round, or after the round where it contracts."""
    claim = round_quantity(certificate.theorem)
    if certificate.contraction is None or claim.later is None:
        return claim.now
    line = claim.later
    for constant, weight in certificate.potential.items():
        later = potential_of(constant).later
        assert later is not None
        line = line + weight * later
    return line


def line_before(certificate: Certificate) -> LinearForm:
    """Return the claimed quantity before the round, with the squares that are added to it."""
    line = round_quantity(certificate.theorem).now
    for constant, weight in certificate.potential.items():
        line = line + weight * potential_of(constant).now
    return line


def potential_of(constant: Expr) -> RoundQuantity:
    """Return the square with a constant as its initial value. Raises BoundkitError where there is none."""
    if constant not in POTENTIALS:
        raise BoundkitError(f"{constant} is the initial value of no square that a proof can follow.")
    return POTENTIALS[constant]


def conclusion_of(this: AlgorithmRound, step: CertificateStep) -> Conclusion:
    """Return what a step's lemma gives. Raises BoundkitError for a foreign lemma or wrong arguments."""
    if LEMMAS.get(step.lemma.name) is not step.lemma:
        raise BoundkitError(f"the step {step.name!r} uses the lemma {step.lemma.name!r}, not of the library.")
    try:
        return step.lemma.conclude(this, **step.arguments)
    except TypeError as error:
        raise BoundkitError(
            f"the step {step.name!r}: wrong arguments of {step.lemma.name!r}: {error}."
        ) from None


class CaseCheck:
    """The check of a certificate on one chart."""

    def __init__(
        self,
        certificate: Certificate,
        this: AlgorithmRound,
        conclusions: list[Conclusion],
        chart: CoordinateChart,
    ) -> None:
        self.certificate, self.this, self.conclusions = certificate, this, conclusions
        self.theorem = named(certificate.theorem, certificate.names)
        expressions = [value for c in conclusions for value in c.form.coefficients.values()]
        expressions += [sympify(s.weight) for s in certificate.steps if s.weight is not None]
        expressions += [s.leaving for s in certificate.steps]
        expressions += [claimed.expr for c in conclusions for claimed in c.hypotheses if not claimed.box]
        if certificate.contraction is not None:
            expressions += [certificate.contraction, *certificate.potential.values()]
        self.domain = ChartDomain(self.theorem, chart, expressions)
        self.title = f" ({chart.title})" if chart.title else ""
        self.sources: dict[Atom, str] = {}

    def run(self) -> list[StepCheck]:
        claim = round_quantity(self.theorem)
        geometric = self.certificate.contraction is not None
        if geometric != (claim.later is not None):
            needed = "needs" if claim.later is not None else "has no use for"
            raise BoundkitError(f"the {self.theorem.claim.name} {needed} a contraction.")
        line = self.line(first_line(self.certificate))
        self.sources.update(dict.fromkeys(line, START))
        positive = [
            self.domain.decide(part, f"{plain(part)} > 0{self.title}", True)
            for part in positive_parts(self.certificate.names)
        ]
        checks = [StepCheck(START, (*self.domain.check_chart(), *positive))]
        for step, conclusion in zip(self.certificate.steps, self.conclusions, strict=True):
            line, result = self._step(step, conclusion, line, geometric)
            checks.append(result)
        checks.append(self.end(line, claim))
        return checks

    def line(self, form: LinearForm) -> Coefficients:
        line = {atom: self.domain.element(value) for atom, value in form.coefficients.items()}
        return {atom: value for atom, value in line.items() if value}

    def _step(
        self, step: CertificateStep, conclusion: Conclusion, line: Coefficients, geometric: bool
    ) -> tuple[Coefficients, StepCheck]:
        obligations = [
            _refused(f"the assumption {name} of the theorem") for name in step.lemma.missing(self.theorem)
        ]
        if geometric and step.lemma.over_rounds:
            obligations.append(
                _refused(f"a claim about the mean over rounds, which {step.lemma.name} needs,")
            )
        weighted = round_quantity(self.theorem).weighted
        if step.lemma.over_rounds and step.lemma.weighted != weighted:
            obligations.append(_refused(f"a claim with the weights of rounds of {step.lemma.name}"))
        obligations += [self._hypothesis(each) for each in conclusion.hypotheses]
        form = self.line(conclusion.form)
        for where, place in ((form, f"the conclusion of {step.lemma.name}"), (line, "the line so far")):
            if step.removes is not None and step.removes not in where:
                obligations.append(_refused(f"{step.removes}, which it removes, in {place}"))
                return line, self._texts(step, conclusion, obligations)
        weight = self._weight(step, form, line)
        sign = "" if conclusion.equality else "weight >= 0"
        if sign:
            obligations.append(self.domain.decide(weight, sign + self.title))
        else:
            obligations += self._defined(weight)
        for value in form.values():
            obligations += self._defined(value)
        return self._added(line, step, form, weight), self._texts(step, conclusion, obligations)

    def _added(
        self, line: Coefficients, step: CertificateStep, form: Coefficients, weight: FracElement
    ) -> Coefficients:
        """Return the line with weight times the conclusion of a step."""
        result = dict(line)
        for atom, value in form.items():
            total = result.pop(atom, self.domain.field.zero) + weight * value
            if total:
                result[atom] = total
            self.sources[atom] = step.name
        return result

    def last_line(self) -> Coefficients:
        """Return the line after the last step, without a decision on any obligation."""
        line = self.line(first_line(self.certificate))
        for step, conclusion in zip(self.certificate.steps, self.conclusions, strict=True):
            form = self.line(conclusion.form)
            line = self._added(line, step, form, self._weight(step, form, line))
        return line

    def _defined(self, value: FracElement) -> list[Obligation]:
        """Return an obligation where the denominator of a coefficient is not proved to be nonzero."""
        hidden = self.domain.may_vanish(value)
        if hidden is None:
            return []
        return [Obligation(f"{hidden} is not 0", Decision("unknown", "a denominator"))]

    def _hypothesis(self, claimed: Inequality) -> Obligation:
        text = claimed.text + self.title
        if not claimed.box:
            return self.domain.decide(claimed.expr, text, claimed.strict)
        return decide_in_box(claimed, text)

    def _weight(self, step: CertificateStep, form: Coefficients, line: Coefficients) -> FracElement:
        if step.removes is None:
            return self.domain.element(step.weight)
        return (self.domain.element(step.leaving) - line[step.removes]) / form[step.removes]

    def _texts(
        self, step: CertificateStep, conclusion: Conclusion, obligations: list[Obligation]
    ) -> StepCheck:
        left, right = sides(conclusion, step.removes)
        sign_latex, sign = relation(conclusion)
        return StepCheck(
            step.name,
            tuple(obligations),
            step.lemma.name,
            step.because,
            statement=f"{left} {sign} {right}",
            statement_latex=f"{left.latex()} {sign_latex} {right.latex()}",
            weight="" if step.weight is None else plain(step.weight),
            removes="" if step.removes is None else str(step.removes),
        )

    def end(self, line: Coefficients, claim: RoundQuantity) -> StepCheck:
        """Compare the last line with the bound, coefficient by coefficient."""
        obligations: list[Obligation] = []
        rho = self.certificate.contraction
        labels: dict[Atom, list[str]] = {}
        goal: Coefficients = {}
        parts: dict[tuple[Atom, Expr], FracElement] = {}
        initial = sympify(0)
        if self.theorem.assumes("decaying-step"):
            obligations += self._falling_steps(rho)
        for label, term in self.theorem.bound.terms.items():
            share, expr, starts = share_of(self.certificate, self.theorem, self.this, term.expr / claim.times)
            if starts:
                initial += self._by_distance(expr, claim)
                continue
            for atom, value in constants_form(expr, self.theorem).coefficients.items():
                # a bound claims nothing where a denominator of its own is 0
                zero, factor = self.domain.field.zero, self.domain.finite_part(self.domain.element(value))
                goal[atom] = goal.get(atom, zero) + factor * self.domain.element(share)
                parts[atom, share] = parts.get((atom, share), zero) + factor
                labels.setdefault(atom, []).append(label)
        if rho is not None:
            obligations.append(self.domain.decide(rho, f"0 < rho{self.title}", True))
            obligations.append(self.domain.decide(1 - rho, f"rho <= 1{self.title}"))
            rate, count = _rate(initial, self.this.count), self.this.count
            if self.theorem.assumes("decaying-step"):
                same = simplify(initial - claim.initial) == 0
                obligations.append(identity(f"the initial term is {offset * claim.initial}", same))
                rate = rho
            else:
                whole = initial.xreplace({p: sympify(1) for p in _powers(initial, count)} if rate else {})
                obligations += self._initial(expand(simplify(whole)), claim, rate)
            if rate != rho:
                obligations.append(self.domain.decide(rho - rate, f"rho >= {plain(rate)}{self.title}"))
            for (atom, _), value in parts.items():
                obligations.append(self.domain.decide(value, f"{'; '.join(labels[atom])}: >= 0{self.title}"))
            for atom, value in self.line((1 - rho) * line_before(self.certificate)).items():
                goal[atom] = goal.get(atom, self.domain.field.zero) + value
        for atom in dict.fromkeys([*goal, *line]):
            zero = self.domain.field.zero
            rest = goal.get(atom, zero) - line.get(atom, zero)
            terms = "; ".join(labels.get(atom, []))
            if atom.signed:
                if rest:
                    source = self.sources.get(atom, START)
                    text = f"nothing is left of {atom}, last changed by {source!r}{self.title}"
                    obligations.append(_refused(text))
                continue
            of_bound, left = f"{terms}: the coefficient of {atom}", f"{atom} is left with a coefficient <= 0"
            text = of_bound if terms else left
            obligations.append(self.domain.decide(rest, text + self.title))
        return StepCheck(END, tuple(obligations))

    def _by_distance(self, expr: Expr, claim: RoundQuantity) -> Expr:
        """Return an initial term with a loss gap as one with the distance: gap >= (mu/2) distance^2."""
        strong = self.theorem.assumes("strongly-convex") and claim.initial == distance**2
        slope = expr.coeff(gap) if strong and expr.has(gap) else S.Zero
        if slope == 0 or simplify(expr - slope * gap) != 0:
            return expr
        return slope * mu * distance**2 / 2

    def _falling_steps(self, rho: Expr | None) -> list[Obligation]:
        """Return what the sum over steps eta = c/(mu s), s = offset + t, of (eta mu B) X + ... rests on.

        X+ <= (1 - eta mu B) X + eta^2 mu^2 (c B - 1)/c^2 a + eta mu B b with c B > 1 keeps X <= b +
        (a + offset X_0)/s, since (s - 1)/s^2 <= 1/(s + 1).
        """
        if rho is None:
            return [_refused("a contraction, by which steps that fall are summed")]
        share = self.domain.element(rho / (eta * mu))
        c = numerator(self.theorem)
        constant = eta not in simplify(rho / eta).free_symbols
        weights = self.certificate.potential.items()
        return [
            identity("the contraction over the step size is the same for all steps", constant),
            identity(
                "what is added to the claim is 0 at the start, with a positive weight of all steps",
                all(start == 0 and weight.is_Rational and weight > 0 for start, weight in weights),
            ),
            self.domain.decide(c * share - 1, f"c B > 1{self.title}", True),
        ]

    def _initial(self, start: Expr, claim: RoundQuantity, rate: Expr) -> list[Obligation]:
        """Compare the initial terms, over (1 - rate)^T, with the potential at the start."""
        rest = expand(start - claim.initial)
        result = []
        for constant, weight in self.certificate.potential.items():
            result.append(self.domain.decide(weight, f"weight of {constant}^2 >= 0{self.title}"))
            if constant == 0:
                continue
            own = rest.coeff(constant, 2)
            rest = expand(rest - own * constant**2)
            text = f"initial weight of {constant}^2: at least {plain(weight)}{self.title}"
            result.append(self.domain.decide(own - weight, text))
        text = f"the initial term is {(1 - rate) ** self.this.count * claim.initial}"
        return [identity(text, rest == 0), *result]


def decide_in_box(claimed: Inequality, text: str = "") -> Obligation:
    """Decide an inequality of a lemma in letters of its own."""
    box = tuple(sorted(claimed.box.items(), key=str))
    decision = _decide_in_box(sympify(claimed.expr), box, claimed.strict)
    return Obligation(text or claimed.text, decision, {str(s): str(v) for s, v in decision.point.items()})


@lru_cache(maxsize=1000)
def _decide_in_box(expr: Expr, box: tuple[tuple[Symbol, Interval], ...], strict: bool) -> Decision:
    element = rational_functions([symbol for symbol, _ in box], QQ)[0].from_expr(expr)
    return prove(element, dict(box), (), strict)


def _refused(text: str) -> Obligation:
    return Obligation(text, Decision("refuted"))


def identity(text: str, holds: bool) -> Obligation:
    """Return an obligation that is decided by comparison alone."""
    return Obligation(text, Decision("proved" if holds else "refuted", "identity"))


def _powers(expr: Expr, count: Expr) -> set[Pow]:
    return {p for p in expr.atoms(Pow) if p.exp == count}


def _rate(initial: Expr, count: Expr) -> Expr:
    """Return r of initial terms that all have the factor (1 - r)^count; 0 where there is none."""
    powers = _powers(initial, count)
    return 1 - powers.pop().base if len(powers) == 1 else sympify(0)


def share_of(
    certificate: Certificate, theorem: Theorem, this: AlgorithmRound, expr: Expr
) -> tuple[Expr, Expr, bool]:
    """Return what a term of the bound allows a round to add, as share times expression.

    The share is rho, of terms that fall with steps of size c/(mu s) that of 1/s, and 1 without a
    contraction. With its last part true it is the initial term.
    """
    rho, count, claim = certificate.contraction, this.count, round_quantity(theorem)
    if rho is None:
        return sympify(1), expr, False
    if theorem.assumes("decaying-step"):
        falling = simplify(expr * (offset + count))
        if T not in falling.free_symbols:
            if distance in falling.free_symbols:
                return rho, claim.initial * simplify(falling / (offset * claim.initial)), True
            c = numerator(theorem)
            return eta * mu * (c * rho - eta * mu) / c**2, falling, False
        return rho, expr, False
    if not is_initial(certificate, expr):
        return rho, expr, False
    left = Dummy("left", positive=True)
    within = expr.subs((1 - rho) ** count, left)
    if T not in within.free_symbols and simplify(within.subs(left, 1)) == 0:
        whole = within.subs(left, 0)
        if simplify(within - whole * (1 - left)) == 0:
            return rho, whole, False  # X_T - N <= (1 - rho)^count (X_0 - N)
    return rho, expr, True


def is_initial(certificate: Certificate, expr: Expr) -> bool:
    """Whether a term of the bound is the initial one of a geometric rate, a power of 1 - rho with T."""
    return certificate.contraction is not None and any(T in p.exp.free_symbols for p in expr.atoms(Pow))


def constants_form(expr: Expr, theorem: Theorem) -> LinearForm:
    """Return a term of a bound as a form in constants of the assumptions."""
    result = LinearForm()
    for summand in expand(expr, power_base=False).args if expand(expr).is_Add else (expr,):
        factors = Mul.make_args(summand)
        constants = [f for f in factors if f.as_base_exp()[0] in rounds.CONSTANTS]
        if not constants:
            raise BoundkitError(f"a term of {theorem.name}, {expr}, has no constant that a proof arrives at.")
        result = result + LinearForm({data(Mul(*constants)): summand / Mul(*constants)})
    return result


def sides(conclusion: Conclusion, removes: Atom | None = None) -> tuple[LinearForm, LinearForm]:
    """Return left and right of a conclusion, left <= right or =.

    On the left is the atom that the step removes, where its coefficient is -1; else the negative part.
    """
    if removes is not None and conclusion.form[removes] == -1:
        left = LinearForm({removes: 1})
        return left, conclusion.form + left
    left, right = LinearForm(), LinearForm()
    for atom, value in conclusion.form.coefficients.items():
        part = LinearForm({atom: value})
        if value.could_extract_minus_sign():
            left = left - part
        else:
            right = right + part
    return left, right


def relation(conclusion: Conclusion) -> tuple[str, str]:
    """Return the sign between the sides, as LaTeX and as plain text."""
    return SIGNS["tight" if conclusion.equality else "upper"]
