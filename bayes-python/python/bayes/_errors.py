"""The exceptions and the warning of the package."""

from __future__ import annotations

from typing import Any

__all__ = ["BayesError", "BayesInputError", "BayesInterrupt", "BayesWarning"]


class BayesError(Exception):
    """What the library refuses or could not do, in its words."""


class BayesInputError(BayesError, ValueError):
    """The input is wrong: a formula, a prior, a setting, a value of a table, or a file. The same call would fail again."""


class BayesWarning(UserWarning):
    """A fit that may be wrong, with what to do about it; `Fit.warnings` has all of them."""


class BayesInterrupt(KeyboardInterrupt):
    """Ctrl-C stopped a run of which some islands or chains were finished: `result` has them, and warns that they are a part."""

    def __init__(self, result: Any) -> None:
        super().__init__("the run was stopped; `result` of this exception has what was finished")
        #: The `Fit` or the `Posterior` of what was finished.
        self.result = result


for _class in (BayesError, BayesInputError, BayesInterrupt, BayesWarning):
    _class.__module__ = "bayes"


def check_text(name: str, given: object, such_as: str) -> None:
    """Refuses what is no text."""
    if not isinstance(given, str):
        raise TypeError(f"`{name}` is a {type(given).__name__}; it must be a text such as {such_as}")
