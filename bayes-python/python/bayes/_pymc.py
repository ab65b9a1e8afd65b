"""Densities of PyMC models, by their graphs."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Optional

import numpy as np

from bayes import _evaluated, _numba
from bayes._arrays import Array
from bayes._errors import BayesInputError, BayesWarning
from bayes._evaluated import Evaluated, NotEvaluated
from bayes._made import Made
from bayes._native import Density, Function
from bayes._posterior import Labels, quantity
from bayes._words import Given


def is_model(model: Any) -> bool:
    """Whether this is a `pymc.Model`; PyMC is imported by those who have one."""
    return any(base.__module__.partition(".")[0] == "pymc" and base.__name__ == "Model" for base in type(model).__mro__)


def made(model: Any, backend: str, potentials: Optional[str], var_names: Optional[Iterable[str]]) -> Made:
    """The density of a model with its quantities.

    Raises BayesInputError for a model that the engines cannot run on, by the name of the variable.
    """
    _check(model, backend, potentials)
    draw, shapes, without_prior = _prior_draws(model)
    shared = _Graphs(model, shapes)
    if shared.dim == 0:
        raise BayesInputError("the free variables of the model have no elements; there is nothing to sample")
    output = _Output(model, shared, var_names)
    coordinates = _coordinates(model, shapes)

    def density(prior: list[Any], likelihood: list[Any]) -> Density:
        made = Density(shared.dim, model.name or "model", output.quantities)
        _densities(made, shared, backend, prior, likelihood, draw)
        if draw is not None:
            # an angle has the same density at all its turns, whose integral is not finite
            made.drawn_by(draw, not any(periodic))
        made.output_by(output)
        return made

    periodic = _periodic(model, shapes)
    free, observed, extra = list(model.free_RVs), list(model.observed_RVs), list(model.potentials)
    # the path goes from the prior draws, which know nothing of the potentials, to all of the density in both cases
    of_all = density(free, observed + extra)
    of_potentials = density(free, extra) if potentials == "prior" and extra else None
    output.labels.given = Given("PyMC model", draw is not None)
    return Made(of_all, shared.dim, output.labels, coordinates, without_prior, of_potentials, periodic)


def _check(model: Any, backend: str, potentials: Optional[str]) -> None:
    import pytensor

    if backend not in ("auto", "numba", "interpreter"):
        raise BayesInputError(f"`backend` is {backend!r}; it must be auto, numba or interpreter")
    if backend == "numba" and not _numba.is_installed():
        raise ImportError(
            '`backend="numba"` needs numba, which is not installed: pip install numba; `interpreter` does without'
        )
    if potentials not in (None, "likelihood", "prior"):
        raise BayesInputError(f"`potentials` is {potentials!r}; it must be likelihood or prior")
    if pytensor.config.floatX != "float64":
        raise BayesInputError(
            f"PyTensor's floatX is {pytensor.config.floatX}; the engines need float64: pytensor.config.floatX = 'float64' before the model is made"
        )
    if not model.free_RVs:
        raise BayesInputError("the model has no free variable; there is nothing to sample")
    discrete = [variable.name for variable in model.free_RVs if variable.dtype.startswith(("int", "uint", "bool"))]
    if discrete:
        names = ", ".join(f"`{name}`" for name in discrete)
        raise BayesInputError(
            f"{names}: a free variable with whole numbers, which the engines cannot sample; sum it out, as pymc.Mixture does, or observe it"
        )
    _check_missing(model)
    if not model.observed_RVs and not model.potentials:
        raise BayesInputError("the model has no observed variable and no potential; there is no likelihood")
    scaled = [variable.name for variable in model.observed_RVs if type(variable.owner.op).__name__ == "MinibatchRandomVariable"]
    if scaled:
        names = ", ".join(f"`{name}`" for name in scaled)
        text = f"{names}: `total_size` multiplies the log likelihood, which is then no probability of data, so that an evidence compares no models"
        warnings.warn(text, BayesWarning, stacklevel=5)
    if model.potentials and potentials is None:
        names = ", ".join(f"`{potential.name}`" for potential in model.potentials)
        text = f'{names}: the potentials are part of the likelihood, and so of the evidence; say potentials="likelihood" if they are, or "prior"'
        warnings.warn(text, BayesWarning, stacklevel=5)


def _check_missing(model: Any) -> None:
    """Refuses missing values that PyMC does not give a density of their own."""
    for variable in model.free_RVs:
        op = variable.owner.op
        if type(op).__name__ == "PartialObservedRV" and op.ndim_supp > 0:
            name = variable.name.removesuffix("_unobserved")
            raise BayesInputError(
                f"`{name}`: some elements of a multivariate observation are missing, and PyMC has no density of them given the others;"
                " leave out such observations, or write the density of what is observed"
            )


def _prior_draws(model: Any) -> tuple[Optional[_Drawn], list[tuple[int, ...]], Optional[str]]:
    """Draws from the prior, the shapes of the free variables without constraints, and why there are no draws."""
    try:
        draw = _Drawn(model)
        return draw, draw.shapes, None
    except NotImplementedError as error:
        improper = [rv.name for rv in model.free_RVs if "Flat" in type(rv.owner.op).__name__]
        names = ", ".join(f"`{name}`" for name in improper)
        why = f"{names}: an improper prior (Flat) has none" if improper else f"PyMC cannot draw from it: {_first_line(error)}"
    point = model.initial_point()
    return None, [np.shape(point[value.name]) for value in model.value_vars], why


def _first_line(error: Exception) -> str:
    """What an error says, without the graph that PyTensor prints below."""
    return (str(error).splitlines() or [type(error).__name__])[0]


class _Drawn:
    """Prior draws without constraints, by PyMC's graph of the prior."""

    def __init__(self, model: Any) -> None:
        import pytensor.tensor as pt
        from pymc.initial_point import make_initial_point_expression
        from pymc.pytensorf import compile as compiled
        from pymc.pytensorf import find_rng_nodes, replace_rng_nodes

        free, transforms = _given_observed(model)
        values = make_initial_point_expression(
            free_rvs=free,
            rvs_to_transforms=transforms,
            initval_strategies={},
            default_strategy="prior",
            return_transformed=True,
        )
        # those of the model itself stay as they are
        values = replace_rng_nodes(values)
        whole = pt.concatenate([value.ravel().astype("float64") for value in values])
        # a few thousand draws do not pay for a compiler
        shapes = compiled([], [value.shape for value in values], mode="FAST_COMPILE", on_unused_input="ignore")()
        self.shapes = [tuple(int(n) for n in shape) for shape in shapes]
        self._draw = compiled([], whole, mode="FAST_COMPILE")
        self._generators = find_rng_nodes(self._draw.maker.fgraph.outputs)
        self._lock = threading.Lock()

    def __call__(self, seed: int) -> bytes:
        from pymc.pytensorf import reseed_rngs

        with self._lock:
            reseed_rngs(self._generators, seed)
            return np.asarray(self._draw(), dtype=np.float64).tobytes()


def _given_observed(model: Any) -> tuple[list[Any], dict[Any, Any]]:
    """Copies of the free variables, and their transforms, in which observed variables are their values.

    A free variable whose parent is observed has the density of its prior given that value, and PyMC would draw the parent too.
    """
    from pytensor.graph.replace import clone_replace

    free = list(model.free_RVs)
    values = {variable: model.rvs_to_values[variable].astype(variable.dtype) for variable in model.observed_RVs}
    copies = clone_replace(free, values, rebuild_strict=False)
    return copies, {copy: model.rvs_to_transforms[variable] for copy, variable in zip(copies, free)}


class _Graphs:
    """Graphs over one vector of all free variables without constraints."""

    def __init__(self, model: Any, shapes: Sequence[tuple[int, ...]]) -> None:
        self.model = model
        self.values = list(model.value_vars)
        self.point = {value.name: np.zeros(shape) for value, shape in zip(self.values, shapes)}
        self.dim = sum(int(np.prod(shape)) for shape in shapes)

    def joined(self, graphs: list[Any]) -> tuple[list[Any], Any]:
        """The graphs as functions of the vector, which is returned too; data are constants from now on."""
        import pytensor.tensor as pt
        from pymc.pytensorf import join_nonshared_inputs
        from pytensor.compile.sharedvalue import SharedVariable
        from pytensor.graph.replace import clone_replace
        from pytensor.graph.traversal import graph_inputs

        joined, vector = join_nonshared_inputs(point=self.point, outputs=graphs, inputs=self.values)
        data = [variable for variable in graph_inputs(joined) if isinstance(variable, SharedVariable)]
        constants = {variable: pt.as_tensor(variable.get_value(), dtype=variable.dtype) for variable in data}
        return clone_replace(list(joined), constants, rebuild_strict=False), vector

    def log_density(self, variables: list[Any], jacobian: bool) -> Any:
        """The log density of variables, with the Jacobians of their transforms if these are sampled."""
        from pymc.pytensorf import find_rng_nodes

        try:
            graph = self.model.logp(vars=variables, jacobian=jacobian)
        except NotImplementedError as error:
            raise BayesInputError(f"PyMC has no log density of the model: {_first_line(error)}") from error
        if find_rng_nodes([graph]):
            raise BayesInputError(
                "the density draws random numbers: give all data in place of a pymc.Minibatch; a pymc.Simulator has no density"
            )
        return graph.astype("float64")

    def log_densities(self, prior: list[Any], likelihood: list[Any], weights: Any) -> tuple[list[Any], Any]:
        """The log prior with the Jacobians of the transforms, the log likelihood, and the parts of the gradient of their weighted sum, one for each
        variable: with slices of the vector in their place, each part would be put into zeros of all parts, which takes longer to compile."""
        graphs = [self.log_density(prior, True), self.log_density(likelihood, False)]
        total = weights[0] * graphs[0] + weights[1] * graphs[1]
        parts = _gradient(total, self.values)
        return self.joined([*graphs, *(part if part.ndim < 2 else part.ravel() for part in parts)])


class _NoGradient(Exception):
    """What PyTensor cannot differentiate."""


def _gradient(value: Any, of: Any) -> Any:
    """The gradient of a graph. Raises _NoGradient."""
    import pytensor.tensor as pt
    from pytensor.gradient import NullTypeGradError

    try:
        return pt.grad(value, of, disconnected_inputs="ignore")
    except (NullTypeGradError, NotImplementedError) as error:
        raise _NoGradient(_first_line(error)) from error


def _densities(
    made: Density, graphs: _Graphs, backend: str, prior: list[Any], likelihood: list[Any], draw: Optional[_Drawn]
) -> None:
    """Compiles both log densities with their gradients, which are differences where PyTensor has none."""
    try:
        _differentiated(made, graphs, backend, prior, likelihood, draw)
    except _NoGradient as error:
        if backend == "numba":
            words = '; `backend="interpreter"` takes differences of the log density'
            raise BayesInputError(f"PyTensor has no gradient of an operation of the model ({error}){words}") from error
        text = (
            "PyTensor has no gradient of an operation of the model: gradients are differences of the log density, 2 calls for each coordinate, and"
            " PyTensor's function is called with the interpreter's lock"
        )
        warnings.warn(text, BayesWarning, stacklevel=6)
        parts = [_Interpreted(graphs, [variables], place, False) for place, variables in enumerate((prior, likelihood))]
        made.split(Function.interpreted(parts[0]), Function.interpreted(parts[1]), False)


def _differentiated(
    made: Density, graphs: _Graphs, backend: str, prior: list[Any], likelihood: list[Any], draw: Optional[_Drawn]
) -> None:
    """Compiles both log densities with the gradients that PyTensor has. Raises _NoGradient where it has none."""
    if backend != "interpreter" and _numba.is_installed():
        found = _by_llvm_or_warned(graphs, prior, likelihood, draw) if backend == "auto" else None
        if found is not None:
            made.joint(*found)
            return
        try:
            made.joint(*_compiled(graphs, prior, likelihood))
            return
        except (BayesInputError, _NoGradient):
            raise
        except Exception as error:
            text = f"numba cannot compile the model ({_first_line(error)})"
            if backend == "numba":
                raise BayesInputError(f'{text}; `backend="interpreter"` needs no compilation by it') from error
            text = f"{text}; PyTensor's function is called with the interpreter's lock, which is slower"
            warnings.warn(text, BayesWarning, stacklevel=7)
    parts = [_Interpreted(graphs, [variables], place, True) for place, variables in enumerate((prior, likelihood))]
    made.split(Function.interpreted(parts[0]), Function.interpreted(parts[1]), True)


def _by_llvm_or_warned(
    graphs: _Graphs, prior: list[Any], likelihood: list[Any], draw: Optional[_Drawn]
) -> Optional[tuple[int, int, Any]]:
    """As `_by_llvm`; a fault of this package, or a version of PyTensor or llvmlite that it does not know, is warned of and left to numba."""
    try:
        return _by_llvm(graphs, prior, likelihood, draw)
    except (BayesInputError, _NoGradient):
        raise
    except Exception as error:
        text = f"LLVM alone cannot compile the model ({type(error).__name__}: {error}); numba compiles it, which takes longer. Please report this"
        warnings.warn(text, BayesWarning, stacklevel=8)
        return None


#: Positions at which machine code is compared with the interpreter, how many of them must have a finite density with a finite gradient, and how many are tried.
_COMPARED, _FINITE, _TRIED = 4, 2, 50


def _by_llvm(
    graphs: _Graphs, prior: list[Any], likelihood: list[Any], draw: Optional[_Drawn]
) -> Optional[tuple[int, int, Any]]:
    """The addresses of the C functions of values and of gradients by LLVM alone, and their owner. None where the graph has an operation that is not known
    there, where too few positions have a density, and where the functions differ from the interpreter at one of the positions."""
    import pytensor.tensor as pt
    from pytensor.compile.mode import NUMBA
    from pytensor.graph.fg import FunctionGraph

    from bayes import _llvm
    from bayes._llvm_scalars import Unsupported

    weights = pt.tensor("weights", dtype="float64", shape=(2,))
    found, vector = graphs.log_densities(prior, likelihood, weights)
    lengths = [int(values.size) for values in graphs.point.values()]
    graph = FunctionGraph([vector, weights], found, clone=True)
    # a parameter out of range has the density 0, as in PyMC
    NUMBA.including("local_check_parameter_to_ninf_switch").excluding("inplace").optimizer.rewrite(graph)
    of_weights = np.array([0.7, 1.3])
    try:
        _llvm.check(graph)
        evaluated = Evaluated(graph)
        positions, expected = _at_positions(evaluated, graphs.dim, of_weights, draw)
        if sum(map(_evaluated.has_gradient, expected)) < _FINITE:
            return None
        compiled = _llvm.joint(graph, evaluated.shapes(), lengths)
    except (Unsupported, NotEvaluated):
        # what LLVM or the interpreter does not do, numba may
        return None
    own = _llvm.evaluated(compiled, positions, of_weights)
    return compiled if all(map(_evaluated.is_same, own, expected)) else None


def _at_positions(evaluated: Evaluated, dim: int, of_weights: Array, draw: Optional[_Drawn]) -> tuple[Array, list[list[Array]]]:
    """Positions, `[positions, dim]`, every second a prior draw, and what the interpreter has there: as many as it takes until enough have a gradient."""
    rng, finite = np.random.default_rng(0), 0
    positions: list[Array] = []
    expected: list[list[Array]] = []
    while len(positions) < _COMPARED or (finite < _FINITE and len(positions) < _TRIED):
        seed, is_drawn = divmod(len(positions), 2)
        position = rng.normal(0, 0.5, size=dim)
        if is_drawn and draw is not None:
            position = np.frombuffer(draw(seed))
        positions.append(position)
        expected.append([part.copy() for part in evaluated.outputs(position, of_weights)])
        finite += _evaluated.has_gradient(expected[-1])
    return np.array(positions), expected


def _compiled(graphs: _Graphs, prior: list[Any], likelihood: list[Any]) -> tuple[int, int, Any]:
    """The addresses of the C functions of values and of gradients, and their owner."""
    import pytensor
    import pytensor.tensor as pt
    from pytensor.compile.mode import NUMBA

    weights = pt.vector("weights", dtype="float64")
    found, vector = graphs.log_densities(prior, likelihood, weights)
    lengths = [int(values.size) if values.ndim else None for values in graphs.point.values()]
    # a parameter out of range has the density 0, as in PyMC
    mode = NUMBA.including("local_check_parameter_to_ninf_switch")
    with warnings.catch_warnings():
        # of numba, about PyTensor's code
        warnings.simplefilter("ignore")
        # an operation of Python would be called by threads without a frame of the interpreter, where it must not raise
        warnings.filterwarnings("error", message=".*object mode")
        of_values = pytensor.function([vector], found[:2], mode=mode, trust_input=True)
        of_gradients = pytensor.function([vector, weights], found, mode=mode, trust_input=True)
        return _numba.joint(of_values, of_gradients, lengths)


class _Interpreted:
    """A log density of PyTensor, with its gradient if `has_gradient`, which the native part calls for a block. One thread at a time is in it."""

    def __init__(self, graphs: _Graphs, variables: list[list[Any]], place: int, has_gradient: bool) -> None:
        from pymc.pytensorf import compile as compiled

        [value], vector = graphs.joined([graphs.log_density(variables[0], place == 0)])
        self.dim = graphs.dim
        self._values = compiled([vector], value, trust_input=True, on_unused_input="ignore")
        if has_gradient:
            outputs = [value, _gradient(value, vector)]
            self._gradients = compiled([vector], outputs, trust_input=True, on_unused_input="ignore")
        self._lock = threading.Lock()

    def __call__(self, positions: bytes, particles: int, with_gradients: bool) -> bytes:
        """The values as bytes, `[particles]`, and with gradients those after them, `[particles, dim]`."""
        rows = np.frombuffer(positions).reshape(particles, self.dim).copy()
        values = np.empty(particles)
        gradients = np.empty((particles if with_gradients else 0, self.dim))
        with self._lock:
            for i, position in enumerate(rows):
                if with_gradients:
                    values[i], gradients[i] = self._gradients(position)
                else:
                    values[i] = self._values(position)
        return values.tobytes() + gradients.tobytes()


class _Output:
    """The quantities of a model at positions: its free variables with their constraints, and its deterministics."""

    def __init__(self, model: Any, graphs: _Graphs, var_names: Optional[Iterable[str]]) -> None:
        kept = _kept(model, var_names)
        joined, vector = graphs.joined(model.replace_rvs_by_values(kept))
        self.dim = graphs.dim
        self._lock = threading.Lock()
        self._by_rows = False
        names = [variable.name for variable in kept]
        try:
            self._compute = self._of_matrix(joined, vector)
            self(np.zeros((2, self.dim)).tobytes(), 2)
        except Exception:
            # an operation without a form for many rows
            self._by_rows = True
            self._compute = self._of_vector(joined, vector)
        shapes = self._shapes(joined, vector)
        self.labels = _labels(model, dict(zip(names, shapes)))
        free = {variable.name for variable in model.free_RVs}
        self.quantities = [quantity(self.labels, name, name not in free) for name in names]

    def __call__(self, positions: bytes, particles: int) -> bytes:
        """The quantities as bytes, `[particles, elements]`."""
        rows = np.frombuffer(positions).reshape(particles, self.dim).copy()
        with self._lock:
            if self._by_rows:
                return b"".join(np.ascontiguousarray(self._compute(row), dtype=np.float64).tobytes() for row in rows)
            return np.ascontiguousarray(self._compute(rows), dtype=np.float64).tobytes()

    @staticmethod
    def _of_matrix(joined: list[Any], vector: Any) -> Any:
        import pytensor.tensor as pt
        from pymc.pytensorf import compile as compiled
        from pytensor.graph.replace import vectorize_graph

        matrix = pt.matrix("positions", dtype="float64")
        parts = vectorize_graph(joined, {vector: matrix})
        flat = []
        for part, one in zip(parts, joined):
            # what depends on no free variable has one row
            whole = pt.broadcast_to(part, (matrix.shape[0], *part.shape)) if part.ndim == one.ndim else part
            flat.append(whole.reshape((matrix.shape[0], -1)).astype("float64"))
        return compiled([matrix], pt.concatenate(flat, axis=1), mode="FAST_COMPILE", on_unused_input="ignore")

    @staticmethod
    def _of_vector(joined: list[Any], vector: Any) -> Any:
        import pytensor.tensor as pt
        from pymc.pytensorf import compile as compiled

        flat = pt.concatenate([part.ravel().astype("float64") for part in joined])
        return compiled([vector], flat, mode="FAST_COMPILE", on_unused_input="ignore")

    def _shapes(self, joined: list[Any], vector: Any) -> list[tuple[int, ...]]:
        from pymc.pytensorf import compile as compiled

        shapes = compiled([vector], [part.shape for part in joined], mode="FAST_COMPILE", on_unused_input="ignore")
        return [tuple(int(n) for n in shape) for shape in shapes(np.zeros(self.dim))]


def _kept(model: Any, var_names: Optional[Iterable[str]]) -> list[Any]:
    known = {variable.name: variable for variable in [*model.free_RVs, *model.deterministics]}
    if var_names is None:
        return list(known.values())
    wanted = [var_names] if isinstance(var_names, str) else list(var_names)
    for name in wanted:
        if name not in known:
            raise BayesInputError(f"`var_names` has `{name}`, and the model has {', '.join(known)}")
    if not wanted:
        raise BayesInputError("`var_names` is empty")
    return [known[name] for name in wanted]


def _labels(model: Any, shapes: dict[str, tuple[int, ...]]) -> Labels:
    dims = {
        name: tuple(dim if dim is not None else f"{name}_dim_{axis}" for axis, dim in enumerate(named))
        for name, named in model.named_vars_to_dims.items()
        if named is not None
    }
    coords = {dim: np.asarray(values) for dim, values in model.coords.items() if values is not None}
    observed = {}
    for variable in model.observed_RVs:
        values = _value(model.rvs_to_values[variable])
        of_axes = tuple(f"{variable.name}_dim_{axis}" for axis in range(values.ndim))
        observed[variable.name] = (dims.get(variable.name, of_axes), values)
    dims = {name: named for name, named in dims.items() if len(named) == len(shapes.get(name, named))}
    return Labels(shapes, dims, coords, observed)


def _value(variable: Any) -> Any:
    """The array of data, without a C compiler, which `eval` would ask for seconds."""
    if hasattr(variable, "data"):
        return np.asarray(variable.data)
    return np.asarray(variable.get_value() if hasattr(variable, "get_value") else variable.eval(mode="FAST_COMPILE"))


def _coordinates(model: Any, shapes: Sequence[tuple[int, ...]]) -> list[str]:
    """The names of the coordinates, by the variables: `theta_log__[3]`."""
    names = []
    for value, shape in zip(model.value_vars, shapes):
        places = [value.name] if not shape else [f"{value.name}[{','.join(map(str, place))}]" for place in np.ndindex(*shape)]
        names.extend(places)
    return names


def _periodic(model: Any, shapes: Sequence[tuple[int, ...]]) -> list[bool]:
    """Which coordinates are angles."""
    found = []
    for variable, shape in zip(model.free_RVs, shapes):
        is_angle = type(model.rvs_to_transforms[variable]).__name__ == "CircularTransform"
        found.extend([is_angle] * int(np.prod(shape)))
    return found
