from sympy import Le, Max, sqrt

from boundkit.algebra.notation import C, L, T, eta, gap, m, mu, sigma, sigma_g, tau
from boundkit.algebra.printing import bound_latex, bound_plain, latex, plain
from boundkit.algebra.term import Term
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT as CLAIM
from tests.cases import each

START = {"initial gap": Term("initial gap", 2 * gap / (eta * T), "stated", "why")}
BOTH = {**START, "stochastic noise": Term("stochastic noise", eta * L * sigma**2 / m, "stated", "why")}


def test_plain_bound_has_one_line_a_term_in_columns() -> None:
    assert bound_plain(CLAIM, BOTH).splitlines()[1:] == [
        "    2*gap/(T*eta)     initial gap",
        "  + L*eta*sigma^2/m   stochastic noise",
    ]


def test_latex_bound_braces_each_term_by_its_label() -> None:
    line = bound_latex(CLAIM, BOTH, aligned=False)
    assert line == (
        CLAIM.latex + r" \le \underbrace{\frac{2 \Delta}{T \eta}}_{\text{initial gap}}"
        r" + \underbrace{\frac{L \eta \sigma^{2}}{m}}_{\text{stochastic noise}}"
    )
    page = bound_latex(CLAIM, BOTH)
    assert page.startswith("\\begin{aligned}\n")
    assert page.endswith("\n\\end{aligned}")
    assert page.count("&") == 2
    for text in (line, page):
        assert text.count("{") == text.count("}")


@each(
    ("expr", "text"),
    [
        (12 * eta**2 * tau * (tau - 1) * sigma_g**2, "12*eta^2*sigma_g^2*tau*(tau - 1)"),
        ((1 - mu * eta / 2) ** T, "(1 - eta*mu/2)^T"),
        ((1 - C) / (C * (m - 1)), "(1 - C)/(C*(m - 1))"),
        (sqrt(m / (tau * T)) / L, "sqrt(m)/(L*sqrt(T)*sqrt(tau))"),
        (Max(1, tau**2 - tau), "Max(1, tau^2 - tau)"),
        (Le(eta**2 * L**2, mu / L), "L^2*eta^2 <= mu/L"),
    ],
)
def test_plain_prints_on_one_line_with_carets(expr: object, text: str) -> None:
    assert plain(expr) == text


@each(
    ("expr", "text"),
    [
        ((1 - mu * eta) ** T, r"\left(1 - \eta \mu\right)^{T}"),
        (sigma_g**2 * (tau - 1), r"\sigma_g^{2} \left(\tau - 1\right)"),
        (sqrt(sigma_g / m), r"\frac{\sqrt{\sigma_g}}{\sqrt{m}}"),
    ],
)
def test_latex_uses_the_letters_of_the_house(expr: object, text: str) -> None:
    assert latex(expr) == text
