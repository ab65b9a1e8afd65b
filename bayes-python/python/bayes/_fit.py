"""The result of an inference."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np

from bayes import _arviz, _frame
from bayes._arrays import Array, array
from bayes._compare import Loo
from bayes._errors import BayesInputError
from bayes._native import Regression, Run, Table
from bayes._prediction import Prediction
from bayes._table import ResultTable

Path = Union[str, "os.PathLike[str]"]


class Fit:
    """A fitted regression: what `fit` and `load` return.

    `print(fit)` shows a summary with warnings, as the program `bayes` prints it.
    """

    def __init__(self, run: Run, regression: Optional[Regression]) -> None:
        self._run = run
        self._regression = regression

    def __repr__(self) -> str:
        return self._run.text().rstrip("\n")

    def _repr_html_(self) -> str:
        warnings = self.warnings or ["no warnings"]
        return ResultTable._repr_html_(self._summary(None, (self._run.title, *self._evidence_in_words(), *warnings)))

    @property
    def title(self) -> str:
        """The formula, the family and the number of rows."""
        return self._run.title

    @property
    def engine(self) -> str:
        """The engine, such as `nuts`."""
        return self._run.engine

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return self._run.seed

    @property
    def warnings(self) -> list[str]:
        """Why the fit may be wrong and what to do, in plain English; empty if nothing speaks against it."""
        return self._run.warnings

    @property
    def priors(self) -> str:
        """All parameters with their priors, a line for each."""
        return self._needs_table("priors").priors

    def summary(self, *names: str) -> ResultTable:
        """Posterior summaries, a row for each element of each quantity.

        The columns are the mean, its Monte Carlo standard error `mcse`, the standard deviation `sd`, the quantiles `5%`, `50%` and `95%`,
        the effective sample sizes `ess_bulk` and `ess_tail`, and `r_hat`. `names` chooses quantities (`"b"`) and elements (`"b[days]"`);
        without any all answers are shown, but not the coordinates of the sampler.
        """
        return self._summary(list(names) or None, ())

    def _summary(self, only: Optional[list[str]], notes: tuple[str, ...]) -> ResultTable:
        rows, values, printed = self._run.summary(only)
        numbers = np.array(values).reshape(len(rows), -1)
        columns = {column: numbers[:, k] for k, column in enumerate(Run.header())}
        return ResultTable(rows, columns, printed, notes)

    @property
    def log_evidence(self) -> Optional[float]:
        """The natural logarithm of the evidence, the marginal likelihood of the data; None for chains such as those of nuts."""
        found = self._run.log_evidence
        return None if found is None else found[0]

    @property
    def log_evidence_se(self) -> Optional[float]:
        """The standard error of the log evidence; None without one."""
        found = self._run.log_evidence
        return None if found is None else found[1]

    @property
    def log_evidence_interval(self) -> Optional[tuple[float, float]]:
        """The interval of 95% of the log evidence; None without one."""
        found = self._run.log_evidence
        return None if found is None else found[2]

    def _evidence_in_words(self) -> list[str]:
        if self.log_evidence is None:
            return []
        return [f"log evidence {self.log_evidence:.4f} ± {self.log_evidence_se:.4f}"]

    @property
    def names(self) -> list[str]:
        """The names of all quantities, the coordinates of the sampler too."""
        return self._run.names

    def elements(self, name: str) -> list[str]:
        """The names of the elements of a quantity: `b[days]`; those of a single number are its own name."""
        return self._run.elements(name) or [name]

    def draws(self, name: str) -> Array:
        """Draws of equal weight: `[chain, draw, element]`, or `[chain, draw]` of a single number and of an element (`"b[days]"`).

        The names of the elements are `fit.elements(name)`. Draws of chains are as they were made. Those of islands (psmc, smc, ais and nested) have
        weights: they are resampled to at most 4000 draws in four chains, which have no order; `weighted_draws` has all of them.
        """
        whole, element = self._place(name)
        drawn = self._run.draws(whole)
        values = array(drawn.values, -1, drawn.elements)
        equal = values[np.array(self._run.equal_draws(), dtype=np.intp)]
        if element is not None:
            return equal[:, :, element]
        return equal if self._run.elements(whole) else equal[:, :, 0]

    def weighted_draws(self, name: str) -> tuple[Array, Array]:
        """All draws as the engine made them, `[draw, element]`, and their weights, `[draw]`, which sum to 1."""
        drawn = self._run.draws(name)
        return array(drawn.values, -1, drawn.elements), array(drawn.weights)

    def _place(self, name: str) -> tuple[str, Optional[int]]:
        """The quantity of a name, and the place of its element if it names one."""
        if name not in self.names:
            whole = name.partition("[")[0]
            if whole in self.names and name in self._run.elements(whole):
                return whole, self._run.elements(whole).index(name)
        return name, None

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

    def save(self, path: Path) -> None:
        """Saves the fit for `bayes.load`, and for the commands of the program `bayes`."""
        self._run.save(path)

    def to_arviz(self) -> Any:
        """The fit as ArviZ's `InferenceData`, from ArviZ 1.0 on a `DataTree` of xarray; ArviZ must be installed.

        Its groups are `posterior`, `sample_stats`, and, where the data are known, `log_likelihood` and `observed_data`. Draws are those of `draws`:
        for islands ArviZ's R-hat and effective sizes mean nothing, and those of `summary` count.
        """
        return _arviz.inference_data(self, self._run, self._regression)
