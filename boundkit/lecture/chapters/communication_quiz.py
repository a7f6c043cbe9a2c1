"""Questions on who comes, and when."""

from boundkit.analysis.predict import predict
from boundkit.lecture.chapters.derived_questions import dominant, effect, ordered
from boundkit.lecture.parts import Question
from boundkit.theorems import theorem

_CHOSEN = {"eta": 0.01, "tau": 2, "T": 10**6, "m": 30, "C": 0.1, "L": 1, "mu": 0.1, "G": 0.1, "sigma": 0.1}

_TURNS = {"eta": 0.001, "T": 10**9, "m": 120, "C": 1 / 30, "mu_pl": 0.1}


def questions() -> tuple[Question, ...]:
    """Seven questions; six are answered by the bounds."""
    return (
        dominant(
            "fedavg_nonconvex_partial",
            "One of a hundred clients comes a round: $C = 0.01$, $m = 100$, "
            "$\\tau = 5$, $\\eta = 0.001$, $\\eta_s = 1$, $T = 10^6$, and the rest 1. Which term is the "
            "largest?",
            "Participation is of first order in the step and has $\\tau$ in it, which noise has not.",
            C=0.01, m=100, tau=5, eta=0.001, eta_s=1, T=10**6, L=1, sigma=1, sigma_g=1, gap=1,
        ),
        effect(
            "fedvarp_nonconvex_repaired",
            "sigma_g",
            "FedVARP, and the clients' data become more unlike",
            "The participation term is gone, client drift is not. A slide strikes out both in one line.",
        ),
        ordered(
            "Groups take turns, $\\eta = 0.001$, $T$ very large, 4 of 120 clients a round, and everything "
            "else 1 "
            "but $\\mu_{PL} = 0.1$. With how many groups is the bound the largest?",
            {
                f"{groups}": float(predict(theorem("cyclic_pl"), groups=groups, **_TURNS).total)
                for groups in (1, 2, 5, 20)
            },
            "The order costs $(\\bar K - 1)^2$. The draw costs less with more groups, for fewer of a group "
            "are "
            "missing, but at this step only a little.",
        ),
        effect(
            "mifa_nonconvex",
            "staleness",
            "MIFA, and clients stay away for longer",
            "The bound has no such letter. Its condition has: $L \\eta (1 + d_{\\max}) \\le 1$. Absence "
            "costs "
            "step size, and with it time.",
        ),
        ordered(
            "Chosen clients, strongly convex, very many rounds, a fixed short step. Which pair has the "
            "larger "
            "bound?",
            {
                f"$\\bar\\rho = {low}$, $\\tilde\\rho = {high}$": float(
                    predict(theorem("biased_selection_strongly_convex_fixed"), rho_bar=low, rho_tilde=high,
                            Gamma=1, gap=1, **_CHOSEN).total
                )
                for low, high in ((1, 1), (1.5, 1.5), (1.2, 1.4), (1.5, 2.5))
            },
            "After many rounds the bias rules, in proportion to $\\tilde\\rho - \\bar\\rho$. Where the two "
            "are equal "
            "there is none, whatever their size.",
        ),
        Question(
            "Two clients with chances 0.9 and 0.3, minimisers at 0 and 100, one Hessian. FedAvg divides by "
            "those "
            "who came. Where does it settle for short steps?",
            ("At 50.", "At 25, by the weights $q_i / \\sum_j q_j$.",
             "At about 17.7: below 25.", "It does not settle."),
            2,
            "The second client comes seldom, and when it does it shares the round with the first. "
            "$q_i/\\sum_j q_j$ are the weights of dividing by all.",
        ),
        effect(
            "local_sgd_nonconvex_clock",
            "delay",
            "An exchange takes longer, at a fixed time on the clock",
            "Fewer steps fit into the time, so the start is forgotten later. Nothing else changes, until one "
            "takes more local steps in answer.",
        ),
    )  # fmt: skip
