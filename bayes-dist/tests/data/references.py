"""Writes the reference values of a scalar family beside the script that calls `write`.

Needs mpmath. A script gives the formulas of the definition, which is not how the library computes them; they are
evaluated with 420 digits at the doubles of each point and rounded to the nearest doubles.
"""

import json
import pathlib
import sys

from mpmath import mp, mpf

mp.dps = 420


def number(x):
    """A double for JSON, where infinities are strings."""
    x = float(x)
    if x in (float("inf"), float("-inf")):
        return '"inf"' if x > 0 else '"-inf"'
    return repr(x)


def point(x, parameters, log_density, cdf, sf):
    exact = [mpf(p) for p in parameters]
    fields = {"x": repr(float(x)), "log_density": number(log_density(mpf(x), *exact))}
    if cdf is not None:
        below, above = cdf(mpf(x), *exact), sf(mpf(x), *exact)
        ln = lambda p: mpf("-inf") if p == 0 else mp.log(p)
        values = {"cdf": below, "sf": above, "log_cdf": ln(below), "log_sf": ln(above)}
        fields.update((name, number(value)) for name, value in values.items())
    return "{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}"


def scanned(name, cases, log_density, cdf, sf, discrete, whole):
    """The rows of the scan for these pairs of parameters and points: log densities, log tails, log probabilities between neighbours, slopes."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "scan"))
    import scan
    from families import Family

    ln = lambda p: mpf("-inf") if p == 0 else mp.log(p)
    tails = (lambda x, *p: (ln(cdf(x, *p)), ln(sf(x, *p)))) if cdf else None
    family = Family(name, log_density, tails, whole, discrete)
    points = [(parameters, x) for parameters, xs in cases for x in xs]
    yield from scan.lines_of(family, "own", points)
    yield from scan.lines_of_intervals(family, "own", scan.intervals(family, points))


def write(family, names, convention, cases, log_density, cdf=None, sf=None, kink=None, out_of_reach=(), scan=(), discrete=False, whole=()):
    """`cases` are pairs of parameters and points; those whose number is in `out_of_reach` are not integrated. `scan` are such pairs for the
    scan, from one end of f64 to the other; `whole` are the indices of parameters that are whole numbers."""
    script = pathlib.Path(sys.argv[0])
    lines = ["{", f' "family": "{family}",', f' "parameters": {json.dumps(names)},']
    lines.append(f' "convention": {json.dumps(convention)},')
    if kink:
        lines.append(f' "kink": "{kink}",')
    lines.append(' "cases": [')
    for i, (parameters, points) in enumerate(cases):
        given = ", ".join(f'"{n}": {float(p)!r}' for n, p in zip(names, parameters))
        flag = '\n   "out_of_reach": true,' if i in out_of_reach else ""
        rows = ",\n".join("    " + point(x, parameters, log_density, cdf, sf) for x in points)
        end = "," if i + 1 < len(cases) else ""
        lines.append(f'  {{\n   "params": {{{given}}},{flag}\n   "points": [\n{rows}\n   ]\n  }}{end}')
    rows = list(scanned(script.stem, scan, log_density, cdf, sf, discrete, whole))
    if rows:
        lines += [" ],", ' "scan": [', ",\n".join("  " + row for row in rows)]
    lines.append(" ]\n}")
    text = "\n".join(lines) + "\n"
    json.loads(text)
    script.with_suffix(".json").write_text(text)
