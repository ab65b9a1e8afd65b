"""Stan programs, in libraries that BridgeStan compiled."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import tempfile
import threading
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from bayes._arrays import Array, array
from bayes._errors import BayesError, BayesInputError, BayesWarning
from bayes._made import Made
from bayes._native import Density, Function
from bayes._posterior import Labels, quantity
from bayes._words import Given

#: The functions that are called, with the types of their results and arguments: BridgeStan 2.
_TEXT, _MODEL = ctypes.c_char_p, ctypes.c_void_p
_FUNCTIONS: dict[str, tuple[Any, Optional[list[Any]]]] = {
    "bs_model_construct": (_MODEL, None),
    "bs_model_destruct": (None, None),
    "bs_free_error_msg": (None, None),
    "bs_name": (_TEXT, [_MODEL]),
    "bs_model_info": (_TEXT, [_MODEL]),
    "bs_param_names": (_TEXT, [_MODEL, ctypes.c_bool, ctypes.c_bool]),
    "bs_param_unc_names": (_TEXT, [_MODEL]),
    "bs_param_unc_num": (ctypes.c_int, [_MODEL]),
    "bs_param_constrain": (ctypes.c_int, None),
    "bs_log_density": (ctypes.c_int, None),
    "bs_log_density_gradient": (ctypes.c_int, None),
}
_VERSION = 2
_COMPILE = 'bridgestan.compile_model("model.stan", make_args=["STAN_THREADS=True"])'
#: What BridgeStan and Stan put before the words of a program.
_SAID = re.compile(r"^(\w+\(\) failed with exception: )?(Exception: )?(\w+_namespace::\w+: )?")
#: Libraries by the paths that were given and what the file was, since the system keeps a library by its path though the file has changed.
_LOADED: dict[str, tuple[tuple[int, ...], ctypes.CDLL]] = {}
_LOADING = threading.Lock()
#: The share of refused positions from which they are spoken of.
_REFUSED = 0.01


def stan(library: Union[str, os.PathLike[str]], data: Any = None, *, seed: int = 0) -> StanProgram:
    """A Stan program with its data, for `sample` and `evidence`.

    >>> schools = bayes.stan("schools_model.so", {"J": 8, "y": effects, "sigma": errors})  # doctest: +SKIP
    >>> bayes.evidence(schools)  # doctest: +SKIP

    library: the shared library of the program, which `bridgestan.compile_model("schools.stan", make_args=["STAN_THREADS=True"])` makes. Without
        STAN_THREADS one thread at a time is in it, which `sample` and `evidence` warn of.
    data: the data by name, as numbers, lists, arrays of NumPy and columns; or the path of a JSON file, which ends with `.json`; or a text of JSON.
    seed: of random numbers in the block `transformed data`, from 0 to 4294967295.

    A Stan program does not say which of its statements are the prior. The evidence is the integral of its density, with all constants of its
    statements, over its parameters: the marginal likelihood of the data only if the statements on parameters alone are densities that
    integrate to 1 within the constraints.

    Raises BayesInputError for what is no such library, and for data that the program refuses.
    """
    return StanProgram(library, data, seed)


class StanProgram:
    """A Stan program with its data: what `stan` returns."""

    def __init__(self, library: Union[str, os.PathLike[str]], data: Any, seed: int) -> None:
        self._path, self._text, self._seed = os.path.abspath(os.fspath(library)), _json(data), _checked(seed)
        self._library = _Library(self._path, self._text, self._seed)
        of = self._library
        #: The name of the program.
        self.name = of.text("bs_name")
        #: The number of coordinates without constraints.
        self.dim = int(of.call("bs_param_unc_num"))
        if self.dim == 0:
            raise BayesInputError(f"the program `{self.name}` has no parameters; there is nothing to sample")
        #: Whether several threads may be in it at once.
        self.is_threaded = "STAN_THREADS=true" in of.text("bs_model_info").replace(" ", "")
        value, gradient = of.address("bs_log_density"), of.address("bs_log_density_gradient")
        addresses = (of.model, value, gradient, of.address("bs_param_constrain"), of.address("bs_free_error_msg"))
        self._function = Function.program(addresses, self.is_threaded, of)
        self._output = _Output(of, self._function)
        self._coordinates = of.text("bs_param_unc_names").split(",")

    def __repr__(self) -> str:
        names = ", ".join(f"{name}{list(shape) if shape else ''}" for name, shape in self._output.labels.shapes.items())
        return f"Stan program `{self.name}` with {self.dim} coordinates: {names}"

    def __reduce__(self) -> Any:
        return StanProgram, (self._path, self._text, self._seed)

    @property
    def refusals(self) -> tuple[int, int, Optional[str]]:
        """The numbers of positions that were asked for and of those that the program refused, which have the density 0, as in Stan; and the words of
        the first refusal."""
        calls, refusals, words = self._function.refusals()
        return calls, refusals, None if words is None else _words(words)

    def log_density(self, positions: Any) -> tuple[Array, Array]:
        """The log density, `[...]`, and its gradient, `[..., dim]`, at positions without constraints, `[..., dim]`: with the Jacobians of the constraints and all constants."""
        given = np.ascontiguousarray(positions, dtype=np.float64)
        if given.ndim == 0 or given.shape[-1] != self.dim:
            raise BayesInputError(f"`positions` has the shape {given.shape}; its last dimension must be {self.dim}")
        density = Density(self.dim, self.name, [("x", [self.dim], [], False)])
        density.split(None, self._function, True)
        n = given.size // self.dim
        found = array(density.evaluate(given.tobytes(), n, (0.0, 1.0)))
        return found[n : 2 * n].reshape(given.shape[:-1]), found[2 * n :].reshape(given.shape)

    def _made(self) -> Made:
        if not self.is_threaded:
            text = (
                f"`{Path(self._path).name}` was compiled without STAN_THREADS, so that one thread at a time is in it; the result is the same,"
                f" and with it all threads work: {_COMPILE}"
            )
            warnings.warn(text, BayesWarning, stacklevel=4)
        density = Density(self.dim, self.name, self._output.quantities)
        density.split(None, self._function, True)
        density.output_by(self._output)
        before = self.refusals
        after = partial(self._refused, before)
        return Made(density, self.dim, self._output.labels, self._coordinates, target=self._function, after=after)

    def _refused(self, before: tuple[int, int, Optional[str]]) -> list[str]:
        """What is to be said of positions that were refused since `before`."""
        calls, refusals, words = self.refusals
        calls, refusals = calls - before[0], refusals - before[1]
        if refusals <= _REFUSED * calls:
            return []
        return [
            f"the program refused {refusals} of {calls} positions, which then have the density 0; the first time it said: {words}"
        ]


class _Library:
    """A library with the model of one data set, which is freed with it."""

    def __init__(self, path: str, data: str, seed: int) -> None:
        self.model = 0
        self._functions = _loaded(path)
        construct = self.address("bs_model_construct"), self.address("bs_free_error_msg")
        # natively: no other thread may be in a library without threads meanwhile
        self.model, words = Function.construct(construct, data, seed)
        self._free = partial(Function.destruct, self.address("bs_model_destruct"), self.model)
        if not self.model:
            raise BayesInputError(f"the program `{Path(path).name}` does not take the data: {_words(words)}")

    def __del__(self) -> None:
        if self.model:
            self._free()

    def call(self, name: str, *arguments: Any) -> Any:
        """What a function returns of the model."""
        return self._functions[name](self.model, *arguments)

    def text(self, name: str, *arguments: Any) -> str:
        """The text that a function returns of the model."""
        return (self.call(name, *arguments) or b"").decode()

    def address(self, name: str) -> int:
        """The address of a function."""
        return ctypes.cast(self._functions[name], ctypes.c_void_p).value or 0


def _words(words: Optional[str]) -> str:
    """What a program says, without the name of BridgeStan's function that says it: `construct() failed with exception: Exception: ...`."""
    return _SAID.sub("", words or "").strip() or "it does not say why"


def _loaded(path: str) -> dict[str, Any]:
    """The functions of a library by their names.

    Raises BayesInputError for a file that is none of BridgeStan.
    """
    if not os.path.exists(path):
        raise BayesInputError(f"there is no file `{path}`; BridgeStan makes the library of a Stan program: {_COMPILE}")
    if path.endswith(".stan"):
        raise BayesInputError(f"`{path}` is the text of a program; give the library that BridgeStan makes of it: {_COMPILE}")
    try:
        with _LOADING:
            library = _newest(path)
    except OSError as error:
        raise BayesInputError(f"`{path}` is no library of this machine: {error}") from None
    found = {}
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise BayesInputError(
                f"`{path}` has no function `{name}`; it must be a library that BridgeStan {_VERSION} made: {_COMPILE}"
            ) from None
        function.restype = result
        if arguments is not None:
            function.argtypes = arguments
        found[name] = function
    try:
        version = ctypes.c_int.in_dll(library, "bs_major_version").value
    except ValueError:
        version = 0
    if version != _VERSION:
        raise BayesInputError(
            f"`{path}` was made by BridgeStan {version or 'of an unknown version'}, and must be by BridgeStan {_VERSION}"
        )
    return found


def _newest(path: str) -> ctypes.CDLL:
    """The library of a file: a copy of it if it has changed since it was loaded, as one that was compiled again, for the system would give the old one.

    Raises OSError for what is no library.
    """
    of_file = os.stat(path)
    stamp = (of_file.st_ino, of_file.st_size, of_file.st_mtime_ns)
    known = _LOADED.get(path)
    if known is not None and known[0] == stamp:
        return known[1]
    if known is None:
        library = ctypes.CDLL(path)
    else:
        folder = tempfile.mkdtemp()
        try:
            library = ctypes.CDLL(shutil.copy(path, folder))
        finally:
            # the copy is loaded; some systems keep a file that is in use
            shutil.rmtree(folder, ignore_errors=True)
    _LOADED[path] = stamp, library
    return library


def _checked(seed: Any) -> int:
    """A seed of Stan.

    Raises BayesInputError for one that is not from 0 to 2^32 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**32:
        raise BayesInputError(f"`seed` is {seed!r}; of a Stan program it must be a whole number from 0 to {2**32 - 1}")
    return int(seed)


def _json(data: Any) -> str:
    """Data as a text of JSON, which BridgeStan takes."""
    if data is None:
        return ""
    if isinstance(data, Mapping):
        return json.dumps({str(name): _whole(value) for name, value in data.items()}, default=_plain)
    text = os.fspath(data) if isinstance(data, os.PathLike) else data
    if not isinstance(text, str):
        raise TypeError(
            f"`data` is a {type(data).__name__}; it must be a dict of the data by name, the path of a JSON file, or a text of JSON"
        )
    if not text.endswith(".json"):
        return text
    if not os.path.exists(text):
        raise BayesInputError(f"there is no file `{text}`")
    return Path(text).read_text(encoding="utf-8")


def _plain(value: Any) -> Any:
    """Arrays, columns, tables and numbers of libraries as those of Python; a complex number as both of its parts."""
    if isinstance(value, complex):
        return [value.real, value.imag]
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(value, method):
            return _whole(getattr(value, method)())
    if hasattr(value, "to_numpy"):
        return _whole(value.to_numpy().tolist())
    raise TypeError(f"`data` has a {type(value).__name__}; it must be numbers, lists, arrays of NumPy or columns")


def _whole(value: Any) -> Any:
    """Truth values as 0 and 1, since Stan has none."""
    if isinstance(value, bool):
        return int(value)
    return [_whole(each) for each in value] if isinstance(value, (list, tuple)) else value


class _Output:
    """The parameters and transformed parameters of a program at positions."""

    def __init__(self, library: _Library, function: Function) -> None:
        self._function = function
        self._dim = int(library.call("bs_param_unc_num"))
        names = library.text("bs_param_names", True, False).split(",")
        parameters = {name.partition(".")[0] for name in library.text("bs_param_names", False, False).split(",")}
        self._elements = len(names)
        shapes, self._order = _shapes(names)
        dims = {name: tuple(f"{name}_dim_{axis}" for axis in range(len(shape))) for name, shape in shapes.items()}
        # Stan counts from 1
        coords = {dim: np.arange(1, n + 1) for name in shapes for dim, n in zip(dims[name], shapes[name])}
        self.labels = Labels(shapes, dims, coords, given=Given("Stan program", has_prior=False, is_all=True))
        self.quantities = [quantity(self.labels, name, name.partition(".")[0] not in parameters) for name in shapes]

    def __call__(self, positions: bytes, particles: int) -> bytes:
        """The quantities as bytes, `[particles, elements]`."""
        found, refused = self._function.constrain(positions, particles, (self._dim, self._elements))
        if refused is not None:
            place, words = refused
            position = np.frombuffer(positions).reshape(particles, self._dim)[place]
            raise BayesError(f"the program cannot compute its parameters at {position!r}: {_words(words)}")
        return np.ascontiguousarray(array(found, particles, self._elements)[:, self._order]).tobytes()


def _shapes(names: list[str]) -> tuple[dict[str, tuple[int, ...]], list[int]]:
    """The shapes of quantities whose elements have these names, as `theta.2.1`, and the places of the elements, the last index fastest."""
    places: dict[str, dict[tuple[int, ...], int]] = {}
    for place, name in enumerate(names):
        base, *indices = name.split(".")
        if not all(index.isdecimal() for index in indices):
            # parts of complex numbers
            base, indices = name, []
        places.setdefault(base, {})[tuple(map(int, indices))] = place
    shapes: dict[str, tuple[int, ...]] = {}
    order: list[int] = []
    for base, of_base in places.items():
        shape = tuple(np.max(list(of_base), axis=0).astype(int).tolist()) if () not in of_base else ()
        elements = [tuple(k + 1 for k in element) for element in np.ndindex(*shape)]
        if len(of_base) != len(elements) or any(element not in of_base for element in elements):
            raise BayesError(f"the elements of `{base}` are not those of an array: {', '.join(names)}")
        shapes[base] = shape
        order.extend(of_base[element] for element in elements)
    return shapes, order
