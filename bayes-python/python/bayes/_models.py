"""Models in Rust: what `bayes::python!` makes a module of."""

from __future__ import annotations

import inspect
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Optional, Protocol

import numpy as np

from bayes import _arviz, _data
from bayes._arrays import Array
from bayes._compare import Loo
from bayes._errors import BayesInputError, BayesInterrupt, BayesWarning, check_text
from bayes._fitting import _seed
from bayes._native import Elpd, Run
from bayes._posterior import Labels, Posterior
from bayes._result import Path
from bayes._table import ResultTable
from bayes._text import Lines

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bayes._settings import Settings

#: The name, the shape, the names of the elements, the data, the draws and the statistics of a quantity.
Quantity = tuple[str, list[int], list[str], bytes, bytes, bytes]
#: The statistics of predictions.
_STATISTICS = ("mean", "q5", "q25", "q50", "q75", "q95")


class Native(Protocol):
    """A model of a module in Rust. Runs go to it and from it as files."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def arguments(self) -> list[_data.Argument]: ...
    def check(self, data: list[_data.Data], seed: int) -> str: ...
    def run(
        self, data: list[_data.Data], engine: str, seed: int, progress: bool, settings: dict[str, Any], out: FilePath
    ) -> tuple[list[str], bool]: ...
    def evaluate(self, data: list[_data.Data], positions: bytes, shape: tuple[int, int]) -> bytes: ...
    def predict(self, data: list[_data.Data], run: FilePath, new_groups: bool) -> list[Quantity]: ...
    def log_likelihood(self, data: list[_data.Data], run: FilePath) -> list[Quantity]: ...
    def loo(self, data: list[_data.Data], run: FilePath, out: FilePath) -> None: ...
    def report(self, data: list[_data.Data], run: FilePath, out: FilePath) -> None: ...


class ModelFunction:
    """A model in Rust, as a function of its data: what a module of `bayes::python!` has.

    >>> model = schools.eight_schools(y=[28.0, 8.0], sigma=[15.0, 10.0])  # doctest: +SKIP
    >>> model = schools.eight_schools(frame)                              # its columns `y` and `sigma`  # doctest: +SKIP

    `help(schools.eight_schools)` shows the data that it takes, and `source` the text of the model.
    """

    def __init__(self, native: Native, module: str) -> None:
        self._native = native
        self.__name__ = self.__qualname__ = native.name
        self.__module__ = module
        parameters = [inspect.Parameter("frame", inspect.Parameter.POSITIONAL_ONLY, default=None)]
        parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name, _, _ in native.arguments]
        self.__signature__ = inspect.Signature(parameters)
        takes = "".join(f"\n{argument[0]}: {_data.wanted(argument)}" for argument in native.arguments)
        self.__doc__ = f"The model `{native.name}` with these data, by name or as columns of a frame: a `bayes.Model`.\n{takes}\n\n{native.source}\n"

    @property
    def source(self) -> str:
        """The text of the model in Rust."""
        return Lines(self._native.source)

    def __repr__(self) -> str:
        return f"<model {self.__module__}.{self.__name__}({', '.join(name for name, _, _ in self._native.arguments)})>"

    def __call__(self, frame: Any = None, /, **data: Any) -> Model:
        """The model with these data. An argument by name counts before a column of the frame.

        Raises TypeError for data that are missing, do not exist or are of another type, and ValueError for values that an argument cannot hold; both name it.
        """
        arguments = self._native.arguments
        given = _data.given(arguments, frame, data, self.__name__)
        read = [_data.argument(argument, values) for argument, values in zip(arguments, given)]
        return Model(self, read)

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_module, (self.__module__, self.__name__)


def _of_module(module: str, name: str) -> Any:
    """A function of a module by its name, for pickles."""
    return getattr(__import__(module, fromlist=[name]), name)


class Model:
    """A model in Rust with its data: what a `ModelFunction` returns. The data were copied."""

    def __init__(self, function: ModelFunction, data: list[_data.Data]) -> None:
        self._function = function
        self._native = function._native
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._function, self._data)

    def __repr__(self) -> str:
        shapes = zip(self._native.arguments, self._data)
        shown = [f"{name}: {shape}" if shape else name for (name, _, _), (shape, _, _) in shapes]
        return f"<model {self._native.name}({', '.join(shown)})>"

    @property
    def name(self) -> str:
        """The name of the function in Rust."""
        return self._native.name

    def check(self, *, seed: int = 0) -> str:
        """What to know before a run: whether densities and gradients are right at prior draws, how fast they are, and about how long engines take.

        Raises BayesInputError for data that do not fit the model.
        """
        return Lines(self._native.check(self._data, _seed(seed)).rstrip("\n"))

    def run(self, *, engine: str = "psmc", seed: int = 0, progress: bool = True, **settings: Unpack[Settings]) -> ModelFit:
        """Runs an engine.

        engine: `psmc`, `smc`, `nested` and `tempering` estimate the evidence too; `nuts` samples the posterior alone.
        seed: of all random numbers. The same seed gives the same bits as the model in a program of Rust, for any number of threads.
        progress: bars on standard error, if that is a terminal.
        settings: of the engine, as of `bayes.fit`: `islands=8, particles=256`, `chains=4, draws=1000`, ...; `bayes.settings()` lists all.

        Long work releases the interpreter's lock. Ctrl-C stops the run and raises KeyboardInterrupt: a `BayesInterrupt`, whose `result` is what was finished, if
        some chain or island was.

        Raises BayesInputError, a ValueError, for data that do not fit the model and for wrong settings; BayesError if the work fails. Warns by BayesWarning
        what `warnings` of the result has.
        """
        found = self._run(engine, seed, progress, dict(settings))
        for words in found.warnings:
            warnings.warn(words, BayesWarning, stacklevel=2)
        return found

    def _run(self, engine: str, seed: int, progress: bool, settings: dict[str, Any]) -> ModelFit:
        """A run whose warnings are not issued yet."""
        check_text("engine", engine, '"psmc"')
        bars = bool(progress) and sys.stderr is not None
        with _folder() as folder:
            out = folder / "model.run"
            troubles, interrupted = self._native.run(self._data, engine, _seed(seed), bars, settings, out)
            found = ModelFit(Run.load(out), self)
        if interrupted:
            raise BayesInterrupt(found)
        for words in troubles:
            warnings.warn(words, BayesWarning, stacklevel=3)
        return found

    def load(self, path: Path) -> ModelFit:
        """A run of this model that `save` wrote, here or in a program of Rust. Questions about other data than those of the run are refused when asked."""
        run = Run.load(path)
        if run.title != self.name:
            raise BayesInputError(f"`{path}` is a run of `{run.title}`, and this model is `{self.name}`")
        return ModelFit(run, self)

    def log_density(self, positions: Any) -> tuple[Array, Array, Array]:
        """The log prior, the log likelihood and the gradient of their sum at positions without constraints, `[dim]` or `[positions, dim]`.

        The coordinates are those of the sampler in the order of the statements, such as the logarithm of a positive quantity; the log prior has the Jacobian.
        """
        array = np.ascontiguousarray(positions, dtype=np.float64)
        if array.ndim not in (1, 2):
            raise BayesInputError(f"`positions` has the shape {array.shape}; it must be [dim] or [positions, dim]")
        rows, coordinates = (1 if array.ndim == 1 else len(array)), array.shape[-1]
        found = np.frombuffer(self._native.evaluate(self._data, array.tobytes(), (rows, coordinates)), dtype=np.float64)
        prior, likelihood, gradient = found[:rows], found[rows : 2 * rows], found[2 * rows :].reshape(rows, coordinates)
        return (prior[0], likelihood[0], gradient[0]) if array.ndim == 1 else (prior, likelihood, gradient)


class ModelFit(Posterior):
    """The result of an inference on a model in Rust: what `Model.run` returns.

    `print(fit)` shows a summary with warnings.
    """

    def __init__(self, run: Run, model: Model) -> None:
        super().__init__(run, _labels(run))
        #: The model with its data.
        self.model = model

    def _spoken(self, text: str) -> str:
        return super()._spoken(text.replace("`model.check(Check::new())`", "`model.check()`"))

    def loo(self) -> Loo:
        """How well the model predicts new data: leave-one-out cross-validation by Pareto smoothed importance sampling."""
        with self._file() as (native, data, run):
            out = run.with_suffix(".elpd")
            native.loo(data, run, out)
            return Loo(Elpd.load(out))

    def predict(self, model: Optional[Model] = None, *, new_groups: bool = False) -> ModelPrediction:
        """Predictions of the observed data, and draws of generated quantities, of this model or of the same one with other data.

        new_groups: draws places that the run has not seen, by their names or numbers, from their prior given the posterior; otherwise they are an error.
        """
        if model is not None and not isinstance(model, Model):
            raise TypeError(
                f"`model` is a {type(model).__name__}; it must be the model with new data, such as `schools.eight_schools(y=..., sigma=...)`"
            )
        with self._file(model) as (native, data, run):
            return ModelPrediction(native.predict(data, run, bool(new_groups)), self._run)

    def report(self, path: Path) -> None:
        """Writes a web page: warnings, summary, pictures, and how well the model predicts its data."""
        with self._file() as (native, data, run):
            native.report(data, run, FilePath(path))

    def to_arviz(self) -> Any:
        """The draws as ArviZ's `InferenceData`, from ArviZ 1.0 on a `DataTree` of xarray; ArviZ must be installed.

        Its groups are `posterior`, with the dimensions that the model names, `sample_stats`, `log_likelihood` and `observed_data`. The attributes
        `log_evidence` and `log_evidence_se` of `posterior` have the evidence. Draws are those of `draws`: for islands ArviZ's R-hat and
        effective sizes mean nothing, and those of `summary` count.
        """
        with self._file() as (native, data, run):
            return _arviz.of_model(self, self._run, self._labels, native.log_likelihood(data, run))

    @contextmanager
    def _file(self, model: Optional[Model] = None) -> Iterator[tuple[Native, list[_data.Data], FilePath]]:
        """The model that is asked, and the run as a file for the time of the question."""
        asked = model or self.model
        with _folder() as folder:
            run = folder / "model.run"
            self._run.save(run)
            yield asked._native, asked._data, run


class ModelPrediction(ResultTable):
    """Predictions of a model in Rust, a row for each element of each observed or generated quantity.

    The columns are the data, `observed` (NaN for generated quantities), and the mean and quantiles of the posterior predictive distribution, new data
    with their own noise and not their expectations.
    """

    def __init__(self, quantities: list[Quantity], run: Run) -> None:
        self._quantities = {name: (shape, draws) for name, shape, _, _, draws, _ in quantities}
        self._run = run
        names = [element for _, _, elements, _, _, _ in quantities for element in elements]
        blocks, observed = [], []
        for _, _, elements, data, _, statistics in quantities:
            blocks.append(np.frombuffer(statistics).reshape(len(_STATISTICS), len(elements)))
            seen = np.full(len(elements), np.nan)
            seen[: len(data) // 8] = np.frombuffer(data)
            observed.append(seen)
        table = np.concatenate(blocks, axis=1) if blocks else np.zeros((len(_STATISTICS), 0))
        columns = {"observed": np.concatenate(observed) if observed else np.zeros(0)}
        super().__init__(names, {**columns, **dict(zip(_STATISTICS, table))})

    def draws(self, name: str) -> Array:
        """Draws of equal weight of a quantity, `[chain, draw, ...]` with its shape, as `ModelFit.draws` has those of parameters."""
        if name not in self._quantities:
            raise BayesInputError(f"there is no prediction `{name}`; there are {', '.join(self._quantities)}")
        shape, draws = self._quantities[name]
        chosen = np.array(self._run.equal_draws(), dtype=np.intp)
        elements = int(np.prod(shape))
        return np.frombuffer(draws).reshape(-1, elements)[chosen].reshape(*chosen.shape, *shape)


@contextmanager
def _folder() -> Iterator[FilePath]:
    with tempfile.TemporaryDirectory(prefix="bayes-") as folder:
        yield FilePath(folder)


def _labels(run: Run) -> Labels:
    """The shapes of the quantities of a run, and the names of their dimensions."""
    shapes, dims, coords = {}, {}, {}
    for name in run.names:
        shape, named = run.axes(name)
        shapes[name] = tuple(shape)
        if len(named) == len(shape) > 0:
            dims[name] = tuple(dim for dim, _ in named)
            coords.update(dict(named))
    return Labels(shapes, dims, coords, {})
