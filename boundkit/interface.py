"""Public functions that consult the catalogue, and the decorator by which they accept names of theorems.

``import boundkit`` offers them; every module is imported when a function first needs it.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

if TYPE_CHECKING:
    from sympy import Expr

    from boundkit.algebra import Theorem
    from boundkit.analysis.check import CheckResult
    from boundkit.analysis.compare import Comparison
    from boundkit.analysis.complexity import Complexity, ComplexityTable
    from boundkit.analysis.complexity.comparison import AlgorithmComparison
    from boundkit.analysis.costs import CostTable
    from boundkit.analysis.find import FindResult
    from boundkit.analysis.progress import Progress
    from boundkit.analysis.quiz import Quiz
    from boundkit.analysis.reductions import Reductions
    from boundkit.attack.falsification import Falsification
    from boundkit.attack.mutation.report import Mutation
    from boundkit.attack.user_theorem import Examination
    from boundkit.proofs import Ledger, Proof
    from boundkit.simulation.problems import Problem
    from boundkit.simulation.run import Run
    from boundkit.studies.diagnosis import Diagnosis, LogDiagnosis
    from boundkit.studies.forecast import Forecast
    from boundkit.studies.planning import Plan

P = ParamSpec("P")
R = TypeVar("R")


def theorem_of(theorem: Theorem | str) -> Theorem:
    """The theorem itself, or the theorem of the catalogue that has this name.

    Raises
    ------
    BoundkitError
        For a name that is not in the catalogue, and for anything that is neither a theorem nor a name.
    """
    from boundkit.algebra import BoundkitError, Theorem
    from boundkit.theorems import theorem as named

    if isinstance(theorem, str):
        return named(theorem)
    if not isinstance(theorem, Theorem):
        raise BoundkitError(f"a theorem is needed, or the name of one, but {theorem!r} was given.")
    return theorem


def accepts_names(
    function: Callable[Concatenate[Theorem, P], R],
) -> Callable[Concatenate[Theorem | str, P], R]:
    """Let a function whose first argument is a theorem accept the name of a theorem, too."""

    @wraps(function)
    def by_name(theorem: Theorem | str, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return function(theorem_of(theorem), *args, **kwargs)

    first, *others = (signature := inspect.signature(function)).parameters.values()
    first = first.replace(annotation="Theorem | str", kind=inspect.Parameter.POSITIONAL_ONLY)
    vars(by_name)["__signature__"] = signature.replace(parameters=[first, *others])
    return by_name


def check(
    theorem: Theorem | str,
    /,
    *,
    static: bool = False,
    budget: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> CheckResult | Examination | list[CheckResult | Examination]:
    """Check a theorem, as the command ``check`` does: without a run, against runs, against wrong versions.

    Parameters
    ----------
    theorem : Theorem or str
        A theorem, the name of one, or a file of theorems: ``"mine.py"`` or ``"mine.py:name"``, which is
        executed as Python, with your rights.
    static : bool
        Whether no run is made. A name or a theorem is tested on runs only where ``budget`` or
        ``evaluations`` is given, and the theorems of a file are unless ``static``.
    budget : float, optional
        Seconds for the search of a counterexample and the wrong versions; 20 for a file.
    evaluations : int, optional
        So many instances instead: the same answer on every machine.
    seed : int
        Where the search begins.
    progress : callable, optional
        ``progress(done, total)``.

    Returns
    -------
    CheckResult or Examination
        True where nothing fails. It shows itself as text and HTML; ``report().to_markdown()`` is Markdown,
        and ``to_dict()`` the JSON of the command. A list of them for a file with several theorems.

    Raises
    ------
    BoundkitError
        For an unknown name, a file that cannot be read, and limits of a search that makes none.

    Examples
    --------
    >>> import boundkit as bk
    >>> bool(bk.check("fedavg_nonconvex"))
    True
    """
    from boundkit.algebra import BoundkitError
    from boundkit.attack.search_state import refuse_limits
    from boundkit.theorem_targets import (
        KnownTheorems,
        check_proofs,
        check_theorem,
        is_file,
        theorems_or_failure,
    )

    file = isinstance(theorem, str) and is_file(theorem)
    limits = {"budget": budget, "evaluations": evaluations}
    if static and (given := [name for name, value in limits.items() if value is not None]):
        raise BoundkitError(f"{given[0]} is about runs, but static makes none; give one of them.")
    refuse_limits(20.0 if budget is None else budget, evaluations, seed)
    theorems = theorems_or_failure(str(theorem), warnings.warn) if file else [theorem_of(theorem)]
    if not isinstance(theorems, list):
        return theorems
    runs = not static and (file or budget is not None or evaluations is not None)
    known = KnownTheorems({each.name: each for each in theorems})
    proofs = check_proofs(str(theorem)) if file else {}
    results = [
        check_theorem(
            each, known, runs=runs, budget=budget, evaluations=evaluations, seed=seed, progress=progress,
            proof=proofs.get(each.name),
        )
        for each in theorems
    ]  # fmt: skip
    return results[0] if len(results) == 1 else results


def compare(*theorems: Theorem | str, tuned: bool = False, **values: object) -> Comparison:
    """Compare the bounds of several theorems: at a point, along one list, or over two.

    Parameters
    ----------
    *theorems : Theorem or str
        Two theorems or more, or their names.
    tuned : bool
        Whether each theorem has its own best eta, inside its conditions, at every point.
    **values
        Values by keyword, as for ``predict``; at most two lists. A value applies to the theorems that have
        its quantity. Quantities that only costs have, such as d and batch, may be given too.

    Returns
    -------
    Comparison
        ``total`` of each theorem, ``lowest`` and ``ratio``; floats, or xarray objects over the axes.

    Raises
    ------
    BoundkitError
        For fewer than two theorems, claims about different quantities, and more than two lists.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.compare("fedavg_nonconvex", "fedavg_nonconvex_partial", tau=5, C=0.5).lowest
    'fedavg_nonconvex'
    """
    from boundkit.analysis.compare import compare as compare_bounds

    return compare_bounds(*map(theorem_of, theorems), tuned=tuned, **values)


@overload
def complexity(
    theorem: Theorem | str | None = None, /, eta: str | Expr | None = None, eta_s: str | Expr | None = None
) -> Complexity | ComplexityTable: ...


@overload
def complexity(*, algorithms: Sequence[str]) -> AlgorithmComparison: ...


def complexity(
    theorem: Theorem | str | None = None,
    /,
    eta: str | Expr | None = None,
    eta_s: str | Expr | None = None,
    algorithms: Sequence[str] | None = None,
) -> Complexity | ComplexityTable | AlgorithmComparison:
    """Derive the rounds for a target as formulas, and the largest tau that saves rounds.

    Parameters
    ----------
    theorem : Theorem or str, optional
        The theorem, or its name; without it the table of the catalogue.
    eta, eta_s : str or sympy expression, optional
        Rules for the steps, such as "1/(L*sqrt(T))"; the best steps without them.
    algorithms : sequence of str, optional
        Algorithms to compare by the order of their rounds, instead of a theorem.

    Returns
    -------
    Complexity, ComplexityTable or AlgorithmComparison
        The answer for one theorem, a line for each theorem on rounds, or a row for each setting of each
        algorithm.

    Raises
    ------
    BoundkitError
        For an unknown theorem or algorithm, and for a rule that is no step.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.complexity("sgd_nonconvex").theorem.name
    'sgd_nonconvex'
    >>> [row.function_class for row in bk.complexity(algorithms=["vrlsgd", "scaffold"]).rows][:2]
    ['non-convex', 'non-convex']
    """
    from boundkit.analysis.complexity import complexity_or_table
    from boundkit.theorems import catalogue

    if algorithms is not None:
        from boundkit.analysis.complexity.comparison import comparison
        from boundkit.theorems.catalogue import proof_status

        return comparison(catalogue().values(), algorithms, proof_status)
    return complexity_or_table(
        None if theorem is None else theorem_of(theorem), catalogue().values(), eta, eta_s
    )


def costs(*algorithms: str | Theorem, **values: object) -> CostTable:
    """Count what algorithms send, store and compute in a round.

    Parameters
    ----------
    *algorithms : str or Theorem
        Names of algorithms, or theorems, for their methods under their assumptions; all
        algorithms without them.
    **values
        Values of the quantities of costs, such as d (parameters of the model), m and batch; symbols stay
        without them.

    Returns
    -------
    CostTable
        A row for each variant of each method.

    Raises
    ------
    BoundkitError
        For an unknown algorithm or quantity.

    Examples
    --------
    >>> import boundkit as bk
    >>> "fedavg" in bk.costs("fedavg", d=1000, m=10).to_text()
    True
    """
    from boundkit.analysis.costs import cost_table
    from boundkit.theorems import names, theorem

    known = names() if algorithms else ()
    requested = [theorem(a) if isinstance(a, str) and a in known else a for a in algorithms]
    return cost_table(requested or None, values or None)


@overload
def diagnose(model: str | Path | Sequence[str | Path], **settings: Any) -> LogDiagnosis: ...


@overload
def diagnose(
    model: Any,
    loss: Callable[..., Any] | None = None,
    clients: Sequence[Any] | None = None,
    **settings: Any,
) -> Diagnosis: ...


def diagnose(
    model: Any,
    loss: Callable[..., Any] | None = None,
    clients: Sequence[Any] | None = None,
    *,
    algorithm: str = "fedavg",
    test: tuple[Any, Any] | None = None,
    theorem: Theorem | str | None = None,
    rivals: Iterable[str] | None = None,
    replicas: int = 10,
    dtype: str = "float64",
    device: str = "cpu",
    arrays: str = "auto",
    jobs: int = 1,
    progress: Progress | None = None,
    **settings: Any,
) -> Diagnosis | LogDiagnosis:
    """Diagnose which source of error costs most: your own model, a run, or a log of one.

    Parameters
    ----------
    model
        A torch module; or a ``Run``, which has all below; or the path of a log, or several of
        them, with ``target`` and other arguments of ``forecast``.
    loss : callable
        ``loss(outputs, labels)``.
    clients : sequence
        The data of each client: pairs of inputs and labels, or TensorDatasets.
    algorithm : str
        The name of the algorithm.
    test : tuple, optional
        Inputs and labels of a test set.
    theorem : Theorem or str, optional
        The theorem whose terms are compared; the fitting one without it.
    rivals : iterable of str, optional
        Algorithms to run on the same draws, such as "scaffold".
    replicas : int
        Runs of each algorithm.
    dtype, device, arrays : str
        ``"float32"`` or ``"float64"``; ``"cpu"``, ``"cuda"`` or ``"auto"``; ``"numpy"``, ``"torch"`` or
        ``"auto"``.
    jobs : int
        Worker processes.
    progress : callable, optional
        ``progress(done, total)``.
    **settings
        ``rounds``, ``eta``, ``local_steps``, ``batch``, ``participation`` and the other settings of
        ``simulate``.

    Returns
    -------
    Diagnosis or LogDiagnosis
        The sources, with the terms of the bound and the loss gaps of runs without each; of a log with their
        costs in rounds, by fitted constants.

    Raises
    ------
    BoundkitError
        Where the model, its loss or the data are missing or do not fit.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.diagnose(model, loss, clients, rounds=20, eta=0.05)  # doctest: +SKIP
    """
    from boundkit.simulation.run import Run
    from boundkit.studies.diagnosis import RIVALS, LogDiagnosis, diagnose_run, fitting_theorem, own_run
    from boundkit.theorems import theorem as named

    if isinstance(model, (str, Path)) or (
        isinstance(model, (list, tuple)) and model and all(isinstance(each, (str, Path)) for each in model)
    ):
        return LogDiagnosis(forecast(model, theorem=theorem, **settings))
    if isinstance(model, Run):
        run = model
    elif clients is None:
        from boundkit.algebra import BoundkitError

        raise BoundkitError("diagnose needs the model, its loss, and the clients' data; or a run.")
    else:
        run = own_run(algorithm, model, loss, clients, test, **settings)
    name, others = fitting_theorem(run)
    return diagnose_run(
        run,
        named(name) if theorem is None else theorem_of(theorem),
        {label: named(other) for label, other in others.items()},
        rivals=RIVALS if rivals is None else tuple(rivals), replicas=replicas, dtype=dtype,
        device=device, arrays=arrays, jobs=jobs, progress=progress,
    )  # fmt: skip


def forecast(
    logs: Any,
    *,
    target: float | None = None,
    at: Sequence[Mapping[str, float]] = (),
    rounds: float | None = None,
    quantity: str = "loss",
    round_column: str = "round",
    given: Mapping[str, float] | None = None,
    theorem: Theorem | str | None = None,
    seed: int = 0,
) -> Forecast:
    """Forecast training runs from their logs, by the terms of a theorem with fitted constants.

    Parameters
    ----------
    logs : path or sequence of paths
        CSV files with the columns ``round`` and ``loss``, and settings where they are known: ``m``, ``C``,
        ``tau``, ``eta``, ``eta_s``, ``algorithm``. A column ``run`` tells runs of one file apart.
    target : float, optional
        The level of the loss to which rounds are counted.
    at : sequence of dict
        Other settings; what one does not give is as in the first run. Halves and doubles of the settings that
        vary where there are none.
    rounds : float, optional
        The round at which the loss is forecast; three times the log by default.
    quantity, round_column : str
        Other columns to take.
    given : dict, optional
        Settings for which the logs have no column.
    theorem : Theorem or str, optional
        The theorem whose terms are fitted, in m, C, T, tau, eta and eta_s.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Forecast
        ``logged`` and ``others``: rounds to the target, the loss later on and its limit, with 90 % intervals,
        or why there is no answer; ``terms()`` and ``marginals()``.

    Raises
    ------
    BoundkitError
        For a log that cannot be read, or runs that do not fall.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.forecast(["run.csv"], target=0.2, at=[{"tau": 10}])  # doctest: +SKIP
    """
    from boundkit.simulation.training_log import check_settings, read_log
    from boundkit.studies.forecast import check_logs, default_theorem, make_forecast
    from boundkit.theorems import theorem as named

    paths = [logs] if isinstance(logs, (str, Path)) else list(logs)
    check_logs(paths)
    known = check_settings(given or {})
    runs = [run for path in paths for run in read_log(path, quantity, round_column, known)]
    statement = named(default_theorem(runs)) if theorem is None else theorem_of(theorem)
    return make_forecast(runs, statement, quantity=quantity, target=target, at=at, rounds=rounds, seed=seed)


def plan(
    logs: Any = (),
    *,
    step_time: float | str,
    replicas: int,
    bandwidth: float | str,
    payload: float | str | None = None,
    parameters: float | str | None = None,
    bytes_each: float = 2.0,
    outer_bytes_each: float | None = None,
    latency: float | str | None = None,
    fragments: int = 1,
    late: float = 0.0,
    overlap: float = 0.0,
    topology: str = "ring",
    law: Any = "constant",
    spread: float | None = None,
    shift: float | None = None,
    target: float | None = None,
    constants: Mapping[str, float | tuple[float, float]] | None = None,
    theorem: Theorem | str | None = None,
    given: Mapping[str, float] | None = None,
    quantity: str = "loss",
    round_column: str = "round",
    tau: Sequence[int] | None = None,
    price: float | None = None,
    curvature: tuple[float, float] | None = None,
    seed: int = 0,
) -> Plan:
    """Plan training with local steps: time to a target against tau, and the outer optimiser.

    Times, sizes and bandwidths are texts with units, such as "5ms", "40GB" and "10Gbit/s", or numbers in
    seconds, bytes and bytes per second. Without a log or constants the answer is about the clock alone.

    Parameters
    ----------
    logs : path or sequence of paths
        Logs as ``forecast`` reads them, with at least two values of tau.
    step_time : float or str
        Time of a local step of a replica.
    replicas : int
        Number of replicas m, at least 2; C m of them take part in each round.
    bandwidth : float or str
        Of a replica's link; with ``topology="server"`` of the server's.
    payload : float or str, optional
        Bytes of an exchange, or ``parameters``.
    parameters : float or str, optional
        Number of parameters, such as "7B".
    bytes_each, outer_bytes_each : float
        Bytes of a parameter in exchanges of gradients, and in those of rounds (the same by default).
    latency : float or str, optional
        Of a link, one way; 0 by default.
    fragments : int
        Parts that are exchanged one after the other at even distances in a round.
    late : float
        Local steps by which an outer step may come late, while its exchange runs.
    overlap : float
        Share of a step during which data-parallel training exchanges gradients.
    topology : str
        "ring" (all-reduce) or "server".
    law, spread, shift
        Distribution of the time of a step, as in ``round_time``.
    target : float, optional
        The loss, or the value of what the theorem bounds, to be reached.
    constants : dict, optional
        Constants of the theorem, as numbers or as ranges (low, high); C, and eta and eta_s where they are not
        to be chosen.
    theorem : Theorem or str, optional
        The theorem, with constants; fedavgm_nonconvex_partial_long_steps by default. With logs the theorem
        whose terms are fitted.
    given, quantity, round_column
        Of the logs, as in ``forecast``.
    tau : sequence of int, optional
        The local steps that are compared.
    price : float, optional
        Of a replica for an hour.
    curvature : (float, float), optional
        The least and the largest eta lambda of local steps, for the outer optimiser.
    seed : int
        Of the bootstrap of a fit.

    Returns
    -------
    Plan
        ``tau``, ``seconds``, ``speedups``, ``shares``, ``outer``; ``report()``.

    Raises
    ------
    BoundkitError
        For a value without its unit or out of range, and what is missing.

    Examples
    --------
    >>> import boundkit as bk
    >>> clock = bk.plan(step_time="1s", replicas=8, parameters="7B", bandwidth="10Gbit/s")
    >>> clock.tau, round(float(clock.schedule.outer.seconds()), 6)
    (404, 19.6)
    """
    from boundkit.algebra import BoundkitError
    from boundkit.studies.planning import ETA_S, FittedRounds, RoundsModel, TheoremRounds, make_plan
    from boundkit.studies.planning.request import make_schedule, read_constants, single

    paths = [logs] if isinstance(logs, (str, Path)) else list(logs)
    ranges = read_constants(constants or {})
    chosen = ranges.pop("C", None)
    if bool(paths or ranges) != (target is not None):
        raise BoundkitError(
            "a target needs logs of training runs, or constants such as L=0.5:2."
            if target is not None
            else "logs and constants serve a target: give one, such as 0.4."
        )
    if theorem is not None and target is None:
        raise BoundkitError(f"the theorem {theorem} serves a target: give one, such as 0.4.")
    C = 1.0 if chosen is None else single("C", chosen)
    if paths and ranges:
        raise BoundkitError(f"give logs or constants: with logs, {next(iter(ranges))} is not needed.")
    model: RoundsModel | None = None
    if paths:
        fitted = forecast(
            paths, target=target, quantity=quantity, round_column=round_column, given=given, theorem=theorem,
            seed=seed,
        )  # fmt: skip
        model = FittedRounds(fitted, replicas, None if chosen is None else C)
        C = C if chosen else fitted.runs[0].settings.get("C", 1.0)
    schedule, assumed = make_schedule(
        step_time=step_time, replicas=replicas, bandwidth=bandwidth, payload=payload, parameters=parameters,
        bytes_each=bytes_each, outer_bytes_each=outer_bytes_each, latency=latency, fragments=fragments,
        late=late, overlap=overlap, topology=topology, law=law, spread=spread, shift=shift, C=C,
    )  # fmt: skip
    if ranges and target is not None:
        statement = theorem_of(theorem or "fedavgm_nonconvex_partial_long_steps")
        eta, eta_s = ranges.pop("eta", None), ranges.pop("eta_s", ETA_S)
        settings = {"m": float(replicas), "C": C}
        model = TheoremRounds(
            statement, target, settings, ranges, eta_s, None if eta is None else single("eta", eta)
        )
    return make_plan(schedule, model, taus=tau, price=price, curvatures=curvature, assumed=assumed)


def falsify(
    theorem: Theorem | str,
    /,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    starts: Sequence[Run] | None = None,
    smaller: bool = True,
    progress: Progress | None = None,
) -> Falsification:
    """Search the instance of a theorem's class on which the bound is worst: does it break the bound?

    The search maximises measured/bound over runs inside the theorem's conditions (of a lower bound,
    bound/measured), and for each term (measured - all other terms)/term. Above 1 the bound is violated: by a
    deterministic run, or by one that fresh seeds confirm.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    budget : float
        Seconds of search.
    evaluations : int, optional
        So many runs instead, so that the answer is the same on every machine.
    seed : int
        Where the search begins.
    starts : sequence of Run, optional
        Runs to begin from; the worst known ones without it.
    smaller : bool
        Whether the worst instance is then made as small as it can be.
    progress : callable, optional
        ``progress(done, total)``.

    Returns
    -------
    Falsification
        False where the bound is violated; ``ratio`` is measured/bound of the worst run. A theorem that
        cannot be tested on a run is "not applicable".

    Raises
    ------
    BoundkitError
        For a budget, a number of evaluations or a seed that cannot be.

    Examples
    --------
    >>> import boundkit as bk
    >>> bool(bk.falsify("sgd_nonconvex", evaluations=3, smaller=False))
    True
    """
    from boundkit.attack.falsify import falsify as search_counterexample
    from boundkit.attack.search_state import refuse_limits

    refuse_limits(budget, evaluations, seed)
    return search_counterexample(
        theorem_of(theorem), budget=budget, evaluations=evaluations, seed=seed, starts=starts,
        smaller=smaller, progress=progress,
    )  # fmt: skip


def find(
    have: str | Iterable[str] = (),
    without: str | Iterable[str] = (),
    *,
    algorithm: str | None = None,
    claim: str | None = None,
    constants: str | Iterable[str] | None = None,
    kind: str | None = None,
    quantity: str | None = None,
) -> FindResult:
    """Find the theorems that hold under given assumptions, those that need one more, and why others do not.

    Parameters
    ----------
    have, without : str or iterable of str
        Names of assumptions that hold, and of those that must not be needed.
    algorithm, claim, constants, kind, quantity : optional
        Filters: the algorithm, the claim, where the constants come from, the kind of bound ("upper",
        "lower", "order" or "tight"), and a quantity on which the bound depends.

    Returns
    -------
    FindResult
        The theorems that hold, those that are one assumption away, and the reasons of the others.

    Raises
    ------
    BoundkitError
        For an unknown name.

    Examples
    --------
    >>> import boundkit as bk
    >>> [*bk.find(algorithm="minibatch_sgd").one_more]  # what it needs
    ['smooth']
    """
    from boundkit.analysis.find import find as find_theorems
    from boundkit.theorems import catalogue

    return find_theorems(
        catalogue().values(), have=have, without=without, algorithm=algorithm, claim=claim,
        constants=constants, kind=kind, quantity=quantity,
    )  # fmt: skip


def ledger(
    theorem: Theorem | str,
    problem: Problem | Run | None = None,
    /,
    *,
    proof: Proof | None = None,
    **settings: Any,
) -> Ledger:
    """Evaluate the proof of a theorem on a run, step by step: measured + the slack of every step = bound.

    Sides and slacks are means over rounds, in the unit of the bound; expectations are exact on quadratics,
    and runs on other problems must be deterministic.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    problem : Problem or Run, optional
        The problem, or a run with its settings; the first default instance of the theorem's class without
        it.
    proof : Proof, optional
        In the place of the theorem's own, as ``boundkit.proofs.proof_of(theorem).changed(...)`` gives it.
    **settings
        The settings of ``simulate`` (``rounds``, ``eta``, ``local_steps``, ...).

    Returns
    -------
    Ledger
        The steps, with both sides and the slack of each.

    Raises
    ------
    BoundkitError
        Where the theorem has no proof that can be evaluated, does not apply to the run, or the run has no
        exact expectations.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.ledger("sgd_nonconvex")  # doctest: +SKIP
    """
    from boundkit.algebra import BoundkitError
    from boundkit.proofs import ledger as evaluate_proof
    from boundkit.simulation.run import Run
    from boundkit.simulation.simulate import as_run

    statement = theorem_of(theorem)
    if problem is None or isinstance(problem, Run):
        if settings:
            whose = "a default run" if problem is None else "a Run"
            raise BoundkitError(f"{', '.join(settings)}: given without a problem, but {whose} has its own.")
        return evaluate_proof(statement, problem, proof)
    return evaluate_proof(statement, as_run(statement.algorithm, problem, **settings), proof)


def mutate(
    theorem: Theorem | str,
    /,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Mutation:
    """Make wrong versions of a theorem, one mistake at a time, and test which check detects each.

    Every exponent up and down by one, every constant divided by 2, 4 and 10, a term left out, a square lost,
    a condition relaxed. A mutant is detected by its units, a reduction, a limit, a run, a slope or the
    search; or it is true, since it is weaker or a certificate proves it; or it is open, with the reason.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    budget : float
        Seconds of search for the mutants that no other check detects.
    evaluations : int, optional
        So many runs instead.
    seed : int
        Where the search begins.
    progress : callable, optional
        ``progress(done, total)``.

    Returns
    -------
    Mutation
        True where every false mutant is detected.

    Raises
    ------
    BoundkitError
        For a budget, a number of evaluations or a seed that cannot be.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.mutate("sgd_nonconvex", evaluations=50)  # doctest: +SKIP
    """
    from boundkit.attack.mutation import mutate as evaluate_mutants
    from boundkit.attack.search_state import refuse_limits
    from boundkit.theorems import names
    from boundkit.theorems import theorem as named

    refuse_limits(budget, evaluations, seed)
    own = theorem_of(theorem)
    known = {r.to: named(r.to) for r in own.reductions if r.to in names()}
    return evaluate_mutants(own, known, budget=budget, evaluations=evaluations, seed=seed, progress=progress)


def quiz() -> Quiz:
    """Answer the quiz of the lecture notes by derivation.

    Returns
    -------
    Quiz
        The questions and the derived answers.

    Raises
    ------
    BoundkitError
        Never for the theorems of the catalogue.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.quiz()  # doctest: +SKIP
    """
    from boundkit.analysis.quiz import FULL, PARTIAL
    from boundkit.analysis.quiz import quiz as answer_quiz
    from boundkit.theorems import theorem as named

    return answer_quiz(named(FULL), named(PARTIAL))


def reductions(theorem: Theorem | str | None = None, /) -> Reductions:
    """List which theorems of the catalogue become which in a special case, each checked.

    Parameters
    ----------
    theorem : Theorem or str, optional
        A theorem, or its name, for its own neighbours alone.

    Returns
    -------
    Reductions
        The graph of reductions.

    Raises
    ------
    BoundkitError
        For an unknown name.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.reductions("fedavg_nonconvex_partial").graph.edges[0].holds
    True
    """
    from boundkit.analysis.reductions import reductions as list_reductions
    from boundkit.theorems import catalogue

    if theorem is None:
        return list_reductions(catalogue())
    own = theorem_of(theorem)
    return list_reductions({**catalogue(), own.name: own}, own.name)
