"""Inference on PyMC models, on Stan programs, on models in Rust, and on functions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from bayes import _functions, _prior_check, _pymc, _reference
from bayes._errors import BayesError, BayesInputError, BayesInterrupt, BayesWarning, check_text
from bayes._evidence import Evidence
from bayes._fitting import _seed
from bayes._functions import Prior
from bayes._made import Made
from bayes._models import Model
from bayes._posterior import _UNKNOWN, Constant, Labels, Posterior
from bayes._stan import StanProgram
from bayes._words import FROM_PRIOR, Given

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bayes._settings import Settings

_T = TypeVar("_T")

#: Arguments of functions and of PyMC models, with their defaults.
_OF_OTHERS = {"dim": None, "prior": None, "names": None, "backend": "auto", "potentials": None, "var_names": None}


def sample(
    model: Any,
    *,
    dim: Optional[int] = None,
    prior: Optional[Prior] = None,
    names: Optional[Mapping[str, Any]] = None,
    engine: str = "psmc",
    seed: int = 0,
    backend: str = "auto",
    potentials: Optional[str] = None,
    var_names: Optional[Iterable[str]] = None,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Posterior:
    """Samples the posterior of a PyMC model, of a Stan program, of a model in Rust, or of a log likelihood that is a function.

    >>> posterior = bayes.sample(pymc_model)  # doctest: +SKIP
    >>> posterior = bayes.sample(log_likelihood, dim=2, prior=bayes.Prior.normal(0, 1))  # doctest: +SKIP

    model: a `pymc.Model` without discrete free variables; a program of `bayes.stan`; a `bayes.Model` in Rust, whose `run` this is; or a function of a position, a NumPy array `[dim]`, that returns the log likelihood and its
        gradient, `[dim]`: of NumPy, of JAX (`jax.jit(log_likelihood)`, with `jax_enable_x64`; JAX makes the gradient), or any other. One that returns the log likelihood alone has
        the gradients of differences, `2 dim` calls for each. One thread at a time is in such a function. A C function is called without the
        interpreter's lock by all threads: `numba.cfunc("float64(int64, CPointer(float64), CPointer(float64))")` of the number of
        coordinates, the position and the gradient, which it fills; or the same by ctypes.
    dim: the number of coordinates of a function; each is any real number.
    prior: of a function, a `bayes.Prior`, from which islands start; without one the function is the log density of the posterior, and only
        chains (`engine="nuts"`) can run.
    names: names and shapes of the coordinates of a function, in order: `{"mu": (), "theta": 8}`.
    engine: `psmc`, `smc`, `nested` and `tempering` estimate the evidence too; `nuts`, `walnuts` and `mams` sample the posterior alone.
    seed: of all random numbers. The same seed gives the same bits for any number of threads.
    backend: of a function: `jax` compiles a function of JAX, with its gradient if it returns none, for many positions at once; `interpreter` calls it
        for each position; `auto` is `jax` for what `jax.jit` returned, and for what returns arrays of JAX if JAX can compile it. Of a PyMC model: `auto` compiles it to a C function, which threads call without the interpreter's lock, by LLVM alone
        where that knows all operations, and by numba elsewhere; `numba` by numba; `interpreter` calls PyTensor's function with the lock, as `auto` does where numba is not installed.
    potentials: what `pymc.Potential`s are: `likelihood` or `prior`. As likelihood, they are part of the evidence, as `pymc.sample_smc` takes them; as prior
        they are part of the density of the prior, and a second run divides by its constant, with the same number of islands and particles and the same
        limit of time. Without a word they are likelihood, with a warning.
    var_names: the quantities of a PyMC model that are kept; by default all free variables and deterministics.
    progress: bars on standard error, if that is a terminal.
    settings: of the engine: `islands=8, particles=256`, `chains=4, draws=1000`, ...; `bayes.settings()` lists all.

    An exception that a function raises ends the run and is raised here. NaN is counted, and warned of. Ctrl-C stops the run and raises
    KeyboardInterrupt: a `BayesInterrupt`, whose `result` is what was finished, if some chain or island was.

    Raises BayesInputError, a ValueError, for a model, a setting or a value that is wrong; TypeError for what is no model or function, and for what a
    function returns; BayesError if the work fails. Warns by BayesWarning what `Posterior.warnings` has.
    """
    check_text("engine", engine, '"psmc"')
    if "checkpoint" in settings and not isinstance(model, Model):
        raise BayesInputError(
            "`checkpoint` is of formulas and of models in Rust: nothing tells whether a folder holds this model"
        )
    if isinstance(model, Model):
        _refuse_for_rust(dim, prior, names, backend, potentials, var_names)
        posterior: Posterior = model._run(engine, seed, progress, dict(settings))
    else:
        made = _made(model, dim, prior, names, backend, potentials, var_names)
        if engine in FROM_PRIOR:
            made = _from_prior(made, engine, _seed(seed), progress)
        posterior = _run(made, engine, seed, progress, dict(settings))
    for words in posterior.warnings:
        warnings.warn(words, BayesWarning, stacklevel=2)
    return posterior


def evidence(
    model: Any,
    *,
    dim: Optional[int] = None,
    prior: Optional[Prior] = None,
    names: Optional[Mapping[str, Any]] = None,
    seed: int = 0,
    backend: str = "auto",
    potentials: Optional[str] = None,
    var_names: Optional[Iterable[str]] = None,
    progress: bool = True,
    tempered: Optional[Mapping[str, Any]] = None,
    nested: Optional[Mapping[str, Any]] = None,
) -> Evidence:
    """The log evidence of a PyMC model, of a Stan program, of a model in Rust, or of a log likelihood that is a function, by tempered islands (psmc) and by nested islands, and whether they agree.

    >>> bayes.evidence(pymc_model)  # doctest: +SKIP

    tempered, nested: settings of the two engines: `tempered={"islands": 8, "particles": 256}`.

    Ctrl-C in the nested run leaves the tempered islands in `BayesInterrupt.result`. The other arguments, and what is raised and warned of, are those of `bayes.sample`. It takes the time of both runs.
    """
    settings = {"psmc": _settings("tempered", tempered), "nested": _settings("nested", nested)}
    seed = _seed(seed)
    # the bits of the other seed are inverted, so that the two share no draw
    other = 2**64 - 1 - seed
    if isinstance(model, Model):
        _refuse_for_rust(dim, prior, names, backend, potentials, var_names)
        by_islands: Posterior = model._run("psmc", seed, progress, settings["psmc"])
    else:
        made = _made(model, dim, prior, names, backend, potentials, var_names)
        made = _from_prior(made, "psmc", seed, progress)
        by_islands = _run(made, "psmc", seed, progress, settings["psmc"])
    try:
        if isinstance(model, Model):
            by_levels: Posterior = model._run("nested", other, progress, settings["nested"])
        else:
            by_levels = _run(made, "nested", other, progress, settings["nested"], by_islands)
    except KeyboardInterrupt as stopped:
        note = "the nested islands were stopped: this is what the tempered islands found alone"
        raise BayesInterrupt(Posterior(by_islands._run, by_islands._labels, by_islands._constant, [note])) from stopped
    found = Evidence(by_islands, by_levels)
    for words in found.warnings:
        warnings.warn(words, BayesWarning, stacklevel=2)
    return found


def _refuse_for_rust(*given: Any) -> None:
    """Refuses what belongs to functions and to PyMC models."""
    for (name, default), value in zip(_OF_OTHERS.items(), given):
        if value != default:
            raise BayesInputError(f"`{name}` is not of models in Rust, which have their own")


def _settings(name: str, given: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f'`{name}` is a {type(given).__name__}; it must be a dict of settings: {{"particles": 256}}')
    return dict(given or {})


def _made(
    model: Any,
    dim: Optional[int],
    prior: Optional[Prior],
    names: Optional[Mapping[str, Any]],
    backend: str,
    potentials: Optional[str],
    var_names: Optional[Iterable[str]],
) -> Made:
    of_functions = {"dim": dim, "prior": prior, "names": names}
    of_models = {"potentials": potentials, "var_names": var_names}
    if isinstance(model, StanProgram):
        given = {**of_functions, **of_models, "backend": None if backend == "auto" else backend}
        for name in (name for name, value in given.items() if value is not None):
            raise BayesInputError(f"`{name}` is not of Stan programs, which have their own")
        return model._made()
    if _pymc.is_model(model):
        for name in (name for name, value in of_functions.items() if value is not None):
            raise BayesInputError(f"`{name}` is of functions; a PyMC model has its own")
        return _pymc.made(model, backend, potentials, var_names)
    for name in (name for name, value in of_models.items() if value is not None):
        raise BayesInputError(f"`{name}` is of PyMC models, and `model` is a {type(model).__name__}")
    if isinstance(model, type) or (not callable(model) and not hasattr(model, "address")):
        raise TypeError(
            f"`model` is a {type(model).__name__}; it must be a pymc.Model, a bayes.Model, a bayes.StanProgram, or a function that returns the log likelihood and its gradient"
        )
    density = _functions.density(model, dim, prior, names, backend)
    without = (
        None
        if prior is not None
        else "a function has no prior of its own: `prior=bayes.Prior.normal(0, 1)`, or `bayes.Prior(log_density, draw)`"
    )
    shapes = {name: _functions._shape(name, shape) for name, shape in (names or {"x": dim}).items()}
    labels = Labels(shapes, given=Given("function", prior is not None, is_all=prior is None))
    return Made(density, int(dim or 0), labels, [f"x[{k}]" for k in range(int(dim or 0))], without)


def _from_prior(made: Made, engine: str, seed: int, progress: bool) -> Made:
    """The same with prior draws that have its density, or with a reference of a density that does not say what is prior."""
    if made.target is not None:
        is_shown = bool(progress) and sys.stderr is not None
        return _explained(made, "nuts", lambda: _reference.fitted(made, seed, is_shown))
    _check_prior(made, engine)
    return made


def _explained(made: Made, engine: str, work: Callable[[], _T]) -> _T:
    """The work of an engine, whose errors are in the words of the density, and say what it has to say of it."""
    try:
        return work()
    except BayesError as error:
        text, given = str(error), made.labels.given
        words = [text if given is None else given.spoken(text, engine), *(made.after() if made.after else [])]
        if words == [text]:
            raise
        raise type(error)("; ".join(words)) from error


def _check_prior(made: Made, engine: str) -> None:
    if made.without_prior is not None:
        raise BayesInputError(
            f'`{engine}` begins with draws from the prior; {made.without_prior}. Chains need none: `engine="nuts"`'
        )
    trouble = _prior_check.trouble(made.density, made.dim, made.coordinates, made.periodic)
    if trouble is not None:
        warnings.warn(f"{trouble}; the evidence and the draws may be wrong", BayesWarning, stacklevel=3)


def _run(
    made: Made, engine: str, seed: int, progress: bool, settings: dict[str, Any], before: Optional[Posterior] = None
) -> Posterior:
    """The run of an engine, with the constant of a prior with potentials: that of a run `before`, or of a run of its own."""
    seed, progress = _seed(seed), bool(progress) and sys.stderr is not None
    run, troubles, interrupted = _explained(made, engine, lambda: made.density.run(engine, seed, progress, dict(settings)))
    has_constant = made.of_potentials is not None and run.log_evidence is not None
    if interrupted:
        raise BayesInterrupt(Posterior(run, made.labels, _UNKNOWN.format("was not begun") if has_constant else None))
    for words in troubles:
        warnings.warn(words, BayesWarning, stacklevel=3)
    notes = [*made.notes, *(made.after() if made.after else [])]
    if not has_constant:
        return Posterior(run, made.labels, notes=notes)
    if before is not None and before._constant is not None:
        return Posterior(run, made.labels, before._constant)
    try:
        return Posterior(run, made.labels, _constant(made, seed, progress, settings))
    except KeyboardInterrupt as stopped:
        raise BayesInterrupt(Posterior(run, made.labels, _UNKNOWN.format("was stopped"))) from stopped


def _constant(made: Made, seed: int, progress: bool, settings: dict[str, Any]) -> Constant:
    """The run of the prior with its potentials alone, of the same size; why there is none if it fails, since the first run is not to be lost."""
    assert made.of_potentials is not None
    shared = {name: value for name, value in settings.items() if name in ("particles", "islands", "time_limit")}
    try:
        run, troubles, interrupted = made.of_potentials.run("psmc", (seed + 1) % 2**64, progress, shared)
    except BayesError as error:
        assert made.labels.given is not None
        return _UNKNOWN.format(f"failed: {made.labels.given.spoken(str(error), 'psmc')}")
    if interrupted:
        raise KeyboardInterrupt
    for words in troubles:
        warnings.warn(f"the run of the potentials alone: {words}", BayesWarning, stacklevel=4)
    return Posterior(run, made.labels)
