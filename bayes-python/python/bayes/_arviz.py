"""Fits for ArviZ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from bayes._arrays import array
from bayes._native import Regression, Run

if TYPE_CHECKING:
    from bayes._fit import Fit
    from bayes._posterior import Labels, Posterior
    from bayes._prediction import Prediction
    from bayes._result import Result

#: Statistics of the sampler that are no numbers with a fraction.
_KINDS = {"diverging": bool, "n_steps": np.int64, "tree_depth": np.int64}


def inference_data(fit: Fit, run: Run, regression: Optional[Regression], predicted: Optional[Prediction]) -> Any:
    """`arviz.InferenceData` of a fit; from ArviZ 1.0 on the `xarray.DataTree` that took its place. `predicted`: predictions of the rows of the fit."""
    import xarray

    chosen = np.array(run.equal_draws(), dtype=np.intp)
    groups = {"posterior": {name: _variable(fit, run, name) for name in fit.names}, "sample_stats": _statistics(run, chosen)}
    outcomes: list[str] = []
    if regression is not None:
        response, outcomes, terms = run.log_likelihood(regression)
        observed = array(response, -1, len(outcomes)) if outcomes else array(response)
        # a row of several columns is one observation
        groups["log_likelihood"] = {"y": (("chain", "draw", "row"), array(terms, -1, len(observed))[chosen])}
        groups["observed_data"] = {"y": (("row", "outcome")[: observed.ndim], observed)}
    if predicted is not None:
        drawn = predicted.draws()
        groups["posterior_predictive"] = {"y": (("chain", "draw", "row", "outcome")[: drawn.ndim], drawn)}
    groups = {name: variables for name, variables in groups.items() if variables}
    data: dict[str, Any] = {
        name: xarray.Dataset(variables, _coordinates(fit, name, chosen, variables, outcomes))
        for name, variables in groups.items()
    }
    attributes = _attributes(fit, run)
    data["posterior"].attrs.update(attributes)
    return _tree(data, attributes)


def of_posterior(posterior: Posterior, run: Run, labels: Labels, log_likelihood: Any = None) -> Any:
    """The same of a posterior, with the dimensions of its model."""
    import xarray

    chosen = np.array(run.equal_draws(), dtype=np.intp)
    index: dict[str, Any] = {"chain": np.arange(chosen.shape[0]), "draw": np.arange(chosen.shape[1])}
    variables = {}
    for name in posterior.names:
        values = posterior.draws(name)
        dims = labels.dims.get(name) or tuple(f"{name}_dim_{axis}" for axis in range(values.ndim - 2))
        variables[name] = (("chain", "draw", *dims), values)
    attributes = _attributes(posterior, run)
    data: dict[str, Any] = {"posterior": xarray.Dataset(variables, {**index, **_used(labels, variables)}, attributes)}
    statistics = _statistics(run, chosen)
    if statistics:
        data["sample_stats"] = xarray.Dataset(statistics, index)
    if log_likelihood:
        data["log_likelihood"] = xarray.Dataset(log_likelihood, index)
    if labels.observed:
        data["observed_data"] = xarray.Dataset(dict(labels.observed), _used(labels, labels.observed))
    return _tree(data, attributes)


def of_model(fit: Posterior, run: Run, labels: Labels, terms: Any) -> Any:
    """The same of a model in Rust, with the log likelihoods of its observations, `[draws, observations]`, and its data."""
    chosen = np.array(run.equal_draws(), dtype=np.intp)
    log_likelihood, observed = {}, {}
    for name, shape, elements, data, values, _ in terms:
        numbers = np.frombuffer(data)
        axes = tuple(f"{name}_dim_{axis}" for axis in range(len(shape)))
        observed[name] = (axes, numbers.reshape(shape))
        of_draws = np.frombuffer(values).reshape(run.total_draws, -1)[chosen]
        if of_draws.shape[-1] == len(elements):
            log_likelihood[name] = (("chain", "draw", *axes), of_draws.reshape(*chosen.shape, *shape))
        else:
            # several elements are one observation
            log_likelihood[name] = (("chain", "draw", f"{name}_observation"), of_draws)
    return of_posterior(fit, run, replace(labels, observed=observed), log_likelihood)


def _attributes(result: Result, run: Run) -> dict[str, Any]:
    """What made the draws, and the evidence if there is one."""
    attributes: dict[str, Any] = {"inference_library": "bayes", "engine": run.engine, "seed": str(run.seed)}
    if result.log_evidence is None:
        return attributes
    return {**attributes, "log_evidence": result.log_evidence, "log_evidence_se": result.log_evidence_se}


def _used(labels: Labels, variables: Any) -> dict[str, Any]:
    """The coordinates of the dimensions that these variables have."""
    used = {dim for dims, _ in variables.values() for dim in dims}
    return {dim: values for dim, values in labels.coords.items() if dim in used}


def _tree(data: dict[str, Any], attributes: dict[str, Any]) -> Any:
    import arviz
    import xarray

    # ArviZ 1 calls a DataTree by the old name too, with a warning
    if int(arviz.__version__.partition(".")[0]) < 1:
        return arviz.InferenceData(attrs=attributes, **data)
    tree = xarray.DataTree.from_dict(data)
    tree.attrs.update(attributes)
    return tree


def _statistics(run: Run, chosen: Any) -> dict[str, Any]:
    """Statistics of the sampler, `[chain, draw]`."""
    statistics = {name: array(numbers)[chosen].astype(_KINDS.get(name, np.float64)) for name, numbers in run.statistics()}
    return {name: (("chain", "draw"), values) for name, values in statistics.items()}


def _variable(fit: Fit, run: Run, name: str) -> tuple[tuple[str, ...], Any]:
    values = fit.draws(name)
    return (("chain", "draw") if values.ndim == 2 else ("chain", "draw", f"{name}_element")), values


def _coordinates(fit: Fit, group: str, chosen: Any, variables: dict[str, Any], outcomes: list[str]) -> dict[str, Any]:
    """The numbers of chains and draws, the names of the elements without the name of the quantity, and those of the columns of the response."""
    coordinates: dict[str, Any] = {}
    if group != "observed_data":
        coordinates = {"chain": np.arange(chosen.shape[0]), "draw": np.arange(chosen.shape[1])}
    if group == "posterior":
        for name, (dims, _) in variables.items():
            if len(dims) == 3:
                coordinates[dims[2]] = [element[len(name) + 1 : -1] for element in fit.elements(name)]
    elif any("outcome" in dims for dims, _ in variables.values()):
        coordinates["outcome"] = outcomes
    return coordinates
