"""The constants of the theory by number, written out here a second time and by hand."""

from sympy import Le, Rational, S, diff, expand_log, limit, log, simplify, solve, sqrt

from boundkit.algebra.notation import C, L, T, distance, eta, eta_s, gap, m, mu, sigma, sigma_g, tau
from boundkit.theorems import theorem
from tests.cases import each

# everything 1 but what would make a factor vanish: tau - 1 = 1, and (1 - C)/(C (m - 1)) = 1 at C = 1/2, m = 2
POINT = {
    m: 2, C: Rational(1, 2), T: 1, tau: 2, eta: 1, eta_s: 1, L: 1, mu: 1, sigma: 1, sigma_g: 1, gap: 1,
    distance: 1,
}  # fmt: skip
UNIT = {
    "initial gap": Rational(1, 2),  # 1/(eta_s eta tau T)
    "stochastic noise": 1,  # eta_s eta L sigma^2/(C m)
    "noise drift": 1,  # eta^2 L^2 (tau - 1) sigma^2
    "partial participation": 2,  # eta_s eta tau (1 - C)/(C (m - 1)) sigma_g^2
    "client drift": 2,  # eta^2 L^2 tau (tau - 1) sigma_g^2
}
CONSTANTS = {
    "fedavg_nonconvex_partial": (4, 4, 8, 12, 32),
    "fedavg_convex_partial": (1, 2, Rational(5, 2), 6, 10),
    "fedavg_strongly_convex_partial": (None, 4, 9, 12, 36),
}


@each("name", CONSTANTS)
def test_five_constants_under_sampling(name: str) -> None:
    terms = theorem(name).bound.terms
    assert list(terms) == list(UNIT)
    for (label, unit), constant in zip(UNIT.items(), CONSTANTS[name], strict=True):
        if constant is not None:
            assert terms[label].expr.subs(POINT) == constant * unit, label


def test_constants_of_sgd() -> None:
    terms = theorem("sgd_nonconvex").bound.terms
    assert {k: t.expr for k, t in terms.items()} == {
        "initial gap": 2 * gap / (eta * T),
        "stochastic noise": eta * L * sigma**2 / m,
    }
    assert theorem("sgd_nonconvex").step_size == (Le(eta, 1 / L),)


def test_constants_of_full_participation() -> None:
    terms = theorem("fedavg_nonconvex").bound.terms
    assert {k: t.expr for k, t in terms.items()} == {
        "initial gap": 4 * gap / (eta * tau * T),
        "stochastic noise": 4 * eta * L * sigma**2 / m,
        "noise drift": 6 * eta**2 * L**2 * (tau - 1) * sigma**2,
        "client drift": 12 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
    }


def test_strong_convexity_forgets_the_start_geometrically() -> None:
    start = theorem("fedavg_strongly_convex_partial").bound.terms["initial gap"].expr
    assert simplify(start / distance**2 - (1 - mu * eta_s * eta * tau / 2) ** T) == 0


@each(
    ("name", "power", "others"),
    [
        ("fedavg_nonconvex_partial", 2, {"initial gap": (-1, 0, 0), "partial participation": (1, 1, 1)}),
        ("fedavg_convex_partial", 1, {"initial gap": (-1, -1, 0), "partial participation": (1, 1, 0)}),
    ],
)
def test_powers_of_the_terms(name: str, power: int, others: dict[str, tuple[int, int, int]]) -> None:
    """Logarithmic derivatives: the power of each letter in each term."""
    terms = theorem(name).bound.terms

    def power_of(label: str, letter: object) -> object:
        return simplify(letter * diff(expand_log(log(terms[label].expr)), letter))

    for drift in ("noise drift", "client drift"):
        assert power_of(drift, eta) == 2
        assert power_of(drift, eta_s) == 0
        assert power_of(drift, L) == power
    for label in ("stochastic noise", "partial participation"):
        assert power_of(label, eta) == power_of(label, eta_s) == 1
        assert power_of(label, L) == power - 1
    for label in ("initial gap", "stochastic noise", "partial participation"):
        assert power_of(label, eta) == power_of(label, eta_s) == others.get(label, (1, 0, 0))[0]
    assert power_of("initial gap", T) == -1
    assert power_of("partial participation", tau) == 1
    assert power_of("client drift", tau) == simplify(1 + tau / (tau - 1))


def test_steps_of_full_participation_allow_what_the_theory_allows() -> None:
    first, second = theorem("fedavg_nonconvex").step_size
    assert first == Le(eta, 1 / (2 * L * tau))
    (largest,) = {root**2 for root in solve(second.lhs - second.rhs, eta)}
    assert simplify(largest - 1 / (4 * L**2 * 3 * tau * (tau - 1))) == 0
    single = 1 / (2 * sqrt(3) * L * tau)  # the one condition that implies both
    for condition in (first, second):
        for steps in (1, 2, 3, 10, 100):
            assert (condition.lhs - condition.rhs).subs(eta, single).subs({L: 1, tau: steps}) <= 0


@each("name", CONSTANTS)
def test_steps_under_sampling(name: str) -> None:
    assert theorem(name).step_size == (Le(eta, 1 / (8 * L * tau)), Le(eta_s * eta, 1 / (24 * L * tau)))


def test_no_best_pair_of_steps_as_the_remark_says() -> None:
    total = theorem("fedavg_nonconvex_partial").bound.total
    at_product = total.subs(eta_s, mu / L / eta)  # eta_s eta held fixed
    slope = simplify(diff(at_product, eta) / eta)
    assert simplify(slope - 16 * L**2 * (tau - 1) * (sigma**2 + 4 * tau * sigma_g**2)) == 0


def test_more_clients_lower_only_the_noise_as_the_remark_says() -> None:
    for label, term in theorem("fedavg_nonconvex").bound.terms.items():
        assert (diff(term.expr, m) == 0) == (label != "stochastic noise")
    assert limit(theorem("fedavg_nonconvex").bound.terms["stochastic noise"].expr, m, S.Infinity) == 0
