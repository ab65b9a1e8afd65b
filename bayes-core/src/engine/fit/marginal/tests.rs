//! Maximum marginal likelihood on densities whose marginal likelihood is known in closed form.
//!
//! Each test names the mutations of the code that it was seen to detect.

mod effects;

pub(super) use effects::Effects;

use super::training::{Data, Estimate, Trainer};
use super::*;
use crate::density::{Block, Particles, Quantities};
use crate::kernel::{Hmc, RandomWalk};
use crate::observe::Observers;
use crate::optimise::LearningRate;
use rand_distr::{Distribution as _, StandardNormal};

pub(super) fn data(effects: &Effects, minibatch: usize) -> Data<'_> {
    Data {
        all: effects,
        apart: effects,
        training: effects,
        rows: effects.rows.len(),
        minibatch,
        held_out: None,
    }
}

/// Independent estimates at these params from these rows of the data, by algorithm 2.
fn estimates<A>(
    effects: &Effects,
    engine: &MarginalLikelihood<A>,
    params: [f64; 2],
    rows: &[usize],
    repeats: u64,
) -> Vec<Estimate> {
    let data = data(effects, rows.len());
    let is_param = effects.describe().unwrap().params;
    let estimate = |seed| {
        let trainer = Trainer {
            settings: &engine.runner.own.settings,
            data: &data,
            seed,
            is_param: &is_param,
            observer: &Observers::default(),
        };
        let mut state = trainer.start(params.to_vec()).unwrap();
        let mut reader = effects.reader().unwrap();
        trainer.anew(&mut state, rows, &mut *reader).unwrap()
    };
    (0..repeats).map(estimate).collect()
}

/// Mean and its standard error.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n * (n - 1.0))).sqrt())
}

fn fixed_walk() -> RandomWalk {
    RandomWalk::new().step_size(0.5)
}

/// Seen to detect: a kernel whose target includes the next row (`&batch[..=n]`), a kernel that accepts everything, and a gradient without
/// weights.
#[test]
fn the_marginal_likelihood_is_unbiased_and_its_gradient_is_exact() {
    let effects = Effects::simulated(3, 4, 5);
    let params = [0.1, 0.2];
    let (exact, gradient) = effects.exact(params);
    for threshold in [1.0, 0.5] {
        let engine = MarginalLikelihood::cold_start()
            .particles(256)
            .ess_threshold(threshold)
            .kernel(fixed_walk(), 3);
        let found = estimates(&effects, &engine, params, &Vec::from_iter(0..12), 60);
        // the likelihood, not its logarithm, is unbiased
        let (ratio, error) = mean(found.iter().map(|e| (e.log_likelihood - exact).exp()));
        assert!(
            (ratio - 1.0).abs() < 4.0 * error && error < 0.04,
            "{ratio} ± {error}"
        );
        for (k, exact) in gradient.into_iter().enumerate() {
            let (slope, error) = mean(found.iter().map(|e| e.gradient[k]));
            assert!(
                (slope - exact).abs() < 4.0 * error && error < 0.1,
                "{slope} ± {error}, {exact}"
            );
        }
    }
}

/// The same for other kernels, for tuned kernels within their bias of order 1/J, and for the gradient by resampled particles.
#[test]
fn every_kernel_that_is_invariant_gives_the_gradient() {
    let effects = Effects::simulated(2, 3, 6);
    let params = [0.3, -0.1];
    let (exact, gradient) = effects.exact(params);
    let engine = || MarginalLikelihood::cold_start().particles(512);
    let engines = [
        engine(),
        engine().kernel(Hmc::new().step_size(0.4).leapfrog_steps(4), 1),
        engine().resampled_gradient(true),
    ];
    for engine in engines {
        let found = estimates(&effects, &engine, params, &Vec::from_iter(0..6), 30);
        let (log_likelihood, error) = mean(found.iter().map(|e| e.log_likelihood));
        assert!(
            (log_likelihood - exact).abs() < 4.0 * error + 0.005,
            "{log_likelihood} ± {error}, {exact}"
        );
        for (k, exact) in gradient.into_iter().enumerate() {
            let (slope, error) = mean(found.iter().map(|e| e.gradient[k]));
            assert!(
                (slope - exact).abs() < 4.0 * error,
                "{slope} ± {error}, {exact}"
            );
        }
    }
}

/// Seen to detect: N/M inverted, and left out.
#[test]
fn a_minibatch_stands_for_all_rows() {
    let effects = Effects::simulated(3, 4, 5);
    let params = [0.1, 0.2];
    let rows = [1, 7];
    let part = Effects::of(3, rows.map(|row| effects.rows[row]).to_vec());
    let (exact, gradient) = part.exact(params);
    let engine = MarginalLikelihood::cold_start()
        .particles(256)
        .kernel(fixed_walk(), 3);
    let found = estimates(&effects, &engine, params, &rows, 60);
    let (log_likelihood, error) = mean(found.iter().map(|e| e.log_likelihood));
    assert!((log_likelihood - exact).abs() < 4.0 * error + 0.001);
    for (k, exact) in gradient.into_iter().enumerate() {
        let (slope, error) = mean(found.iter().map(|e| e.gradient[k]));
        assert!(
            (slope - 6.0 * exact).abs() < 4.0 * error && error < 0.2,
            "{slope} ± {error}, {exact}"
        );
    }
}

/// Seen to detect: ascent turned into descent, and the same prior draws in every step.
#[test]
fn the_variance_of_random_effects_is_that_of_the_closed_form() {
    let (groups, each) = (6, 4);
    let effects = Effects::simulated(groups, each, 8);
    let [shift, log_scale] = effects.maximum();
    let (_, gradient) = effects.exact([shift, log_scale]);
    assert!(gradient.iter().all(|g| g.abs() < 1e-12), "{gradient:?}");
    let engine = MarginalLikelihood::cold_start()
        .particles(300)
        .epochs(60)
        .seed(1)
        .optimiser(Adam::new(LearningRate::cosine(0.1, 0.001)));
    let learnt = engine.learn(&data(&effects, effects.rows.len())).unwrap();
    // the noise of a step's gradient divided by the curvature is 0.02, and the last steps average over some twenty
    let found = [
        learnt.fit.value("shift").unwrap()[0],
        learnt.fit.value("log_scale").unwrap()[0],
    ];
    assert!((found[0] - shift).abs() < 0.03, "{found:?}, {shift}");
    assert!(
        (found[1] - log_scale).abs() < 0.03,
        "{found:?}, {log_scale}"
    );
    assert_eq!(learnt.fit.layout.names(), ["shift", "log_scale"]);
    assert_eq!(learnt.particles.layout.names(), ["z"]);
    // the last estimate of the log marginal likelihood
    let (exact, _) = effects.exact(found);
    assert!(
        (learnt.fit.log_density() - exact).abs() < 0.5,
        "{}, {exact}",
        learnt.fit.log_density()
    );
}

/// Seen to detect: `√(1 − z)` as the size of the noise, and `z = exp(−t)` with the noise of `exp(−t/2)`.
#[test]
fn ornstein_uhlenbeck_keeps_the_prior() {
    let effects = Effects::simulated(1, 1, 1);
    let is_param = effects.describe().unwrap().params;
    let at = AtParams::new(&effects, &is_param, &[0.0, 0.0]);
    let moves = Moves::OrnsteinUhlenbeck(0.1);
    moves.validate(&at).unwrap();
    let mut particles = Particles::of_prior(1000, 1, &at, Key::new(1, Purpose::Initial));
    let (mut sum, mut squares, mut steps) = (0.0, 0.0, 0.0);
    for step in 0..100 {
        let key = Key::new(2, Purpose::Move).group(step);
        moves.step(&at, &mut None, &mut particles, key);
        sum += particles.positions.iter().sum::<f64>();
        squares += particles.positions.iter().map(|x| x * x).sum::<f64>();
        steps += 1000.0;
    }
    // 10⁵ states; the correlation exp(−k/20) of a particle with its own past leaves 1/40 of them, for squares 1/20
    let (mean, variance) = (sum / steps, squares / steps);
    assert!(mean.abs() < 4.0 * (40.0 / steps).sqrt(), "{mean}");
    assert!(
        (variance - 1.0).abs() < 4.0 * (2.0 * 20.0 / steps).sqrt(),
        "{variance}"
    );
}

/// Exact draws from the posterior of one group remain exact draws. Seen to detect: every proposal accepted.
#[test]
fn the_metropolis_kernel_keeps_the_posterior() {
    let effects = Effects::simulated(1, 3, 3);
    let is_param = effects.describe().unwrap().params;
    let params = [0.1, 0.4];
    let at = AtParams::new(&effects, &is_param, &params);
    let scale = params[1].exp();
    let [n, sum, _] = effects.sums(params[0])[0];
    let precision = 1.0 + n * scale * scale;
    let (mean, sd) = (scale * sum / precision, precision.powf(-0.5));
    let count = 20_000;
    let mut particles = Particles::new(count, 1);
    let mut stream = crate::rng::stream(4);
    let mut normal = || -> f64 { StandardNormal.sample(&mut stream) };
    particles
        .positions
        .iter_mut()
        .for_each(|x| *x = mean + sd * normal());
    let moves = Moves::Invariant(Arc::new(fixed_walk()), 10);
    let mut tuning = moves.init(&at).unwrap();
    moves.step(&at, &mut tuning, &mut particles, Key::new(5, Purpose::Move));
    let found: f64 = particles.positions.iter().sum::<f64>() / count as f64;
    let squares: f64 = particles.positions.iter().map(|x| (x - mean).powi(2)).sum();
    let ratio = squares / count as f64 / (sd * sd);
    assert!(
        (found - mean).abs() < 4.0 * sd / (count as f64).sqrt(),
        "{found}, {mean}"
    );
    assert!(
        (ratio - 1.0).abs() < 4.0 * (2.0 / count as f64).sqrt(),
        "{ratio}"
    );
}

/// With a random walk of little variance the particles of an open horizon see every row once per epoch. After E epochs at fixed params
/// their distribution is near the posterior given every row E times.
///
/// Seen to detect: a likelihood scaled by N/M in the weights, and new particles in each step.
#[test]
fn an_open_horizon_counts_every_row_in_every_epoch() {
    let effects = Effects::simulated(1, 6, 2);
    let epochs = 4;
    let start = {
        let learnt = MarginalLikelihood::cold_start()
            .particles(2)
            .epochs(1)
            .adam(1e-12);
        learnt.learn(&data(&effects, 6)).unwrap().fit
    };
    let engine = MarginalLikelihood::open_horizon()
        .particles(40_000)
        .epochs(epochs)
        .minibatch(2)
        .start(&start)
        .random_walk(1e-12)
        .ess_threshold(1e-9)
        .adam(1e-12);
    let learnt = engine.learn(&data(&effects, 2)).unwrap();
    let [n, sum, _] = effects.sums(0.0)[0];
    let times = epochs as f64;
    let precision = 1.0 + times * n;
    let (mean, sd) = (times * sum / precision, precision.powf(-0.5));
    let found = learnt.particles.mean("z").unwrap()[0];
    // importance sampling from the prior: about sd / prior sd of the particles count
    let error = sd / (40_000.0 * sd * (-0.5 * mean * mean).exp()).sqrt();
    assert!(
        (found - mean).abs() < 4.0 * error,
        "{found}, {mean} ± {error}"
    );
    assert!((learnt.particles.sd("z").unwrap()[0] / sd - 1.0).abs() < 4.0 * error / sd);
}

#[test]
fn the_same_seed_gives_the_same_bits_for_any_number_of_threads() {
    let effects = Effects::simulated(2, 4, 9);
    let run = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let cold = MarginalLikelihood::cold_start()
                .particles(200)
                .epochs(2)
                .seed(seed);
            let open = MarginalLikelihood::open_horizon()
                .particles(200)
                .epochs(2)
                .seed(seed);
            let (cold, open) = (
                cold.learn(&data(&effects, 3)),
                open.learn(&data(&effects, 3)),
            );
            let (chains, gaussian) = (
                MarginalLikelihood::expectation().epochs(2).seed(seed),
                MarginalLikelihood::variational().epochs(2).seed(seed),
            );
            let (chains, gaussian) = (
                chains.learn(&data(&effects, 3)),
                gaussian.learn(&data(&effects, 3)),
            );
            let bits = |learnt: Learnt| {
                (
                    learnt.fit.position().to_vec(),
                    learnt.particles.groups[0].positions.clone(),
                )
            };
            [cold, open, chains, gaussian].map(|learnt| bits(learnt.unwrap()))
        })
    };
    let one = run(1, 3);
    assert!(one == run(3, 3));
    assert!(one != run(1, 4));
}

#[test]
fn what_cannot_be_learnt_is_refused_before_it_begins() {
    let effects = Effects::simulated(2, 4, 9);
    let all = data(&effects, 3);
    let refusal =
        |engine: MarginalLikelihood<ColdStart>| engine.learn(&all).unwrap_err().to_string();
    let engine = MarginalLikelihood::cold_start;
    for (engine, wanted) in [
        (
            engine().particles(1),
            "setting `particles` is 1, must be from 2 to 100000000",
        ),
        (
            engine().epochs(0),
            "setting `epochs` is 0, must be from 1 to 100000000",
        ),
        (
            engine().ess_threshold(0.0),
            "setting `ess_threshold` is 0, must be above 0 and at most 1",
        ),
        (
            engine().random_walk(-1.0),
            "setting `random_walk` is -1, must be a finite number above 0",
        ),
        (
            engine().ornstein_uhlenbeck(f64::NAN),
            "setting `ornstein_uhlenbeck` is NaN, must be a finite number above 0",
        ),
        (
            engine().kernel(fixed_walk(), 0),
            "setting `kernel: steps` is 0, must be at least 1",
        ),
        (
            engine().resampling(Resampling::Never),
            "setting `resampling` is Never, must be a scheme that resamples",
        ),
        (
            engine().optimiser(crate::optimise::Lbfgs::new()),
            "setting `optimiser` is lbfgs, must be one that takes noisy gradients: `Adam`, `AdamW` or `Sgd`",
        ),
    ] {
        assert_eq!(refusal(engine), wanted);
    }
    struct Plain;
    impl LogDensity for Plain {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -x[0] * x[0]]);
        }
    }
    let error = MarginalLikelihood::open_horizon()
        .run_on(&Plain)
        .unwrap_err();
    let wanted = "setting `number of params` is 0 in `density`, must be at least 1: a model without params has nothing to learn, and \
                  every other engine runs on it";
    assert_eq!(error.to_string(), wanted);
}
