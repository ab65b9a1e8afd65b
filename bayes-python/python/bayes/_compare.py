"""Leave-one-out cross-validation, and the comparison of models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from bayes import _native, _pickles, _words
from bayes._arrays import Array
from bayes._errors import BayesInputError
from bayes._evidence import Evidence
from bayes._posterior import Posterior
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


def compare(models: Mapping[str, Union[Fit, Loo, Posterior, Evidence]]) -> Comparison:
    """Compares models of the same data by their predictions, and by their evidence where they have one.

    `models` has fits, or what their `loo()` returned, by names of your choice. The columns are `elpd`, its standard error `se`,
    `effective_parameters`, the `difference` to the best model with its `difference_se`, the weights `stacking` and `pseudo_bma_plus`, and where there
    is an evidence `log_evidence`, `log_bayes_factor` (against the first row) and their standard errors.

    >>> bayes.compare({"slopes": slopes, "intercepts": intercepts})  # doctest: +SKIP

    What `sample` and `evidence` return has no predictions, and is compared by the evidence alone. The columns are `log_evidence`, `log_bayes_factor`
    (against the first row), their standard errors, and `probability`, the posterior probability of each model if all have the same prior probability.

    Raises BayesInputError where a model has no evidence, and where PyMC models observed other values. Their order, and data that are not observed, such as
    predictors, are not compared.
    """
    if not isinstance(models, Mapping):
        raise TypeError(f'`models` is a {type(models).__name__}; it must be a dict: compare({{"a": fit_a, "b": fit_b}})')
    if models and all(isinstance(model, (Posterior, Evidence)) for model in models.values()):
        return _by_evidence(models)
    estimates = []
    for name, model in models.items():
        loo = model.loo() if hasattr(model, "loo") else model
        if isinstance(loo, (Posterior, Evidence)):
            raise TypeError(f"`{name}` is a {type(model).__name__}, which has no predictions; compare it with others of its kind, by their evidence")
        if not isinstance(loo, Loo):
            raise TypeError(f"`{name}` is a {type(model).__name__}; it must be a Fit or what its loo() returns, a Posterior or an Evidence")
        estimates.append(loo._elpd)
    text, rows, found = _native.compare(list(models), estimates)
    text, warnings = _words.without_calls(text), [_words.without_calls(words) for words in found]
    columns: dict[str, list[float]] = {}
    for _, numbers in rows:
        for column, value in numbers:
            columns.setdefault(column, []).append(np.nan if value is None else value)
    arrays = {column: np.array(values) for column, values in columns.items()}
    return Comparison(text, [name for name, _ in rows], arrays, warnings)


def _by_evidence(models: Mapping[str, Union[Posterior, Evidence]]) -> Comparison:
    """Models from the largest to the smallest evidence."""
    found = {name: (model.log_evidence, model.log_evidence_se) for name, model in models.items()}
    for name, (value, _) in found.items():
        if value is None or not np.isfinite(value):
            engine = getattr(models[name], "engine", "evidence")
            raise BayesInputError(
                f"`{name}` has no evidence; it was made by `{engine}`. Use `engine=\"psmc\"` or `bayes.evidence`, and read the warnings of the result"
            )
    notes = _of_data(models)
    names = sorted(models, key=lambda name: -found[name][0])
    values, errors = (np.array([found[name][k] for name in names], dtype=float) for k in (0, 1))
    factors, factor_errors = values - values[0], np.hypot(errors, errors[0])
    factors[0], factor_errors[0] = np.nan, np.nan
    shares = np.exp(values - values[0])
    columns = {
        "log_evidence": values,
        "log_evidence_se": errors,
        "log_bayes_factor": factors,
        "log_bayes_factor_se": factor_errors,
        "probability": shares / shares.sum(),
    }
    warnings = [*notes, *(f"{name}: {text}" for name in names for text in models[name].warnings)]
    return Comparison(_evidences_in_words(names, columns, warnings), names, columns, warnings)


def _of_data(models: Mapping[str, Union[Posterior, Evidence]]) -> list[str]:
    """What is to be known of the data before evidences are compared: an error if they differ, a note where nothing knows them."""
    observed = {}
    for name, model in models.items():
        labels = (model.posterior if isinstance(model, Evidence) else model)._labels
        values = [np.asarray(values, dtype=np.float32).ravel() for _, values in labels.observed.values()]
        # a model may have other names for its variables, and join what another one has apart
        observed[name] = np.sort(np.concatenate(values)) if values else None
    known = [name for name, values in observed.items() if values is not None]
    for name in known[1:]:
        if not np.array_equal(observed[known[0]], observed[name], equal_nan=True):
            raise BayesInputError(f"`{known[0]}` and `{name}` observed other data; evidences compare models of the same observed values")
    unknown = [f"`{name}`" for name in models if name not in known]
    if not unknown:
        return []
    return [f"the data of {', '.join(unknown)} are unknown here; the comparison holds for the same data, and for likelihoods with all constants"]


def _evidences_in_words(names: list[str], columns: dict[str, Array], warnings: list[str]) -> str:
    """The table as it is printed."""

    def estimates(column: str) -> list[str]:
        pairs = zip(columns[column], columns[f"{column}_se"])
        return ["-" if np.isnan(value) else f"{value:.3f} ± {error:.3f}" for value, error in pairs]

    printed = [estimates("log_evidence"), estimates("log_bayes_factor"), [f"{share:.3f}" for share in columns["probability"]]]
    rows = [["", "log evidence", "log Bayes factor", "probability"], *([name, *cells] for name, *cells in zip(names, *printed))]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]) for row in rows]
    return "\n".join(["Evidence, best model first", *lines, *(f"warning: {text}" for text in warnings)])
