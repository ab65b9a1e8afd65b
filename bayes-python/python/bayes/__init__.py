"""Bayesian regressions by formulas, PyMC models, Stan programs and functions: NUTS, sequential Monte Carlo and nested sampling, with the evidence.

>>> import bayes
>>> fit = bayes.fit("Reaction ~ Days + (1 + Days | Subject)", frame, seed=1)  # doctest: +SKIP
>>> fit                                # a summary with warnings  # doctest: +SKIP
>>> fit.draws("b[Days]").mean()        # [chain, draw]  # doctest: +SKIP
>>> fit.predict(new_frame)["mean"]     # doctest: +SKIP

`frame` is a data frame of pandas or polars, a table of pyarrow, or a dict of columns. What you have already written needs no formula:

>>> bayes.evidence(pymc_model)                                                           # doctest: +SKIP
>>> bayes.sample(log_likelihood, dim=2, prior=bayes.Prior.normal(0, 1))                  # doctest: +SKIP

fit         fits a regression, and returns a `Fit`
priors      lists all parameters with their priors
compare     compares fits by their predictions and their evidence, and other results by their evidence
load        reads a fit that was saved
evidence    the log evidence of a PyMC model, a Stan program or a function, by two engines
sample      samples the posterior of a PyMC model, a Stan program or a function
stan        a Stan program with its data, in a library that BridgeStan compiled
Prior       the prior of a function
settings    lists the settings of the engines

A model in Rust, of a module that `bayes::python!` made, is a `ModelFunction` of its data: `model = schools.eight_schools(frame)`, then `model.run()` and
`bayes.evidence(model)`.
"""

from __future__ import annotations

from importlib.metadata import version as _version

from bayes import _native
from bayes._compare import Comparison, Loo, compare
from bayes._errors import BayesError, BayesInputError, BayesInterrupt, BayesWarning
from bayes._evidence import Evidence
from bayes._fit import Fit
from bayes._fitting import fit, load, priors
from bayes._functions import Prior
from bayes._models import Model, ModelFit, ModelFunction, ModelPrediction
from bayes._posterior import Posterior
from bayes._prediction import Prediction
from bayes._questions import R2, Averages, Effects, Fitted, Hypothesis
from bayes._sampling import evidence, sample
from bayes._stan import StanProgram, stan
from bayes._table import ResultTable

#: The version of the package.
__version__ = _version("bayes")

__all__ = [
    "R2",
    "Averages",
    "BayesError",
    "BayesInputError",
    "BayesInterrupt",
    "BayesWarning",
    "Comparison",
    "Effects",
    "Evidence",
    "Fit",
    "Fitted",
    "Hypothesis",
    "Loo",
    "Model",
    "ModelFit",
    "ModelFunction",
    "ModelPrediction",
    "Posterior",
    "Prediction",
    "Prior",
    "ResultTable",
    "StanProgram",
    "compare",
    "evidence",
    "fit",
    "load",
    "priors",
    "sample",
    "settings",
    "stan",
]


def settings() -> dict[str, str]:
    """The settings of the engines by their names, each with what it is and the engines that have it."""
    return {name: f"{text} ({engines})" for name, engines, text in _native.settings()}
