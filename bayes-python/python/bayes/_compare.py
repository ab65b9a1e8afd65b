"""Leave-one-out cross-validation, and the comparison of models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from bayes import _native, _pickles, _words
from bayes._arrays import Array
from bayes._table import ResultTable

if TYPE_CHECKING:
    from bayes._fit import Fit


class Loo:
    """The expected log predictive density of a model for new data of the same kind and number; higher is better."""

    def __init__(self, elpd: _native.Elpd) -> None:
        self._elpd = elpd

    def __getstate__(self) -> bytes:
        return _pickles.content(self._elpd)

    def __setstate__(self, saved: bytes) -> None:
        self._elpd = _pickles.loaded(_native.Elpd.load, saved)

    def __deepcopy__(self, memo: Any) -> Loo:
        # it never changes
        return self

    def __repr__(self) -> str:
        return _words.without_calls(self._elpd.text().rstrip("\n"))

    @property
    def elpd(self) -> float:
        """The estimate: the sum over the rows, on the log scale."""
        return self._elpd.elpd

    @property
    def se(self) -> float:
        """Its standard error over data."""
        return self._elpd.se

    @property
    def effective_parameters(self) -> float:
        """The effective number of parameters."""
        return self._elpd.effective_parameters

    @property
    def pointwise(self) -> Array:
        """The log predictive density of each row, `[row]`."""
        return np.array(self._elpd.pointwise)

    @property
    def pareto_k(self) -> Array:
        """k-hat of each row, `[row]`; an estimate is bad above `good_k`."""
        return np.array(self._elpd.pareto_k)

    @property
    def good_k(self) -> float:
        """The largest k-hat that is good for the number of draws."""
        return self._elpd.good_k

    @property
    def warnings(self) -> list[str]:
        """Why the estimate may be wrong and what to do; empty if nothing speaks against it."""
        return [_words.without_calls(text) for text in self._elpd.warnings]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Saves it for `bayes compare`."""
        self._elpd.save(path)


class Comparison(ResultTable):
    """Models of the same data from best to worst, as `compare` returns them."""

    def __init__(self, text: str, names: list[str], columns: dict[str, Array], warnings: list[str]) -> None:
        super().__init__(names, columns, notes=tuple(warnings))
        self._text = text
        #: Warnings of the models and what to know before rows are compared.
        self.warnings = warnings

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


def compare(models: Mapping[str, Union[Fit, Loo]]) -> Comparison:
    """Compares models of the same data by their predictions, and by their evidence where they have one.

    `models` has fits, or what their `loo()` returned, by names of your choice. The columns are `elpd`, its standard error `se`,
    `effective_parameters`, the `difference` to the best model with its `difference_se`, the weights `stacking` and `pseudo_bma_plus`, and where there
    is an evidence `log_evidence`, `log_bayes_factor` (against the first row) and their standard errors.

    >>> bayes.compare({"slopes": slopes, "intercepts": intercepts})  # doctest: +SKIP
    """
    if not isinstance(models, Mapping):
        raise TypeError(f'`models` is a {type(models).__name__}; it must be a dict: compare({{"a": fit_a, "b": fit_b}})')
    estimates = []
    for name, model in models.items():
        loo = model.loo() if hasattr(model, "loo") else model
        if not isinstance(loo, Loo):
            raise TypeError(f"`{name}` is a {type(model).__name__}; it must be a Fit or what its loo() returns")
        estimates.append(loo._elpd)
    text, rows, found = _native.compare(list(models), estimates)
    text, warnings = _words.without_calls(text), [_words.without_calls(words) for words in found]
    columns: dict[str, list[float]] = {}
    for _, numbers in rows:
        for column, value in numbers:
            columns.setdefault(column, []).append(np.nan if value is None else value)
    arrays = {column: np.array(values) for column, values in columns.items()}
    return Comparison(text, [name for name, _ in rows], arrays, warnings)
