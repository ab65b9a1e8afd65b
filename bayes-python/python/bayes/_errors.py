"""The exceptions and the warning of the package."""

__all__ = ["BayesError", "BayesInputError", "BayesWarning"]


class BayesError(Exception):
    """What the library refuses or could not do, in its words."""


class BayesInputError(BayesError, ValueError):
    """The input is wrong: a formula, a prior, a setting, a value of a table, or a file. The same call would fail again."""


class BayesWarning(UserWarning):
    """A fit that may be wrong, with what to do about it; `Fit.warnings` has all of them."""


for _class in (BayesError, BayesInputError, BayesWarning):
    _class.__module__ = "bayes"
