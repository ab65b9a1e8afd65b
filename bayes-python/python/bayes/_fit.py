"""The result of a regression."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Optional

from bayes import _arviz, _frame, _native, _words
from bayes._compare import Loo
from bayes._errors import BayesError, BayesInputError
from bayes._native import Regression, Run, Table
from bayes._result import Path, Result
from bayes._prediction import Prediction
from bayes._questions import R2, Averages, Effects, Fitted, Hypothesis, conditions
from bayes._text import Lines


class Fit(Result):
    """A fitted regression: what `fit` and `load` return.

    `print(fit)` shows a summary with warnings, as the program `bayes` prints it.
    """

    def __init__(self, run: Run, regression: Optional[Regression]) -> None:
        super().__init__(run)
        self._regression = regression

    def __repr__(self) -> str:
        text = super().__repr__()
        try:
            of_priors = self._regression and self._regression.evidence_in_words(self._run)
        except BayesError:
            # a fit of an earlier version did not keep which priors were chosen
            of_priors = None
        return f"{text}\n\n{of_priors}" if of_priors else text

    def __getstate__(self) -> dict[str, Any]:
        # as a file: the data are not in it
        return {**super().__getstate__(), "_regression": None}

    @property
    def priors(self) -> str:
        """All parameters with their priors, a line for each."""
        return self._needs_table("priors").priors

    @property
    def rows(self) -> list[int]:
        """The rows of the frame that were fitted, numbered from 0: all but those that were left out because values are missing, `[row]`.

        The rows of `loo()` and of `to_arviz()` are these.
        """
        return self._needs_table("rows").row_numbers

    def update(
        self,
        frame: Any = None,
        *,
        formula: Optional[str] = None,
        family: Optional[str] = None,
        priors: Any = None,
        link: Optional[str] = None,
        default_priors: bool = False,
        drop_missing: Optional[bool] = None,
        engine: Optional[str] = None,
        seed: Optional[int] = None,
        progress: bool = True,
        **settings: Any,
    ) -> Fit:
        """Fits again, to other data or with a part changed; all else is as in this fit: formula, family, link, the priors that were chosen, engine, its settings and the seed.

        >>> fit.update(frame, draws=4000)  # doctest: +SKIP

        frame: other data, by default those of the fit, with the columns of its formula.
        formula, family, link, drop_missing: as for `fit`, in place of those of this fit; the `.` of a new formula means all columns of the frame.
        priors: come behind those that were chosen for this fit. Default priors are set by the data.
        default_priors: forgets the priors that were chosen for this fit.
        engine, settings: as for `fit`. Another engine or kernel begins with its defaults. Limits of time, gradients and memory are not kept, but the numbers of islands and draws that
            they left.
        """
        from bayes import _fitting

        changes = {"formula": formula, "family": family, "link": link, "drop_missing": drop_missing}
        return _fitting.update(self, frame, changes, priors, default_priors, engine, seed, progress, settings)

    def predict(self, frame: Any, *, new_groups: bool = False) -> Prediction:
        """Predictions of the response of a frame, the same or a new one.

        A new frame has the columns of the formula and may lack the response. Groups are found by name; one that the fit has not seen is an error,
        unless `new_groups=True` draws its effects from their prior given the posterior.
        """
        return Prediction(*self._run.predict(self._table(frame), new_groups), self._run)

    def fitted(
        self,
        frame: Any = None,
        *,
        linear: bool = False,
        groups: bool = True,
        new_groups: bool = False,
        response: Optional[str] = None,
    ) -> Fitted:
        """The expected response of each row of a frame: its posterior, without the noise of a single response.

        frame: the same or a new one, as for `predict`; the frame of the fit by default.
        linear: the linear predictor in its place.
        groups: False is for the population: the effects of groups are 0, and the frame may lack their columns.
        new_groups: draws groups that the fit has not seen from their prior given the posterior; otherwise they are an error.
        response: the response that the answer is about, of a fit with several.
        """
        if not groups and new_groups:
            raise BayesInputError(
                "`groups=False` leaves all groups out, and `new_groups=True` draws new ones; give one of them"
            )
        how = _native.Expected(linear, groups, new_groups, response)
        if frame is not None:
            return Fitted(self._run, self._table(frame), how)
        regression = self._needs_table("fitted")
        return Fitted(self._run, regression.table, how, regression.row_numbers)

    def effects(
        self,
        of: str,
        *,
        at: Mapping[str, Any] = {},
        linear: bool = False,
        new_group: bool = False,
        response: Optional[str] = None,
    ) -> Effects:
        """The expected response while a column varies, `"age"`, or two, `"age:sex"`, and the others stay: conditional effects, with a picture.

        Numbers vary over a grid of 100 points, and labels over all of theirs; the second column, if it holds numbers, is at its mean and a standard
        deviation on each side. Other columns stay at their mean or their first label, and effects of groups are 0. For binomial families it is
        the probability of a success.

        at: other columns at these values; of a column of groups, the effects of this group count.
        linear: the linear predictor in place of the expected response.
        new_group: the effects of a new group, drawn from the population, in place of 0.
        response: the response that the answer is about, of a fit with several.
        """
        regression = self._about("effects", response)
        return Effects(_native.effects(self._run, regression, of, conditions(at), linear, new_group))

    def contrasts(self, of: str, *, by: Optional[str] = None, ratio: bool = False, response: Optional[str] = None) -> Averages:
        """How much larger the expected response is on average if a column is changed in all rows: average contrasts, by g-computation.

        Each label takes the place of the first one, 1 that of 0 where a column holds 0 and 1 alone, and other numbers are larger by 1. All else
        stays as it is in each row. For binomial families rows count by their trials, and the response is a probability.

        by: averages over the rows of each value of this column apart.
        ratio: the ratio of the averages in place of their difference.
        response: the response that the answer is about, of a fit with several.
        """
        return Averages(_native.contrasts(self._run, self._about("contrasts", response), of, by, ratio))

    def slopes(self, of: str, *, by: Optional[str] = None, response: Optional[str] = None) -> Averages:
        """The derivative of the expected response by a column of numbers, averaged over the rows.

        by: averages over the rows of each value of this column apart.
        response: the response that the answer is about, of a fit with several.
        """
        return Averages(_native.slopes(self._run, self._about("slopes", response), of, by))

    def r2(self, *, response: Optional[str] = None) -> R2:
        """Bayesian R² (Gelman, Goodrich, Gabry & Vehtari 2019), and R² of rows that were left out, by importance sampling.

        response: the response that the answer is about, of a fit with several.
        """
        regression = self._about("r2", response)
        return R2(_native.r2(self._run, regression), regression.row_numbers)

    def hypothesis(self, text: str) -> Hypothesis:
        """The posterior probability of an inequality between quantities: `"b[age] > 0"`, `"sd[site:Intercept] / sigma < 1"`.

        Quantities are those of `summary`, and `age` alone is `b[age]`. The beginning of a name is enough where one quantity has it: `sd[site]` is
        `sd[site:Intercept]` if no other term has groups `site`. Between them stand + - * / ^ ( ) and exp, log, sqrt, abs. Of an equation it
        is the probability that the left side is larger.
        """
        return Hypothesis(_native.hypothesis(self._run, text))

    def _table(self, frame: Any) -> Table:
        return _frame.read(frame, lambda _: self._run.columns())

    def _about(self, what: str, response: Optional[str]) -> Regression:
        regression = self._needs_table(what)
        return regression if response is None else regression.about(response)

    def _needs_table(self, what: str) -> Regression:
        if self._regression is None:
            raise BayesInputError(f"`{what}` needs the data of the fit: `bayes.load(path, frame)`")
        return self._regression

    def loo(self, *, refit: bool = False, folds: Optional[int] = None) -> Loo:
        """How well the model predicts new data: leave-one-out cross-validation by Pareto smoothed importance sampling.

        refit: fits the model again without each row whose k-hat is above 0.5, and takes the term from there.
        folds: cross-validation in so many parts in place of single rows, from 2 on: fits the model again without each part. The seed of the run
            deals the rows: compare runs of the same seed and number of folds.

        New fits have the engine and the seed of this one, and the defaults of its other settings.
        """
        if refit and folds is not None:
            raise BayesInputError("`refit=True` is about single rows, and `folds` about parts of them; give one of them")
        if folds is not None:
            is_whole = isinstance(folds, Integral) and not isinstance(folds, bool)
            if not is_whole or folds < 2:
                raise BayesInputError(f"`folds` is {folds!r}; it must be a whole number from 2 on")
        return Loo(self._run.loo(self._needs_table("loo"), refit, folds))

    def explain(self) -> str:
        """What went wrong in the run: every NaN, infinity and panic of its density, what the model does there, and where trajectories diverged."""
        return Lines(_words.without_calls(self._run.explain(self._needs_table("explain"))))

    def report(self, path: Path) -> None:
        """Writes a web page: warnings, summary, pictures, and how well the model predicts its data."""
        self._run.report(self._needs_table("report"), path)

    def to_arviz(self, *, predictions: bool = False) -> Any:
        """The fit as ArviZ's `InferenceData`, from ArviZ 1.0 on a `DataTree` of xarray; ArviZ must be installed.

        Its groups are `posterior`, whose attributes have the evidence, `sample_stats`, and, where the data are known, `log_likelihood` and `observed_data`;
        with `predictions=True` also `posterior_predictive`, new responses of the rows of the fit, for predictive checks. Draws are those of `draws`:
        for islands ArviZ's R-hat and effective sizes mean nothing, and those of `summary` count.
        """
        predicted = None
        if predictions:
            predicted = Prediction(*self._run.predict(self._needs_table("to_arviz").table, False), self._run)
        return _arviz.inference_data(self, self._run, self._regression, predicted)
