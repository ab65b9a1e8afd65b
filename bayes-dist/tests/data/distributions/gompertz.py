from mpmath import mp, mpf

from references import write


def sf(x, concentration, rate):
    return mp.exp(-concentration * (mp.exp(rate * x) - 1)) if x > 0 else mpf(1)


def log_density(x, concentration, rate):
    if x < 0:
        return mpf("-inf")
    return mp.log(concentration * rate) + rate * x - concentration * (mp.exp(rate * x) - 1)


write(
    "Gompertz",
    ["concentration", "rate"],
    "hazard concentration rate exp(rate x)",
    [
        ((1.0, 1.0), [0.0, 1e-9, 0.5, 1.5, 4.0, -1.0]),
        ((0.001, 0.1), [0.5, 30.0, 70.0, 100.0]),
        ((50.0, 2.0), [1e-6, 0.005, 0.03, 0.5]),
    ],
    log_density,
    lambda x, concentration, rate: 1 - sf(x, concentration, rate),
    sf,
)
