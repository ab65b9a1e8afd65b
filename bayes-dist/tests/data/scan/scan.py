"""Writes the references of the scan: log densities, log tails, log probabilities of intervals and all slopes, from one end of f64 to
the other, as `README.md` of the folder above explains.

    python3 scan.py --full FOLDER [PROCESSES]    one file for each family, for BAYES_SCAN=FOLDER
    python3 scan.py --sample [PROCESSES]         sample.jsonl of this folder: a point of each region, and all that were wrong once

Needs mpmath; gmpy2 beside it makes it several times faster. The full scan takes some ten minutes of two processors.
"""

import json
import operator
import pathlib
import sys
from collections import defaultdict
from functools import lru_cache
from multiprocessing import Pool

from mpmath import mp, mpf

import regions
import structured
from exact import DIGITS, INF, lnot
from families import FAMILIES
from structured import STRUCTURED

SEED = 20261128
PER_REGION = 1
ALL = range(len(FAMILIES) + len(STRUCTURED))


def double(x):
    """A double for JSON, or None where there is none."""
    x = float(x)
    return x if abs(x) < float("inf") else None


def measured(f, arguments, free, digits):
    """Value, slopes and scales of `f`; None where it has no value."""
    exact = [mpf(a) for a in arguments]
    step = mpf(10) ** -digits
    size = [abs(a) if a != 0 else mpf(1) for a in exact]

    def at(*moves):
        moved = list(exact)
        for k, by in moves:
            moved[k] += by * step * size[k]
        return f(*moved)

    value = at()
    if value is None or abs(value) == INF:
        return None
    ahead = {k: at((k, 1)) for k in free}
    slopes = {k: (ahead[k] - at((k, -1))) / (2 * step * size[k]) for k in free}
    # what a relative change of each argument makes of the value, and of what another makes of it
    bends = {(i, k): abs(at((i, 1), (k, 1)) - ahead[i] - ahead[k] + value) / step**2 for i in free for k in free if i <= k}
    scales = [abs(value) + sum(abs(slopes[k]) * size[k] for k in free)]
    for i in range(len(arguments)):
        of = sum(bend / size[i] for pair, bend in bends.items() if i in pair)
        scales.append(abs(slopes[i]) + of if i in free else mpf(0))
    return value, [slopes.get(i) for i in range(len(arguments))], scales


def line(family, quantity, region, x, parameters, found, floor):
    value, slopes, scales = found
    if slopes and quantity == "interval":
        slopes, scales = [None] + slopes[2:], [scales[0], mpf(0)] + scales[3:]
    size = [1] + [abs(a) if a else 1 for a in (x[0], *parameters)]
    # a log density is a sum of terms of order 1; the slopes of a log tail are a sum of terms of its order
    scales = [scales[0] + floor] + [s + (floor or abs(value)) / mpf(n) for s, n in zip(scales[1:], size[1:])]
    row = {"family": family, "quantity": quantity, "region": region, "x": x, "parameters": parameters,
           "values": [double(value)] + [None if s is None else double(s) for s in slopes],
           "scales": [float("%.2e" % min(float(s), 1e308)) for s in scales]}
    return json.dumps(row)


def lines_of(family, region, points):
    k = len(points[0][0]) if points else 0
    free = [0] if not family.discrete else []
    free += [1 + i for i in range(k) if i not in family.whole]
    for parameters, x in points:
        parameters, x = [float(p) for p in parameters], float(x)
        # at an end of a parameter there is no central difference
        inner = [i for i in free if i == 0 or not (family.ends and parameters[i - 1] == 0)]
        quantities = [("density", family.density)]
        if family.tails:
            tails = lru_cache(None)(family.tails)
            quantities += [("cdf", lambda *a: pick(tails(*a), 0)), ("sf", lambda *a: pick(tails(*a), 1))]
        for quantity, f in quantities:
            found = tried(f, [x, *parameters], inner, 20 if quantity != "density" else 60)
            if found:
                yield line(family.name, quantity, region, [x], parameters, found, 1 if quantity == "density" else 0)


def pick(pair, k):
    return None if pair is None else pair[k]


def interval_of(family):
    def f(low, high, *p):
        first, last = family.tails(low, *p), family.tails(high, *p)
        if first is None or last is None:
            return None
        if first[1] < first[0]:
            return first[1] + lnot(last[1] - first[1])
        if last[0] < last[1]:
            return last[0] + lnot(first[0] - last[0])
        both = mp.log(mp.exp(first[0]) + mp.exp(last[1]))
        return lnot(both)
    return f


def intervals(family, points):
    """Between neighbouring points of the same parameters."""
    groups = defaultdict(list)
    for parameters, x in points if family.tails and not family.discrete else []:
        groups[tuple(parameters)].append(float(x))
    for parameters, xs in groups.items():
        xs = sorted(set(xs))
        yield from ((parameters, ends) for ends in list(zip(xs, xs[1:]))[:3])


def lines_of_intervals(family, region, pairs):
    for parameters, (low, high) in pairs:
        free = list(range(2 + len(parameters)))
        found = tried(interval_of(family), [low, high, *parameters], free, 20)
        if found:
            of_tails = [0, 0, 0] + slopes_of_tails(family, (low, high), parameters, found)
            found = (*found[:2], [a + b for a, b in zip(found[2], of_tails)])
            yield line(family.name, "interval", region, [low, high], list(parameters), found, 0)


def slopes_of_tails(family, ends, parameters, interval):
    """What the roundings of both tails and of their slopes in the parameters make of the slopes of an interval, their difference."""
    value, slopes, _ = interval
    sums = [mpf(0)] * len(parameters)
    for end in ends:
        k = 0 if operator.lt(*family.tails(mpf(end), *map(mpf, parameters))) else 1
        found = tried(lambda *a: pick(family.tails(*a), k), [end, *parameters], range(1 + len(parameters)), 20)
        for i, slope in enumerate(found[1][1:] if found else []):
            sums[i] += (abs(slope) + abs(slopes[2 + i])) * mp.exp(found[0] - value)
    return sums


def tried(f, arguments, free, digits):
    """As `measured`; None too where a formula fails or the value is no double."""
    try:
        found = measured(f, arguments, free, digits)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None
    return found if found and double(found[0]) is not None else None


def lines_of_structured(family, region, points):
    """Log densities of a list `x`, with slopes in the parameters alone."""
    for parameters, x in points:
        parameters, x = [float(p) for p in parameters], [float(v) for v in x]
        n = len(x)
        free = [i for i in range(n + len(parameters)) if i >= n or not family.discrete]
        found = tried(lambda *a: family.density(list(a[:n]), *a[n:]), x + parameters, free, 60)
        if found:
            value, slopes, scales = found
            if family.mixed:
                scales = scales[:1] + [s * (1 + abs(value)) + abs(value) for s in scales[1:]]
            of_parameters = (value, [None] + slopes[n:], [scales[0], mpf(0)] + scales[1 + n:])
            yield line(family.name, "density", region, x, parameters, of_parameters, 1)


def found_points(family, d):
    """The regions of a family with their points."""
    name, discrete = family.name, family.discrete
    return [("named", regions.named(name)), ("centre", regions.centre(name, d, discrete)), ("tails", regions.tails(name, d, discrete)),
            ("large shape", regions.shapes(name, d, discrete, regions.LARGE)),
            ("small shape", regions.shapes(name, d, discrete, regions.SMALL)), ("far scale", regions.sizes(name, d, discrete))]


def rows_of_structured(number, few):
    family = STRUCTURED[number]
    d = regions.Draws(SEED + 1000 + number)
    rows = []
    for region in ("named", "centre", "tails", "large shape", "small shape", "far scale"):
        points = structured.named(family.name) if region == "named" else list(family.points(d, region))
        some = few and region != "named"
        rows += lines_of_structured(family, region, d.random.sample(points, min(few, len(points))) if some else points)
    return family.name, rows


def rows_of(job):
    """The lines of a family; of each region all points, or `few` of them."""
    number, few = job
    mp.dps = DIGITS
    if number >= len(FAMILIES):
        return rows_of_structured(number - len(FAMILIES), few)
    family = FAMILIES[number]
    d = regions.Draws(SEED + number)
    rows = []
    for region, points in found_points(family, d):
        points = list(points)
        pairs = intervals(family, points)
        if few and region != "named":
            points = d.random.sample(points, min(few, len(points)))
            pairs = list(pairs)[:1] if few else pairs
        rows += lines_of(family, region, points)
        rows += lines_of_intervals(family, region, pairs)
    return family.name, rows


def full(folder, processes):
    folder.mkdir(parents=True, exist_ok=True)
    with Pool(processes) as pool:
        for name, rows in pool.imap_unordered(rows_of, [(i, None) for i in ALL]):
            (folder / f"{name}.jsonl").write_text("".join(row + "\n" for row in rows))
            print(name, len(rows), flush=True)


def sample(processes):
    with Pool(processes) as pool:
        found = pool.map(rows_of, [(i, PER_REGION) for i in ALL], chunksize=1)
    lines = [row + "\n" for _, rows in found for row in rows]
    (pathlib.Path(__file__).parent / "sample.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    full_scan = sys.argv[1] == "--full"
    processes = int(sys.argv[-1]) if sys.argv[-1].isdigit() else None
    full(pathlib.Path(sys.argv[2]), processes) if full_scan else sample(processes)
