"""The draws of an inference, and its evidence."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np

from bayes import _pickles, _words
from bayes._arrays import Array, array
from bayes._errors import check_text
from bayes._native import Run
from bayes._table import ResultTable

Path = Union[str, "os.PathLike[str]"]


class Result:
    """What an engine has made: draws, diagnostics, and for islands the evidence.

    `print(result)` shows a summary with warnings.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_run": _pickles.content(self._run)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _run=_pickles.loaded(Run.load, state["_run"]))

    def __copy__(self) -> Any:
        # it never changes
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __repr__(self) -> str:
        return _words.printed(self._run.text().rstrip("\n"), self._spoken)

    def _repr_html_(self) -> str:
        warnings = self.warnings or ["no warnings"]
        return ResultTable._repr_html_(self._summary(None, (self._run.title, *self._evidence_in_words(), *warnings)))

    @property
    def title(self) -> str:
        """What was fitted: the formula, the family and the number of rows, or the name of a model."""
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
        """Why the result may be wrong and what to do, in plain English; empty if nothing speaks against it."""
        return [self._spoken(text) for text in self._run.warnings]

    def _spoken(self, text: str) -> str:
        """A message of the run in words of Python."""
        return _words.without_calls(text)

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

        The names of the elements are `elements(name)`. Draws of chains are as they were made. Those of islands (psmc, smc, ais and nested) have
        weights: they are resampled to at most 4000 draws in four chains, which have no order; `weighted_draws` has all of them.
        """
        check_text("name", name, '"b"')
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

    def save(self, path: Path) -> None:
        """Saves it for the commands of the program `bayes`, and a fit for `bayes.load` too."""
        self._run.save(path)
