"""C functions: those of numba and ctypes that users give, and those that are compiled of graphs of PyTensor."""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Sequence
from typing import Any, Optional

from bayes._native import Function

#: What a C function of a log density must be.
SIGNATURE = "float64(int64, CPointer(float64), CPointer(float64))"
#: The class of all C functions of ctypes.
_C_FUNCTION: Any = ctypes.CFUNCTYPE(None).__mro__[1]
#: The flag of ctypes of a function that is called with the interpreter's lock (FUNCFLAG_PYTHONAPI).
_NEEDS_LOCK = 4
_MUST = f"it must be `{SIGNATURE}`: of the number of coordinates, the position and the gradient, which it fills, and return the log density"


def compiled(name: str, function: Any) -> Optional[Function]:
    """The C function that this is; None if it is none.

    Raises TypeError for one with another signature, which would write anywhere, and for one that needs the interpreter's lock.
    """
    if type(function).__module__.partition(".")[0] == "numba" and hasattr(function, "address"):
        if _text(function._sig) != SIGNATURE.replace("CPointer(float64)", "float64*"):
            raise TypeError(f"`{name}` is a C function `{function._sig}`; {_MUST}")
        return Function.compiled(function.address, function)
    if isinstance(function, _C_FUNCTION):
        pointer = ctypes.POINTER(ctypes.c_double)
        if function.restype is not ctypes.c_double or tuple(function.argtypes or ()) != _arguments(pointer):
            raise TypeError(
                f"`{name}` is a C function of {_names(function.argtypes)} that returns {_names([function.restype])}; {_MUST}. "
                "Set `argtypes` and `restype`"
            )
        if function._flags_ & _NEEDS_LOCK:
            raise TypeError(
                f"`{name}` is a C function that needs the interpreter's lock, as those of PyDLL and PYFUNCTYPE do, and threads call it without the lock;"
                " use CDLL or CFUNCTYPE"
            )
        return Function.compiled(ctypes.cast(function, ctypes.c_void_p).value or 0, function)
    return None


def _text(signature: Any) -> str:
    """A signature as text: `float64(int64, float64*, float64*)`."""
    arguments = [str(kind) for kind in signature.args]
    return f"{signature.return_type}({', '.join(arguments)})"


def _arguments(pointer: Any) -> tuple[Any, ...]:
    return (ctypes.c_int64, pointer, pointer)


def _names(types: Any) -> str:
    if types is None:
        return "unknown arguments"
    return ", ".join(getattr(kind, "__name__", "nothing") for kind in types) or "nothing"


def is_installed() -> bool:
    """Whether numba can be imported."""
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def joint(values: Any, gradients: Any, lengths: Sequence[Optional[int]]) -> tuple[int, int, Any]:
    """The addresses of two C functions of blocks, and their owner.

    `values(x)` is a compiled graph of the log prior and the log likelihood, `gradients(x, weights)` has the parts of the gradient of their weighted sum
    too: a number where the length is None, and a vector elsewhere.
    """
    import numba
    from numba import types

    numbers, size = types.CPointer(types.float64), types.int64
    signature = types.void(size, size, numbers, numbers, numbers, numbers, numbers)
    with warnings.catch_warnings():
        # of numba, about its own code
        warnings.simplefilter("ignore")
        # as where the graphs are compiled: an operation of Python must not be in it
        warnings.filterwarnings("error", message=".*object mode")
        functions = [
            numba.cfunc(signature)(_fill(values, "", [])),
            numba.cfunc(signature)(_fill(gradients, ", weights", lengths)),
        ]
    return functions[0].address, functions[1].address, (functions, values, gradients)


#: Elements one by one: what assigns a slice has a message for arrays that do not fit, which numba compiles for seconds.
_FILL = """
def fill(particles, dim, at_x, at_weights, at_prior, at_likelihood, at_gradient):
    positions, weights = carray(at_x, (particles, dim)), carray(at_weights, (2,))
    log_prior, log_likelihood = carray(at_prior, (particles,)), carray(at_likelihood, (particles,))
    gradients = carray(at_gradient, (particles, dim))
    for i in range(particles):
        try:
            {answer} = function(positions[i]{weights})
            log_prior[i] = prior.item()
            log_likelihood[i] = likelihood.item()
            {assignments}
        except Exception:
            log_prior[i] = nan
            log_likelihood[i] = nan
            {clearing}
"""


def _fill(compiled: Any, weights: str, lengths: Sequence[Optional[int]]) -> Any:
    """The function of a block that calls a compiled graph for each position; without lengths of gradients of the values alone."""
    import numba
    from numba import carray

    names = [f"part{place}" for place in range(len(lengths))]
    assignments, begin = [], 0
    for name, length in zip(names, lengths):
        one = f"gradients[i, {begin}] = {name}.item()"
        many = f"for k in range({length}): gradients[i, {begin} + k] = {name}[k]"
        assignments.append(one if length is None else many)
        begin += 1 if length is None else length
    text = _FILL.format(
        answer=", ".join(["prior", "likelihood", *names]),
        weights=weights,
        assignments="\n            ".join(assignments) or "pass",
        clearing="for k in range(dim): gradients[i, k] = 0.0" if names else "pass",
    )
    # without what the interpreter would call it by, which takes a second to compile
    function = numba.njit(compiled.vm.jit_fn.py_func, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    space = {"carray": carray, "function": function, "nan": math.nan}
    exec(text, space)
    return space["fill"]
