"""The log densities and gradients of the programs of posteriordb by Stan's functions, beside those of the library.

    pip install -r experiments/peers/requirements.txt
    cargo run --release --manifest-path experiments/stan_programs/Cargo.toml -- DIR --out FILE
    python experiments/peers/stan_programs.py FILE --programs STAN --data DIR

STAN is the folder `posterior_database/models/stan` of stan-dev/posteriordb. Both densities are taken at the same unconstrained coordinates, Jacobians
included. Where the coordinates differ (simplexes, ordered positive numbers, effects that sum to zero, an interval that the program does not declare),
those of Stan and the change of the density are computed from ours, and the gradient by the chain rule, with derivatives by complex steps, which are
exact. Stan drops constants, so differences of log densities between points are compared, from that of the smallest size: relative to the larger of the
two log densities, and gradients relative to their largest entry. Points where Stan's functions overflow are left out and not counted. A posterior with
many steps of its differential equations is compared with the program at tolerances of 1e-12; elsewhere the program's own tolerances stay. Prints a
table in Markdown, and exits with 1 if there is a difference that is not explained.
"""

import argparse
import gzip
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import stanli

TOLERANCE = 1e-10
# Programs whose differences are explained in experiments/stan_programs.md; those with differential equations, except with many steps.
EXPLAINED = {"kronecker_gp", "logistic_regression_rhs"}
EQUATIONS = {"lotka_volterra", "one_comp_mm_elim_abs", "sir", "soil_incubation"}
# Quantities of the library with another name than the program's.
RENAMED = {("multi_occupancy", "rho_uv"): "unit"}
# Parameters that the library confines to an interval, and the program does not.
CONFINED = {("dogs_log", "beta"): [(-100.0, 0.0), (0.0, 100.0)]}


def declarations(text):
    """The parameters of a program, in order: name and type."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"(//|#)[^\n]*", "", text)
    block = re.search(r"(?<![a-z] )\bparameters\s*\{(.*?)\}", text, flags=re.S).group(1)
    found = []
    for statement in block.split(";"):
        statement = re.sub(r"<[^;]*?>(?=\s*[\[\w])", " ", statement)
        match = re.match(r"\s*(array\s*\[[^\]]*\]\s*)?(\w+)\s*(\[.*?\])?\s*(\w+)\s*$", statement, flags=re.S)
        if match:
            found.append((match.group(4), match.group(2)))
    return found


def logistic(u):
    return 1 / (1 + np.exp(-u))


# The changes of coordinates work on the last axis, and return Stan's coordinates and the difference of the log Jacobians.


def simplex(u):
    """Stick breaking to the isometric log ratio (Stan Reference Manual, section "Unit simplex")."""
    last = u.shape[-1]
    v = u - np.log(last - np.arange(last))
    pieces, left = -np.log1p(np.exp(-v)), -np.log1p(np.exp(v))
    rest = np.concatenate([np.zeros_like(u[..., :1]), np.cumsum(left, axis=-1)], axis=-1)
    logs = np.concatenate([rest[..., :-1] + pieces, rest[..., -1:]], axis=-1)
    ours = np.sum(rest[..., :-1] + pieces + left, axis=-1)
    k = np.arange(1, last + 1)
    theirs = (np.cumsum(logs, axis=-1)[..., :-1] - k * logs[..., 1:]) / np.sqrt(k * (k + 1))
    return theirs, ours - np.sum(logs, axis=-1)


def positive_ordered(u):
    """Logarithms in increasing order to logarithms of gaps."""
    logs = u[..., :1] + np.concatenate([np.zeros_like(u[..., :1]), np.cumsum(np.exp(u[..., 1:]), axis=-1)], axis=-1)
    x = np.exp(logs)
    theirs = np.concatenate([logs[..., :1], np.log(x[..., 1:] - x[..., :-1])], axis=-1)
    return theirs, np.sum(logs, axis=-1) + np.sum(u[..., 1:], axis=-1) - np.sum(theirs, axis=-1)


def zero_sum(u):
    """Orthonormal contrasts to all elements of a vector but the last, which is minus their sum."""
    i = np.arange(1, u.shape[-1] + 1)
    w = u / np.sqrt(i * (i + 1))
    later = np.cumsum(w[..., ::-1], axis=-1)[..., ::-1]
    first = later[..., :1]
    return np.concatenate([first, later[..., 1:] - i[:-1] * w[..., :-1]], axis=-1), np.zeros_like(first[..., 0])


def confined(ends):
    """An interval to the real numbers."""
    low, high = np.array(ends).T

    def change(u):
        share = 1 / (1 + np.exp(-u))
        return low + (high - low) * share, np.sum(np.log(share * (1 - share)), axis=-1)

    return change


def derivatives(change, u):
    """The derivatives of the coordinates, a row for each of ours, and the gradient of the density, by complex steps."""
    theirs, density = change(u + 1e-30j * np.eye(len(u)))
    return theirs.imag / 1e-30, density.imag / 1e-30


class Layout:
    """Where the coordinates of each parameter of the program are among ours, and how they are changed."""

    def __init__(self, program, text, variables):
        self.blocks, self.names = [], {}
        starts, at = {}, 0
        kinds = {}
        for name, kind in declarations(text):
            kinds[name] = kind
        for name, extents in variables:
            size = self.size(program, name, extents, kinds)
            starts[name] = (at, size, extents)
            at += size
        self.dim = at
        for name, kind in kinds.items():
            self.add(program, name, kind, starts)

    @staticmethod
    def size(program, name, extents, kinds):
        kind = kinds.get(name)
        count = int(np.prod(extents))
        if kind == "simplex":
            return count - count // extents[-1]
        if f"{name}_free" in kinds:
            return count - 1
        if kind == "cholesky_factor_corr":
            return extents[0] * (extents[0] - 1) // 2
        return count

    def add(self, program, name, kind, starts):
        ours = RENAMED.get((program, name), name)
        for ending in ("_raw", "_trans", "_free"):
            if ours not in starts and ours.endswith(ending) and ours.removesuffix(ending) in starts:
                ours = ours.removesuffix(ending)
        if ours in starts:
            at, size, extents = starts[ours]
            places = np.arange(at, at + size)
        else:
            at, size, extents = None, None, []
            parts = [starts[part] for part in sorted(starts) if re.fullmatch(rf"{re.escape(name)}_\d+", part)]
            if parts:
                places = np.concatenate([np.arange(at, at + size) for at, size, _ in parts])
            else:
                # the columns of one matrix are parameters of their own
                stem, column = re.fullmatch(r"(.*?)(\d+)", name).groups()
                at, size, (rows, columns) = starts[stem]
                places = np.arange(at, at + size).reshape(rows, columns)[:, int(column) - 1]
            kind = "real" if kind in ("ordered", "positive_ordered") else kind
        if kind == "matrix":
            places = places.reshape(extents).T.ravel()
        if kind == "simplex":
            for row in places.reshape(-1, extents[-1] - 1):
                self.blocks.append((row, simplex))
        elif kind == "positive_ordered":
            self.blocks.append((places, positive_ordered))
        elif name.endswith("_free"):
            self.blocks.append((places, zero_sum))
        elif (program, name) in CONFINED:
            self.blocks.append((places, confined(CONFINED[program, name])))
        else:
            self.blocks.append((places, None))

    def theirs(self, u):
        """Stan's coordinates, and the difference of the log Jacobians."""
        parts, density = [], 0.0
        for places, change in self.blocks:
            if change is None:
                parts.append(u[places])
            else:
                part, more = change(u[places])
                parts.append(part)
                density += more
        return np.concatenate(parts), density

    def gradient(self, u, theirs):
        """The gradient in our coordinates, from that in Stan's."""
        gradient, at = np.full(self.dim, np.nan), 0
        for places, change in self.blocks:
            part = theirs[at : at + len(places)]
            at += len(places)
            if change is not None:
                matrix, slopes = derivatives(change, u[places])
                part = matrix @ part + slopes
            gradient[places] = part
        return gradient


def exact_equations(text):
    """The program with tolerances of differential equations so small that the rest is rounding."""
    for match in re.finditer(r"(integrate_ode_(?:rk45|bdf))\s*\(", text):
        depth, arguments, start = 1, [], match.end()
        for end in range(match.end(), len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0 or (depth == 1 and text[end] == ","):
                arguments.append(text[start:end])
                start = end + 1
            if depth == 0:
                break
        call = ", ".join([*arguments[:7], "1e-12", "1e-12", "10000000"])
        return f"{text[: match.start()]}{match.group(1)}({call}{text[end:]}"
    return text


def microseconds(model, theirs):
    least, start, times = np.inf, time.perf_counter(), 0
    while times < 3 or (times < 1000 and time.perf_counter() - start < 0.2):
        before = time.perf_counter()
        model.log_prob_grad(theirs)
        least = min(least, time.perf_counter() - before)
        times += 1
    return least * 1e6


def compare(case, folder, data):
    text = (folder / f"{case['program']}.stan").read_text()
    data = json.load(gzip.open(data / "data" / f"{case['data']}.json.gz"))
    if "steps" in case["posterior"]:
        text = exact_equations(text)
    model = stanli.Model(stan_code=text, data=data)
    layout = Layout(case["program"], text, case["variables"])
    assert layout.dim == case["dim"] == model.n_unconstrained, f"{layout.dim} {case['dim']} {model.n_unconstrained} coordinates"
    ours, theirs, gradients = [], [], []
    for point in case["points"]:
        u = np.array([np.nan if x is None else x for x in point["position"]])
        at, change = layout.theirs(u)
        try:
            log_density, gradient = model.log_prob_grad(at)
        except RuntimeError:
            log_density, gradient = np.nan, np.full(len(at), np.nan)
        found = np.array([np.nan if x is None else x for x in point["gradient"]])
        wanted = layout.gradient(u, np.asarray(gradient))
        ours.append(np.nan if point["log_density"] is None else point["log_density"])
        theirs.append(log_density + change)
        gradients.append(np.max(np.abs(found - wanted)) / max(1.0, np.max(np.abs(wanted))))
    # Stan's functions overflow at some points; where ours do, that is a difference
    is_kept = np.isfinite(theirs)
    if not is_kept.any():
        raise ValueError("Stan's functions have no finite number at these points")
    ours, theirs = np.array(ours)[is_kept], np.array(theirs)[is_kept]
    constants, sizes = ours - theirs, np.maximum(np.abs(ours), np.abs(theirs))
    base = np.argmin(sizes)
    density = np.max(np.abs(constants - constants[base]) / np.maximum(1.0, np.maximum(sizes, sizes[base])))
    gradient = np.max(np.array(gradients)[is_kept])
    return density, gradient, int(is_kept.sum()), microseconds(model, at)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    print("| posterior | coordinates | points | density | gradient | µs, one | µs, of 32 | µs, Stan |\n|---|---|---|---|---|---|---|---|")
    off, unexplained, ratios = [], [], []
    for line in open(arguments.file):
        case = json.loads(line)
        if arguments.only not in case["posterior"]:
            continue
        try:
            density, gradient, points, theirs = compare(case, arguments.programs, arguments.data)
        except Exception as error:
            print(f"| {case['posterior']} | {case['dim']} | {str(error)[:150]!r} |")
            unexplained.append(case["posterior"])
            continue
        one, block = case["microseconds"]
        print(f"| {case['posterior']} | {case['dim']} | {points} | {density:.1e} | {gradient:.1e} | {one:.1f} | {block:.2f} | {theirs:.1f} |", flush=True)
        if "steps" not in case["posterior"]:
            ratios.append([np.log(theirs / one), np.log(theirs / block)])
        if not (density <= TOLERANCE and gradient <= TOLERANCE):
            is_inexact = case["program"] in EQUATIONS and "steps" not in case["posterior"]
            is_explained = is_inexact or case["program"] in EXPLAINED
            (off if is_explained else unexplained).append(case["posterior"])
    alone, blocks = np.exp(np.mean(ratios, axis=0))
    slower = sum(ratio[0] < 0 for ratio in ratios)
    print(f"\nStan's time of a gradient is {alone:.2f} of ours one at a time and {blocks:.1f} in blocks of 32, geometric means of {len(ratios)}; {slower} are slower one at a time")
    print(f"{len(off)} differ by more than {TOLERANCE:.0e} and are explained: {', '.join(off)}")
    print(f"{len(unexplained)} others: {', '.join(unexplained)}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
