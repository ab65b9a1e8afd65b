//! Posteriors written by hand in unconstrained coordinates: hard ones with known evidence, and ordinary ones.

use bayes_core::Error;
use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::rng::{RngExt, Stream};
use rand_distr::StandardNormal;

type Log = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;
type Start = Box<dyn Fn(&mut Stream, &mut [f64]) + Send + Sync>;

/// A log density with draws for starts, and its log evidence if it is known.
pub struct Posterior {
    pub name: &'static str,
    dim: usize,
    log: Log,
    start: Start,
    pub log_evidence: Option<f64>,
}

impl LogDensity for Posterior {
    fn dim(&self) -> usize {
        self.dim
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, (self.log)(x)]);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Posterior {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        (self.start)(stream, position);
    }
    fn require_proper(&self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }
}

const LN_TAU: f64 = 1.837_877_066_409_345_5;

fn normal(x: f64, mean: f64, sd: f64) -> f64 {
    -0.5 * ((x - mean) / sd).powi(2) - sd.ln() - 0.5 * LN_TAU
}

fn draw(stream: &mut Stream) -> f64 {
    stream.sample(StandardNormal)
}

/// Starts of independent normal draws.
fn normals(sd: f64) -> Start {
    Box::new(move |stream, position| position.fill_with(|| sd * draw(stream)))
}

/// A posterior of unknown evidence whose starts are normal.
fn ordinary(
    name: &'static str,
    dim: usize,
    log: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
) -> Posterior {
    Posterior {
        name,
        dim,
        log: Box::new(log),
        start: normals(1.0),
        log_evidence: None,
    }
}

/// Neal's funnel: `v ~ Normal(0, sd)`, the others `Normal(0, exp(v / 2))`.
pub fn funnel(name: &'static str, dim: usize, sd: f64) -> Posterior {
    Posterior {
        name,
        dim,
        log: Box::new(move |x| {
            let own = |y: &f64| normal(*y, 0.0, (0.5 * x[0]).exp());
            normal(x[0], 0.0, sd) + x[1..].iter().map(own).sum::<f64>()
        }),
        start: Box::new(move |stream, x| {
            x[0] = sd * draw(stream);
            let scale = (0.5 * x[0]).exp();
            x[1..].fill_with(|| scale * draw(stream));
        }),
        log_evidence: Some(0.0),
    }
}

/// Means of groups, each with the error `noise`: `mu ~ Normal(0, 5)`, `tau ~ HalfNormal(scale)`, centred. The coordinates are mu, ln tau
/// and the groups' means.
pub fn groups(name: &'static str, y: Vec<f64>, noise: f64, scale: f64) -> Posterior {
    let count = y.len();
    let prior_of_tau =
        move |ln_tau: f64| std::f64::consts::LN_2 + normal(ln_tau.exp(), 0.0, scale) + ln_tau;
    // mu and the means are integrated out; ln tau by the trapezoidal rule
    let marginal = |ln_tau: f64| {
        let variance = (2.0 * ln_tau).exp() + noise * noise;
        let precision = count as f64 / variance + 1.0 / 25.0;
        let mean = y.iter().sum::<f64>() / variance / precision;
        let squares = y.iter().map(|y| y * y).sum::<f64>() / variance - precision * mean * mean;
        let logs = count as f64 * (LN_TAU + variance.ln()) + (25.0 * precision).ln();
        prior_of_tau(ln_tau) - 0.5 * (squares + logs)
    };
    let step = 1e-3;
    let sum: f64 = (-25_000..5_000)
        .map(|k| marginal(step * f64::from(k)).exp())
        .sum();
    Posterior {
        name,
        dim: 2 + count,
        log_evidence: Some((step * sum).ln()),
        log: Box::new(move |x| {
            let tau = x[1].exp();
            let own = |(mean, y): (&f64, &f64)| normal(*mean, x[0], tau) + normal(*y, *mean, noise);
            let all: f64 = x[2..].iter().zip(&y).map(own).sum();
            normal(x[0], 0.0, 5.0) + prior_of_tau(x[1]) + all
        }),
        start: Box::new(move |stream, x| {
            x[0] = 5.0 * draw(stream);
            let tau = scale * draw(stream).abs();
            x[1] = tau.ln();
            let mean = x[0];
            x[2..].fill_with(|| mean + tau * draw(stream));
        }),
    }
}

/// Independent Student's t without its constant.
pub fn tails(name: &'static str, dim: usize, degrees: f64, log_constant: f64) -> Posterior {
    Posterior {
        log_evidence: Some(dim as f64 * -log_constant),
        ..ordinary(name, dim, move |x| {
            let own = |x: &f64| -0.5 * (degrees + 1.0) * (x * x / degrees).ln_1p();
            x.iter().map(own).sum()
        })
    }
}

/// `0.3 Normal(-4, 0.5) + 0.7 Normal(4, 0.5)` in the first coordinate, standard normal in the others.
pub fn two_modes(dim: usize) -> Posterior {
    Posterior {
        start: normals(4.0),
        log_evidence: Some(0.0),
        ..ordinary("two modes", dim, |x| {
            let low = 0.3f64.ln() + normal(x[0], -4.0, 0.5);
            let high = 0.7f64.ln() + normal(x[0], 4.0, 0.5);
            let largest = low.max(high);
            let mixture = largest + ((low - largest).exp() + (high - largest).exp()).ln();
            mixture + x[1..].iter().map(|x| normal(*x, 0.0, 1.0)).sum::<f64>()
        })
    }
}

/// `0.3 Normal(2, 0.1) + 0.7 Normal(0, 1.5)`: a mode within the reach of another.
pub fn spike() -> Posterior {
    Posterior {
        start: normals(2.0),
        log_evidence: Some(0.0),
        ..ordinary("spike", 1, |x| {
            let [narrow, wide] = [normal(x[0], 2.0, 0.1), normal(x[0], 0.0, 1.5)];
            (0.3 * narrow.exp() + 0.7 * wide.exp()).ln()
        })
    }
}

/// The means of a mixture of two normals of unit scale: two copies of one mode.
pub fn mixture() -> Posterior {
    Posterior {
        start: normals(4.0),
        ..ordinary("mixture", 2, |x| {
            let one = |y: &f64| {
                let [a, b] = [normal(*y, x[0], 1.0), normal(*y, x[1], 1.0)];
                let largest = a.max(b);
                largest + (0.5 * (a - largest).exp() + 0.5 * (b - largest).exp()).ln()
            };
            let y = [-3.2, -2.5, -3.9, -2.8, -3.3, 2.9, 3.4, 2.2, 3.8, 3.1];
            let prior = normal(x[0], 0.0, 5.0) + normal(x[1], 0.0, 5.0);
            prior + y.iter().map(one).sum::<f64>()
        })
    }
}

/// Posteriors beyond every Gaussian, with their evidence.
pub fn hard() -> Vec<Posterior> {
    let y = |scale: f64| (0..8).map(|i| scale * (f64::from(i) * 1.7).sin()).collect();
    vec![
        funnel("funnel 2, 3", 2, 3.0),
        funnel("funnel 3, 3", 3, 3.0),
        funnel("funnel 5, 3", 5, 3.0),
        funnel("funnel 10, 3", 10, 3.0),
        funnel("funnel 5, 1.5", 5, 1.5),
        funnel("funnel 10, 1", 10, 1.0),
        groups("groups, small tau", y(0.1), 0.5, 0.3),
        groups("groups, unknown tau", y(0.5), 0.5, 1.0),
        groups("groups, wide tau", y(0.3), 0.3, 5.0),
        // the constants are those of the densities with 5 and 3 degrees of freedom
        tails("t5, 2", 2, 5.0, -0.968_619_589_054_724_3),
        tails("t3, 3", 3, 3.0, -1.000_888_849_623_509_4),
    ]
}

const X: [f64; 12] = [
    -1.4, -1.1, -0.8, -0.6, -0.3, -0.1, 0.1, 0.4, 0.6, 0.9, 1.2, 1.5,
];

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The log density of a regression with normal coefficients, by the log likelihood of row `i` given its predictor.
fn regression(x: &[f64], row: impl Fn(usize, f64) -> f64) -> f64 {
    let prior: f64 = x.iter().map(|b| normal(*b, 0.0, 1.5)).sum();
    let rows = X.iter().enumerate().map(|(i, z)| {
        let powers = [1.0, *z, z * z - 0.9];
        row(i, x.iter().zip(powers).map(|(b, p)| b * p).sum())
    });
    prior + rows.sum::<f64>()
}

/// A dozen posteriors of everyday work.
pub fn everyday() -> Vec<Posterior> {
    vec![
        ordinary("correlated normal", 3, |x| {
            let steps = [x[0], x[1] - 0.7 * x[0], x[2] - 0.7 * x[1]];
            steps.iter().map(|z| normal(*z, 0.0, 1.0)).sum()
        }),
        ordinary("mean and scale", 2, |x| {
            let rows = X.iter().map(|y| normal(*y, x[0], x[1].exp()));
            normal(x[0], 0.0, 5.0) + x[1] - x[1].exp() + rows.sum::<f64>()
        }),
        ordinary("logistic", 3, |x| {
            regression(x, |i, eta| {
                [0.0, eta][usize::from(i % 3 > 0)] - softplus(eta)
            })
        }),
        ordinary("Poisson", 3, |x| {
            regression(x, |i, eta| ((i * 5) % 4) as f64 * eta - eta.exp())
        }),
        ordinary("line with noise", 3, |x| {
            regression(&x[..2], |i, eta| {
                normal(0.4 * (i as f64).sin() + X[i], eta, x[2].exp())
            }) + x[2]
                - x[2].exp()
        }),
        ordinary("gamma rate", 1, |x| 6.0 * x[0] - 2.0 * x[0].exp()),
        ordinary("exponential rates", 2, |x| {
            4.0 * x[0] - x[0].exp() + 9.0 * x[1] - 3.0 * x[1].exp()
        }),
        ordinary("beta", 1, |x| 3.0 * x[0] - 11.0 * softplus(x[0])),
        ordinary("beta near the edge", 1, |x| x[0] - 10.0 * softplus(x[0])),
        ordinary("proportions", 5, |x| {
            x.iter().map(|x| 4.0 * x - 9.0 * softplus(*x)).sum()
        }),
        ordinary("eight schools", 10, |x| {
            let y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
            let sd = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
            let tau = x[1].exp();
            let school =
                |i: usize| normal(y[i], x[0] + tau * x[2 + i], sd[i]) + normal(x[2 + i], 0.0, 1.0);
            let prior = normal(x[0], 0.0, 5.0) + x[1] - (tau * tau / 25.0).ln_1p();
            prior + (0..8).map(school).sum::<f64>()
        }),
        ordinary("growth", 2, |x| {
            let rate = x[1].exp();
            let row = |i: usize| {
                let time = i as f64 / 3.0;
                normal(1.5 * (-0.4 * time).exp(), x[0] * (-rate * time).exp(), 0.1)
            };
            normal(x[0], 0.0, 3.0) + normal(x[1], 0.0, 1.0) + (0..12).map(row).sum::<f64>()
        }),
        ordinary("normal in ten", 10, |x| {
            let z = |i: usize| if i == 0 { x[0] } else { x[i] - 0.9 * x[i - 1] };
            (0..10).map(|i| normal(z(i), 0.0, 1.0)).sum()
        }),
    ]
}
