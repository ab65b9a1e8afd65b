"""Fits for ArviZ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from bayes._arrays import array
from bayes._native import Regression, Run

if TYPE_CHECKING:
    from bayes._fit import Fit

#: Statistics of the sampler that are no numbers with a fraction.
_KINDS = {"diverging": bool, "n_steps": np.int64, "tree_depth": np.int64}


def inference_data(fit: Fit, run: Run, regression: Optional[Regression]) -> Any:
    """`arviz.InferenceData` of a fit; from ArviZ 1.0 on the `xarray.DataTree` that took its place."""
    import arviz
    import xarray

    chosen = np.array(run.equal_draws(), dtype=np.intp)
    groups = {"posterior": {name: _variable(fit, run, name) for name in fit.names}}
    statistics = {name: array(numbers)[chosen].astype(_KINDS.get(name, np.float64)) for name, numbers in run.statistics()}
    groups["sample_stats"] = {name: (("chain", "draw"), values) for name, values in statistics.items()}
    if regression is not None:
        response, terms = run.log_likelihood(regression)
        observed = array(response)
        groups["log_likelihood"] = {"y": (("chain", "draw", "row"), array(terms, -1, len(observed))[chosen])}
        groups["observed_data"] = {"y": (("row",), observed)}
    groups = {name: variables for name, variables in groups.items() if variables}
    data: dict[str, Any] = {
        name: xarray.Dataset(variables, _coordinates(fit, name, chosen, variables)) for name, variables in groups.items()
    }
    if hasattr(arviz, "InferenceData"):
        return arviz.InferenceData(**data)
    return xarray.DataTree.from_dict(data)


def _variable(fit: Fit, run: Run, name: str) -> tuple[tuple[str, ...], Any]:
    values = fit.draws(name)
    return (("chain", "draw") if values.ndim == 2 else ("chain", "draw", f"{name}_element")), values


def _coordinates(fit: Fit, group: str, chosen: Any, variables: dict[str, Any]) -> dict[str, Any]:
    """The numbers of chains and draws, and the names of the elements without the name of the quantity."""
    coordinates: dict[str, Any] = {}
    if group != "observed_data":
        coordinates = {"chain": np.arange(chosen.shape[0]), "draw": np.arange(chosen.shape[1])}
    if group == "posterior":
        for name, (dims, _) in variables.items():
            if len(dims) == 3:
                coordinates[dims[2]] = [element[len(name) + 1 : -1] for element in fit.elements(name)]
    return coordinates
