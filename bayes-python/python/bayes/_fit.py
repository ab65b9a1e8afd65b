"""The result of a regression."""

from __future__ import annotations

from typing import Any, Optional

from bayes import _arviz, _frame
from bayes._compare import Loo
from bayes._errors import BayesInputError
from bayes._native import Regression, Run, Table
from bayes._result import Path, Result
from bayes._prediction import Prediction


class Fit(Result):
    """A fitted regression: what `fit` and `load` return.

    `print(fit)` shows a summary with warnings, as the program `bayes` prints it.
    """

    def __init__(self, run: Run, regression: Optional[Regression]) -> None:
        super().__init__(run)
        self._regression = regression

    @property
    def priors(self) -> str:
        """All parameters with their priors, a line for each."""
        return self._needs_table("priors").priors

    def predict(self, frame: Any, *, new_groups: bool = False) -> Prediction:
        """Predictions of the response of a frame, the same or a new one.

        A new frame has the columns of the formula and may lack the response. Groups are found by name; one that the fit has not seen is an error,
        unless `new_groups=True` draws its effects from their prior given the posterior.
        """
        return Prediction(self._run.predict(self._table(frame), new_groups), self._run)

    def _table(self, frame: Any) -> Table:
        return _frame.read(frame, lambda _: self._run.columns())

    def _needs_table(self, what: str) -> Regression:
        if self._regression is None:
            raise BayesInputError(f"`{what}` needs the data of the fit: `bayes.load(path, frame)`")
        return self._regression

    def loo(self) -> Loo:
        """How well the model predicts new data: leave-one-out cross-validation by Pareto smoothed importance sampling."""
        return Loo(self._run.loo(self._needs_table("loo")))

    def report(self, path: Path) -> None:
        """Writes a web page: warnings, summary, pictures, and how well the model predicts its data."""
        self._run.report(self._needs_table("report"), path)

    def to_arviz(self) -> Any:
        """The fit as ArviZ's `InferenceData`, from ArviZ 1.0 on a `DataTree` of xarray; ArviZ must be installed.

        Its groups are `posterior`, `sample_stats`, and, where the data are known, `log_likelihood` and `observed_data`. Draws are those of `draws`:
        for islands ArviZ's R-hat and effective sizes mean nothing, and those of `summary` count.
        """
        return _arviz.inference_data(self, self._run, self._regression)
