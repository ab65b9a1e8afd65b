"""Predictions of the response."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayes._arrays import Array, array
from bayes._native import Draws, Run
from bayes._table import ResultTable

#: Probabilities of the quantiles that are shown.
_QUANTILES = {"q5": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}


class Prediction(ResultTable):
    """Predictions of the response, a row for each row of the frame, numbered from 0; of a response of several columns, as `multinomial` and `dirichlet`
    have, a row for each column of each row, `"0, bus"`.

    Its columns are those of `Fit.fitted` and of `bayes predict`: the mean with its Monte Carlo error `mcse`, the standard deviation `sd` and quantiles of
    the posterior predictive distribution, new data with their own noise and not their expectations.
    """

    def __init__(self, drawn: Draws, outcomes: list[str], run: Run) -> None:
        self._drawn = drawn
        self._run = run
        #: The columns of a response of several; otherwise empty.
        self.outcomes = outcomes
        rows = range(drawn.elements // max(len(outcomes), 1))
        names = [f"{row}, {outcome}" for row in rows for outcome in outcomes] if outcomes else [str(row) for row in rows]
        quantiles = {name: self.quantile(probability).ravel() for name, probability in _QUANTILES.items()}
        mcse, sd = (np.array(values) for values in run.moments(drawn))
        super().__init__(names, {"mean": self.mean.ravel(), "mcse": mcse, "sd": sd, **quantiles})

    def _of_rows(self, values: Array) -> Array:
        """Numbers of rows, or of rows and columns, which are the last axes."""
        return values.reshape(*values.shape[:-1], -1, len(self.outcomes)) if self.outcomes else values

    def __reduce__(self) -> Any:
        raise TypeError("a Prediction has all draws and is not pickled; keep its `draws()` or its `to_dict()`")

    def __deepcopy__(self, memo: Any) -> Prediction:
        # it never changes
        return self

    @property
    def mean(self) -> Array:
        """The mean, `[row]`, or `[row, outcome]`."""
        return self._of_rows(array(self._drawn.mean()))

    def quantile(self, probability: float) -> Array:
        """The quantile of this probability, `[row]`, or `[row, outcome]`."""
        return self._of_rows(array(self._drawn.quantile(probability)))

    def draws(self) -> Array:
        """Draws of equal weight, `[chain, draw, row]`, or `[chain, draw, row, outcome]`, as `Fit.draws` has those of parameters."""
        values = array(self._drawn.values, -1, self._drawn.elements)
        return self._of_rows(values[np.array(self._run.equal_draws(), dtype=np.intp)])
