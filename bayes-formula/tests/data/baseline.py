"""Writes baseline.json: the baseline hazards of the times in tests/it/families.rs as polynomials, by scipy.

    python3 bayes-formula/tests/data/baseline.py        # with scipy

M-splines (Ramsay 1988) are B-splines over their integrals. `hazards` has, for each function and each of the two pieces between the knots, the
coefficients of the powers 3, 2, 1, 0 of the distance from the piece's left knot.
"""

import json
import os

import numpy as np
from scipy.interpolate import BSpline, PPoly

times = np.array([0.5, 1.2, 0.9, 3.0, 2.0, 4.1])
margin = (times.max() - times.min()) / 50
knots = [times.min() - margin, float(np.median(times)), times.max() + margin]
repeated = [knots[0]] * 4 + [knots[1]] + [knots[2]] * 4
hazards = []
for k in range(5):
    spline = BSpline(repeated, np.eye(5)[k], 3)
    pieces = PPoly.from_spline(spline, extrapolate=False)
    kept = [i for i in range(len(pieces.x) - 1) if pieces.x[i] < pieces.x[i + 1]]
    size = float(spline.integrate(knots[0], knots[2]))
    hazards.append([(pieces.c[:, i] / size).tolist() for i in kept])
with open(os.path.join(os.path.dirname(__file__), "baseline.json"), "w") as file:
    json.dump({"knots": knots, "hazards": hazards}, file)
    file.write("\n")
