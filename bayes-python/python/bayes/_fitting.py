"""Fitting regressions."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

from bayes import _frame
from bayes._errors import BayesInputError, BayesInterrupt, BayesWarning, check_text
from bayes._fit import Fit
from bayes._native import Formula, Regression, Run
from bayes._result import Path
from bayes._text import Lines

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bayes._settings import Settings

Priors = Union[Mapping[str, str], Iterable[str], str, None]


def fit(
    formula: str,
    frame: Any,
    family: str = "gaussian",
    priors: Priors = None,
    *,
    link: str | None = None,
    engine: str = "nuts",
    seed: int = 0,
    drop_missing: bool = False,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Fit:
    """Fits a regression to a data frame.

    >>> fit = bayes.fit("Reaction ~ Days + (1 + Days | Subject)", frame, seed=1)  # doctest: +SKIP

    formula: a response, `~` and terms, as lme4 and brms write them: columns by name, `a:b`, `a * b`, `0 +`, `log(x)`, `I(x^2)`, `scale(x)`,
        `center(x)`, `poly(x, 2)`, `factor(x, base="b")`, `offset(x)`, `s(x)`, `t2(x, z)`, `gp(x)`, `mo(x)`, `ar(time, gr=g)`, groups `(1 + x | g)`,
        `successes | trials(n)`, `y | weights(w) + cens(c)`, several columns `cbind(a, b, c)`, `; sigma ~ x` for another parameter,
        and several responses, `mvbind(y1, y2) ~ x` or `y1 ~ x; y2 ~ z`.
    frame: a data frame of pandas or polars, a table of pyarrow, any object with `__arrow_c_stream__`, or a dict of columns. Texts and
        categories are labels; categories keep their order, texts are in the order of the alphabet.
    family: `gaussian`, `student`, `bernoulli`, `binomial`, `poisson`, `negative-binomial`, `cumulative`, `categorical`, `cox` for times of
        events, `multinomial` and `dirichlet` for several columns, and others; a wrong name lists all. `"y1 = gaussian, y2 = poisson"` for
        several responses.
    priors: `{"b": "normal(0, 1)", "sd[site]": "exponential(1)"}` or `["b ~ normal(0, 1)"]`; `{"b": "horseshoe(scale_global=0.1)"}` and
        `{"b": "R2D2()"}` shrink all coefficients together. `bayes.priors` lists those that hold.
    link: that of the family by default; `identity`, `log`, `logit`, `probit`, `cloglog`, `cauchit`, `inverse`, `softplus`, `sqrt` or
        `tan-half`, as the family allows.
    engine: `nuts` samples the posterior, `walnuts` with steps that fit its narrow parts, `mams` at constant speed;
        `psmc`, `smc`, `nested` and `tempering` estimate the evidence too.
    seed: of all random numbers. The same seed gives the same bits as the program `bayes`, for any number of threads.
    drop_missing: leaves out rows without a value in a column of the formula; otherwise they are an error.
    progress: bars on standard error, if that is a terminal.
    settings: of the engine, as the options of the program `bayes`: `chains=4, draws=1000`, `islands=8, particles=256`, ...;
        `bayes.settings()` lists all. `checkpoint=folder` saves the run there, and the same call goes on after an interruption.

    Long work releases the interpreter's lock. Ctrl-C stops the run and raises KeyboardInterrupt: a `BayesInterrupt`, whose `result` is what was
    finished, if some chain or island was.

    Raises BayesInputError, a ValueError, for a wrong formula, prior, setting or value; TypeError for what is no data frame, and for a column of dates or of another type;
    BayesError if the work fails. Warns by BayesWarning what `Fit.warnings` has.
    """
    check_text("engine", engine, '"nuts"')
    regression = _regression(formula, frame, family, link, priors, drop_missing)
    return _run(regression, engine, seed, progress, dict(settings))


def update(
    first: Fit,
    frame: Any,
    changes: dict[str, Any],
    priors: Priors,
    default_priors: bool,
    engine: str | None,
    seed: int | None,
    progress: bool,
    settings: dict[str, Any],
) -> Fit:
    """The fit that `Fit.update` makes."""
    examples = {"formula": '"y ~ x"', "family": '"poisson"', "link": '"log"', "engine": '"nuts"'}
    for name, text in {**changes, "engine": engine}.items():
        if name in examples and text is not None:
            check_text(name, text, examples[name])
    kept = Formula.of_run(first._run, changes["formula"], default_priors)
    said = kept.chosen(changes["family"], changes["link"], _lines(priors), changes["drop_missing"])
    if frame is None:
        table = first._needs_table("update").table
        _refuse_unread(first, said, changes, default_priors)
    else:
        _frame.refuse_index(frame, said.columns)
        table = _frame.read(frame, said.columns)
    regression = _told(said.on(table), table)
    before = dict(first._run.settings(engine, settings.get("kernel")))
    seed = first._run.seed if seed is None else seed
    return _run(regression, engine or first._run.engine, seed, progress, {**before, **settings}, depth=4)


def _refuse_unread(first: Fit, said: Formula, changes: dict[str, Any], default_priors: bool) -> None:
    """Refuses what the table of the first fit does not have: columns that its formula did not read, and rows that it left out."""
    formula = changes["formula"]
    if changes["drop_missing"] is not None:
        raise BayesInputError("give the frame: the fit has kept only the rows that it read, and `drop_missing` is another one")
    if formula is None:
        return
    known = Formula.of_run(first._run, None, default_priors).columns([])
    # the `.` of a formula reads any other column
    other = " "
    unread = [name for name in said.columns([*known, other]) if name not in known]
    if unread:
        which = "all columns" if other in unread else f"the column `{unread[0]}`"
        raise BayesInputError(f"give the frame: the new formula reads {which}, and the fit has kept only the columns of its own formula")


def _run(regression: Regression, engine: str, seed: int, progress: bool, settings: dict[str, Any], depth: int = 3) -> Fit:
    run, troubles, interrupted = regression.run(engine, _seed(seed), bool(progress) and sys.stderr is not None, settings)
    fitted = Fit(run, regression)
    if interrupted:
        raise BayesInterrupt(fitted)
    for words in [*troubles, *fitted.warnings]:
        warnings.warn(words, BayesWarning, stacklevel=depth)
    return fitted


def priors(
    formula: str,
    frame: Any,
    family: str = "gaussian",
    priors: Priors = None,
    *,
    link: str | None = None,
    drop_missing: bool = False,
) -> str:
    """All parameters of a regression with their priors, a line for each: those that are given and the defaults."""
    return Lines(_regression(formula, frame, family, link, priors, drop_missing).priors)


def load(path: Path, frame: Any = None) -> Fit:
    """The fit that `Fit.save` or `bayes fit --out` saved.

    With the frame of the fit `loo`, `report` and all of `to_arviz` work too.
    """
    run = Run.load(os.fspath(path))
    if frame is None:
        return Fit(run, None)
    table = _frame.read(frame, lambda _: run.columns())
    return Fit(run, Regression.of_run(run, table))


def _seed(seed: int) -> int:
    """A seed, which may be an integer of NumPy."""
    if hasattr(seed, "__index__") and 0 <= operator.index(seed) < 2**64:
        return operator.index(seed)
    raise BayesInputError(f"`seed` is {seed!r}; it must be a whole number from 0 on")


def _regression(formula: str, frame: Any, family: str, link: str | None, priors: Priors, drop_missing: bool) -> Regression:
    check_text("formula", formula, '"y ~ x"')
    check_text("family", family, '"poisson"')
    if link is not None:
        check_text("link", link, '"log"')
    said = Formula(formula).chosen(family, link, _lines(priors), drop_missing)
    _frame.refuse_index(frame, said.columns)
    table = _frame.read(frame, said.columns)
    return _told(said.on(table), table)


def _told(regression: Regression, table: Any) -> Regression:
    """A regression of a table, after warnings of what to know before the fit."""
    left_out = table.rows - regression.rows
    if left_out:
        warnings.warn(f"{left_out} of {table.rows} rows have missing values and are left out", stacklevel=4)
    if regression.has_shares_of_rows:
        text = "some weights are no whole numbers: the likelihood is no probability of data, so that an evidence compares no models"
        warnings.warn(text, BayesWarning, stacklevel=4)
    for note in regression.notes:
        warnings.warn(note, BayesWarning, stacklevel=4)
    return regression


def _lines(priors: Priors) -> list[str]:
    """Priors as lines of text."""
    if priors is None:
        return []
    if isinstance(priors, str):
        return [priors]
    if isinstance(priors, Mapping):
        lines = [f"{parameter} ~ {prior}" for parameter, prior in priors.items()]
    elif isinstance(priors, Iterable):
        lines = list(priors)
    else:
        raise TypeError(
            f'`priors` is a {type(priors).__name__}; it must be a dict such as {{"b": "normal(0, 1)"}}, or a list of lines'
        )
    for line in lines:
        if not isinstance(line, str):
            raise TypeError(f'a prior is a {type(line).__name__}; it must be a text such as "b ~ normal(0, 1)"')
    return lines
