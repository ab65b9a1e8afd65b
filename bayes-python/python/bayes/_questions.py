"""Questions about a fit, and their answers as tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from bayes import _native
from bayes._arrays import Array, array
from bayes._result import Path
from bayes._table import ResultTable

if TYPE_CHECKING:
    from bayes._native import Run, Table

#: The statistics of a posterior: the mean with its Monte Carlo error, the standard deviation and quantiles.
_NUMBERS = ("mean", "mcse", "sd", "q5", "q25", "q50", "q75", "q95")


class Answer(ResultTable):
    """The posterior of some numbers, a row for each, and it prints as the program `bayes` prints it.

    The columns are the mean, its Monte Carlo standard error `mcse`, the standard deviation `sd`, and the quantiles `q5`, `q25`, `q50`, `q75` and `q95`,
    after those that say what a row is.
    """

    def __init__(self, text: str, rows: list[dict[str, Any]], said: Iterable[str], notes: tuple[str, ...] = ()) -> None:
        columns = {name: np.array([row.get(name) for row in rows]) for name in said}
        numbers = {name: np.array([row.get(name) for row in rows], dtype=np.float64) for name in _NUMBERS}
        names = [", ".join(str(row[name]) for name in columns) for row in rows]
        super().__init__(names, {**columns, **numbers}, notes=notes)
        self._text = text.rstrip("\n")

    def __repr__(self) -> str:
        # the text of the program numbers the rows that it has
        return self._text or super().__repr__()


def _outcome(rows: list[dict[str, Any]]) -> list[str]:
    """The columns of grades and labels."""
    return [name for name in ("grade", "label") if rows and name in rows[0]]


class Fitted(Answer):
    """The expected response of each row of a frame; for ordered and categorical responses the probability of each grade or label, and for those of several
    columns, `multinomial` and `dirichlet`, the expected count or share of each column.

    Rows are numbered from 0 as in the frame, also where rows of the fit were left out because values are missing.
    The columns are `row`, `grade` for ordered responses, also `label` for categorical ones and those of several columns, and the columns of every answer.
    """

    def __init__(self, run: Run, table: Table, how: _native.Expected, places: Optional[list[int]] = None) -> None:
        text, numbers = _native.fitted(run, table, how)
        rows = json.loads(numbers)
        if places is not None and _are_moved(places):
            rows = [{**row, "row": places[row["row"]]} for row in rows]
            text = ""
        super().__init__(text, rows, ("row", *_outcome(rows)))
        self._run, self._table, self._how = run, table, how
        self._grades = 1 + max((row.get("grade", 1) - 1 for row in rows), default=0)
        self._has_grades = "grade" in self.columns

    def draws(self) -> Array:
        """Draws of equal weight, `[chain, draw, row]`, or `[chain, draw, row, grade]`, as `Fit.draws` has those of parameters."""
        drawn = _native.fitted_draws(self._run, self._table, self._how)
        values = array(drawn.values, -1, drawn.elements)
        equal = values[np.array(self._run.equal_draws(), dtype=np.intp)]
        return equal.reshape(*equal.shape[:2], -1, self._grades) if self._has_grades else equal


class Effects(Answer):
    """The expected response while a column varies, or two; notebooks show the picture.

    The columns are those that vary, `grade` for ordered responses, also `label` for categorical ones and those of several columns, and the columns of every answer. The text has every eleventh point of a grid.
    """

    def __init__(self, found: _native.Effects) -> None:
        text, numbers = found.answer()
        answer = json.loads(numbers)
        rows = [{**row, **row["at"]} for row in answer["rows"]]
        super().__init__(text, rows, [*answer["of"], *_outcome(rows)])
        #: The values of the other columns.
        self.others: dict[str, Any] = answer["others"]
        self._found = found

    def svg(self) -> str:
        """The picture: lines with bands over numbers, dots with bars at labels, and the data as faint dots."""
        return self._found.svg()

    def save(self, path: Path) -> None:
        """Writes the picture as an SVG file."""
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.svg())

    def _repr_html_(self) -> str:
        return self.svg()


class Averages(Answer):
    """Contrasts or slopes averaged over the rows of the frame.

    The columns are `contrast`, `by` if rows were averaged apart, `grade` for ordered responses, also `label` for categorical ones and those of several columns,
    and the columns of every answer.
    """

    def __init__(self, answer: tuple[str, str]) -> None:
        text, numbers = answer
        rows = json.loads(numbers)
        said = [name for name in ("contrast", "by", "grade", "label") if rows and name in rows[0]]
        super().__init__(text, rows, said)


class R2(Answer):
    """Bayesian R², the share of the variance of the response that the fit explains, and R² of rows that were left out.

    Its two rows are `R2` and `R2 of rows left out`; the second has no Monte Carlo error.
    """

    def __init__(self, answer: tuple[str, str], places: list[int]) -> None:
        text, numbers = answer
        r2, left_out = json.loads(numbers)
        bad = [places[row] for row in left_out["rows_of_bad_k_hat"]]
        residuals = tuple(f"{note}." for note in left_out.pop("notes"))
        notes = (
            f"k-hat is above {left_out['good_k_hat']:.2f} for {len(bad)} rows ({', '.join(map(str, bad))}): without them the posterior is so"
            " different that this R2 is probably too high.",
        )
        # the text of the program names rows by their places among those that were fitted
        text = "" if _are_moved(places) else text
        super().__init__(
            text, [{"of": "R2", **r2}, {"of": "R2 of rows left out", **left_out}], ("of",), (notes if bad else ()) + residuals
        )
        #: The rows of the frame, numbered from 0, without which the posterior is so different that the second R² is probably too high.
        self.bad_rows: list[int] = bad


class Hypothesis(Answer):
    """The posterior probability of an inequality between quantities, and the posterior of the left side less the right side."""

    def __init__(self, answer: tuple[str, str]) -> None:
        text, numbers = answer
        found = json.loads(numbers)
        super().__init__(text, [found], ("hypothesis",))
        #: The posterior probability of the inequality; for `=` that the left side is larger.
        self.probability: float = found["probability"]
        #: Its Monte Carlo standard error.
        self.probability_mcse: float = found["probability_mcse"]

    @property
    def odds(self) -> float:
        """The probability over the probability of the contrary; infinite if it holds at all draws.

        Under a prior with equal chances for both it is the Bayes factor for the inequality.
        """
        return self.probability / (1 - self.probability) if self.probability < 1 else np.inf


def _are_moved(places: list[int]) -> bool:
    """Whether rows have other numbers in the frame than among those that were fitted."""
    return places != list(range(len(places)))


def conditions(at: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The values of columns as texts."""
    if not isinstance(at, Mapping):
        raise TypeError(f'`at` is a {type(at).__name__}; it must be a dict of columns with a value for each: at={{"age": 40}}')
    return [(str(column), str(value)) for column, value in at.items()]
