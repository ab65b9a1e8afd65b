"""State space models by statsmodels at fixed parameters and known first states.

    pip install statsmodels
    python3 state_space.py

Data: the annual flow of the Nile at Aswan 1871-1970 in 10^8 cubic metres (Cobb 1978), and the logarithms of the monthly totals of airline
passengers 1949-1960 in thousands (Box and Jenkins 1976).
"""

import json

import numpy as np
from scipy.linalg import block_diag, solve_discrete_lyapunov
from statsmodels.tsa.statespace.structural import UnobservedComponents

NILE = [
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260,
    1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845,
    864, 862, 698, 845, 744, 796, 1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890,
    744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740,
]  # fmt: skip
PASSENGERS = [
    112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118, 115, 126, 141, 135, 125, 149, 170, 170, 158, 133, 114, 140, 145, 150, 178, 163, 172,
    178, 199, 199, 184, 162, 146, 166, 171, 180, 193, 181, 183, 218, 230, 242, 209, 191, 172, 194, 196, 196, 236, 235, 229, 243, 264, 272, 237, 211,
    180, 201, 204, 188, 235, 227, 234, 264, 302, 293, 259, 229, 203, 229, 242, 233, 267, 269, 270, 315, 364, 347, 312, 274, 237, 278, 284, 277, 317,
    313, 318, 374, 413, 405, 355, 306, 271, 306, 315, 301, 356, 348, 355, 422, 465, 467, 404, 347, 305, 336, 340, 318, 362, 348, 363, 435, 491, 505,
    404, 359, 310, 337, 360, 342, 406, 396, 420, 472, 548, 559, 463, 407, 362, 405, 417, 391, 419, 461, 472, 535, 622, 606, 508, 461, 390, 432,
]  # fmt: skip
DAM = [float(year >= 1899) for year in range(1871, 1971)]


def effects(period, sd):
    """The covariance of the first effects of a season."""
    return sd**2 * (np.eye(period - 1) - 1 / period)


def case(name, y, parameters, mean, covariance, **options):
    """Log likelihood, smoothed and filtered states with their standard deviations, and five forecasts."""
    model = UnobservedComponents(y, **options)
    model.loglikelihood_burn = 0
    model.ssm.tolerance = 0  # no steady state by a tolerance
    if covariance is None:
        # the stationary distribution of all states
        model.update(np.array(parameters))
        t, q = model.ssm["transition"], model.ssm["selection"] @ model.ssm["state_cov"] @ model.ssm["selection"].T
        covariance = solve_discrete_lyapunov(t, q)
        mean = np.zeros(len(t))
    model.ssm.initialize_known(np.array(mean, dtype=float), np.array(covariance, dtype=float))
    found = model.smooth(np.array(parameters), cov_type="none")
    result = {
        "name": name,
        "states": model.param_names,
        "parameters": list(map(float, parameters)),
        "log_density": float(found.llf_obs.sum()),
        "smoothed": found.smoothed_state[:, 40].tolist(),
        "smoothed_sd": np.sqrt(np.diag(found.smoothed_state_cov[:, :, 40])).tolist(),
        "filtered": found.filtered_state[:, 40].tolist(),
    }
    if "exog" not in options:
        forecast = found.get_forecast(5)
        result["forecast"] = np.asarray(forecast.predicted_mean).tolist()
        result["forecast_sd"] = np.asarray(forecast.se_mean).tolist()
    return result


nile, log_passengers = np.array(NILE, dtype=float), np.log(np.array(PASSENGERS, dtype=float))
holes = nile.copy()
holes[[20, 21, 22, 23, 40, 60, 99]] = np.nan
season = block_diag(np.diag([1.0, 0.01]), effects(12, 0.5))
cases = [
    case("level", nile, [15099.0, 1469.1], [1000.0], [[500.0**2]], level="local level"),
    case("missing", holes, [15099.0, 1469.1], [1000.0], [[500.0**2]], level="local level"),
    case("trend", nile, [12000.0, 900.0, 20.0], [1000.0, 0.0], np.diag([500.0**2, 20.0**2]), level="local linear trend"),
    case("season", log_passengers, [1e-4, 7e-4, 1e-6, 6e-5], [4.8, 0.01] + [0.0] * 11, season, level="local linear trend", seasonal=12),
    case("cycle", nile - 900, [9000.0, 2500.0, 0.6, 0.9], None, None, irregular=True, cycle=True, stochastic_cycle=True, damped_cycle=True),
    case("autoregression", nile - 900, [9000.0, 6000.0, 0.6, 0.2], None, None, irregular=True, autoregressive=2),
    case(
        "regression", nile, [14000.0, 100.0], [1000.0, -100.0], np.diag([500.0**2, 300.0**2]),
        level="local level", exog=np.array(DAM), mle_regression=False,
    ),
]  # fmt: skip
with open("state_space.json", "w") as file:
    json.dump({"nile": NILE, "passengers": PASSENGERS, "cases": cases}, file, indent=1)
    file.write("\n")
