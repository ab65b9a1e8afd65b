//! Any data for fixed models: the data are rejected with a message, or give a posterior that can be evaluated.
#![no_main]

use bayes::density::{Counts, Particles, Posterior, Quantities, Target};
use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use libfuzzer_sys::fuzz_target;

#[model]
fn regression(x: &DMatrix<f64>, y: &[f64], prior: [f64; 2]) {
    let beta = sample(Normal::new(prior[0], prior[1]).iid(x.ncols()));
    let sigma = sample(HalfCauchy::new(prior[1]));
    observe(y, StudentT::new(4.0, x * &beta, sigma));
}

#[model]
fn groups(y: &[f64], sigma: &[f64], group: &[usize], number: usize) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(Exponential::new(1.0));
    let effect = sample(Normal::new(mu, tau).iid(number));
    for i in 0..y.len() {
        observe(y[i], Normal::new(effect[group[i]], sigma[i]));
    }
}

#[model]
fn counts(k: &[u64], n: &[u64], exposure: &[f64], prior: [f64; 2]) {
    let rate = sample(Gamma::new(prior[0], prior[1]));
    let p = sample(Beta::new(prior[0], prior[1]));
    for i in 0..k.len() {
        observe(k[i], Poisson::new(rate * exposure[i]));
        observe(k[i], Binomial::new(n[i], p));
        observe(k[i], NegativeBinomial::mean_dispersion(rate, prior[1]));
        observe(k[i], BetaBinomial::new(n[i], prior[0], rate));
    }
}

#[model]
fn waits(y: &[f64], seen: &[bool], low: f64, high: f64) {
    let shape = sample(Gamma::new(2.0, 1.0).truncated(low, high));
    let scale = sample(Uniform::new(low, high));
    for i in 0..y.len() {
        if seen[i] {
            observe(y[i], Weibull::new(shape, scale));
        } else {
            observe(y[i], InverseGamma::new(shape, scale));
        }
    }
    observe(y, VonMises::new(low, shape));
    observe(y, Pareto::new(scale, shape));
}

#[model]
fn vectors(y: &[f64], covariance: &DMatrix<f64>, alpha: &[f64], k: &[u64]) {
    let theta = sample(Dirichlet::new(alpha));
    let x = sample(MultivariateNormal::new([0.0, 0.0], covariance));
    observe(
        k,
        Multinomial::new(k.iter().fold(0, |sum: u64, n| sum.wrapping_add(*n)), &theta),
    );
    observe(k[0], Categorical::new(&theta));
    observe(y, MultivariateNormal::new(&x, covariance));
    factor(theta[0] * y[0]);
}

#[model]
fn mixture(y: &[f64], weights: &[f64], k: &[u64], size: [u64; 3]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(2).ordered());
    let p = sample(Uniform::new(0.0, 1.0));
    observe(
        y,
        Mixture::new(
            [p, 1.0 - p],
            (Normal::new(mu[0], 1.0), Cauchy::new(mu[1], 0.5)),
        ),
    );
    observe(
        y,
        Mixture::new(weights, [Normal::new(mu[0], 1.0), Normal::new(mu[1], 2.0)]),
    );
    observe(k, ZeroInflatedPoisson::new(p, mu[1].exp()));
    observe(k, Hypergeometric::new(size[0], size[1], size[2]));
    observe(k, OrderedLogistic::new(mu[0], [-1.0, 1.0]));
    observe(k, Geometric::new(p));
}

#[model]
fn series(y: &[f64], sd: f64, x: &DMatrix<f64>, length: f64) {
    let walk = sample(GaussianRandomWalk::new(Normal::new(0.0, 1.0), sd, y.len()));
    let level = sample(Autoregressive::stationary([0.5, 0.2], sd, y.len()).mean(1.0));
    let surface = sample(GaussianProcess::new(0.0, Matern52::new(1.0, length), x));
    let rough = sample(LogNormal::new(0.0, sd));
    observe(y, Normal::new(&walk + &level, rough));
    factor(-surface.dot(&surface));
}

/// Numbers from bytes; half of them are extreme or special values.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn bits(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    fn number(&mut self) -> f64 {
        const ODD: [f64; 16] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            5e-324,
            1e-308,
            1e300,
            1e-160,
            1e16,
            0.5,
            2.0,
        ];
        match self.byte() {
            kind @ 0..64 => ODD[usize::from(kind % 16)],
            64..80 => f64::from_bits(self.bits()),
            kind => (f64::from(kind) - 168.0) / 8.0,
        }
    }

    fn count(&mut self) -> u64 {
        match self.byte() {
            0..8 => u64::MAX,
            8..16 => 1 << 53,
            16..24 => u64::from(u32::MAX),
            24..32 => self.bits(),
            kind => u64::from(kind % 16),
        }
    }

    fn list<T>(&mut self, one: fn(&mut Self) -> T) -> Vec<T> {
        let n = self.byte() % 6;
        (0..n).map(|_| one(self)).collect()
    }

    fn matrix(&mut self) -> DMatrix<f64> {
        let shape = self.byte();
        // most of them square, many of them diagonal or symmetric
        let (rows, columns) = match shape {
            0..160 => (2, 2),
            _ => (usize::from(shape % 4), usize::from(shape / 4 % 4)),
        };
        let mut matrix = DMatrix::from_fn(rows, columns, |_, _| self.number());
        if (rows, columns) == (2, 2) && shape < 128 {
            matrix[(0, 1)] = matrix[(1, 0)];
        }
        matrix
    }

    fn pair(&mut self) -> [f64; 2] {
        [self.number(), self.number()]
    }
}

fuzz_target!(init: silence_caught_panics(), |data: &[u8]| {
    let mut source = Source(data);
    let from = &mut source;
    let seed = u64::from(from.byte());
    let (number, count) = (Source::number, Source::count);
    match from.byte() % 7 {
        0 => tried(
            &regression(&from.matrix(), &from.list(number), from.pair()),
            seed,
        ),
        1 => {
            let group = from.list(|s| {
                if s.byte() < 8 {
                    usize::MAX
                } else {
                    usize::from(s.byte() % 6)
                }
            });
            let size = usize::from(from.byte() % 6);
            tried(
                &groups(&from.list(number), &from.list(number), &group, size),
                seed,
            );
        }
        2 => tried(
            &counts(
                &from.list(count),
                &from.list(count),
                &from.list(number),
                from.pair(),
            ),
            seed,
        ),
        3 => {
            let (low, high) = (from.number(), from.number());
            let seen = from.list(|s| s.byte() % 2 == 0);
            tried(&waits(&from.list(number), &seen, low, high), seed);
        }
        4 => tried(
            &vectors(
                &from.list(number),
                &from.matrix(),
                &from.list(number),
                &from.list(count),
            ),
            seed,
        ),
        5 => {
            let size = [from.count(), from.count(), from.count()];
            tried(
                &mixture(
                    &from.list(number),
                    &from.list(number),
                    &from.list(count),
                    size,
                ),
                seed,
            );
        }
        _ => {
            let (sd, length) = (from.number(), from.number());
            tried(
                &series(&from.list(number), sd, &from.matrix(), length),
                seed,
            );
        }
    }
});

/// A panic in a model's own code is an error of its validation; the fuzzer's hook would end the process first.
///
/// A panic that is not caught still ends the process.
fn silence_caught_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}

fn tried<Mo: Model + AllSampled + Differentiable>(model: &Mo, seed: u64) {
    let posterior = match Posterior::new(model, seed) {
        Ok(posterior) => posterior,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(model.name()), "{text}");
            return;
        }
    };
    let dim = posterior.layout().dim;
    let mut particles = Particles::new(4, dim);
    for (i, position) in particles.positions.chunks_mut(dim.max(1)).enumerate() {
        let key = Key::new(seed, Purpose::Initial).item(i as u64);
        posterior.draw_prior(&mut key.stream(), position);
        match i {
            2 => position.iter_mut().for_each(|x| *x *= 1e3),
            3 => position.iter_mut().for_each(|x| *x = f64::MAX.copysign(*x)),
            _ => {}
        }
        let output = posterior.output(position);
        assert_eq!(output.len(), posterior.layout().elements());
    }
    let mut work = Counts::default();
    Target::posterior(&posterior).evaluate(&mut particles.block(), &mut work);
    assert!(
        particles
            .log_prior
            .iter()
            .all(|l| !l.is_nan() && *l < f64::INFINITY)
    );
    Target::tempered(&posterior, 0.5).evaluate_gradient(&mut particles.block(), &mut work);
    assert!(
        particles
            .log_likelihood
            .iter()
            .all(|l| !l.is_nan() && *l < f64::INFINITY)
    );
    assert!(particles.gradient.iter().all(|slope| slope.is_finite()));
}
