//! Every kernel leaves the tempered posterior invariant, for Gaussian and other priors.
//!
//! Particles are drawn exactly from the tempered posterior and moved; their distribution must not change. Tried mutations: with
//! the accept step removed (every proposal accepted) the three invariance tests fail. With NUTS taking the newest state of each
//! new half whatever its weight, the two with a gradient fail. With MALA accepting by the target alone, without the density of
//! the reverse proposal, the same two fail. With the reverse of halved steps not checked, the first two and the funnel fail.
//! With the momenta of NUTS drawn with a standard deviation of 1.1, all with NUTS fail. With `λ - 1` in place of `√λ - 1` in a low-rank
//! mass on both sides, which is another mass, and with positions and gradients exchanged, the acceptance of the correlated Gaussian is
//! too small.

use crate::common::targets::Funnel;
use crate::common::{BetaBinomial, HiddenCount, NormalMean};
use crate::masses::Series;
use bayes_core::density::{LogDensity, Particles, Posterior, Prior, Quantities, Target};
use bayes_core::kernel::{
    EllipticalSlice, Hmc, Kernel, Mala, Mams, Mass, Nuts, Pcn, Population, RandomWalk, Walnuts,
    Workspace,
};
use bayes_core::rng::{Key, Purpose, Stream};
use rand_distr::{Distribution, StandardNormal};

const PARTICLES: usize = 20_000;

fn streams(purpose: Purpose, n: usize) -> Vec<Stream> {
    let key = |item| Key::new(11, purpose).item(item);
    (0..n as u64).map(|i| key(i).stream()).collect()
}

fn kernels() -> Vec<Box<dyn Kernel>> {
    vec![
        Box::new(Hmc::new().step_size(1.2)),
        Box::new(Hmc::new().leapfrog_steps(3).step_size(0.9).jitter(0.0)),
        Box::new(
            Hmc::new()
                .leapfrog_steps(2)
                .step_size(0.4)
                .mass(Mass::Identity),
        ),
        Box::new(Hmc::new().step_size(1.0).mass(Mass::Variance)),
        Box::new(Mala::new().step_size(1.2)),
        Box::new(Mala::new().step_size(0.4).mass(Mass::Identity)),
        Box::new(Hmc::new().step_size(1.6).energy_tolerance(0.05)),
        Box::new(
            Hmc::new()
                .leapfrog_steps(2)
                .step_size(1.9)
                .halvings(2)
                .energy_tolerance(0.2),
        ),
        Box::new(Nuts::new().step_size(1.1)),
        Box::new(Nuts::new().step_size(0.3).mass(Mass::Identity)),
        Box::new(Nuts::new().step_size(0.2).max_depth(2)),
        Box::new(Nuts::new().step_size(1.1).mass(Mass::Fisher)),
        Box::new(Nuts::new().step_size(1.1).mass(Mass::LowRank)),
        Box::new(Walnuts::new().step_size(1.1)),
        Box::new(Walnuts::new().step_size(1.9).energy_tolerance(0.2)),
        Box::new(
            Walnuts::new()
                .step_size(1.5)
                .energy_tolerance(0.05)
                .halvings(2),
        ),
        Box::new(Pcn::new().step_size(0.8)),
        Box::new(Pcn::new().unpreconditioned().step_size(0.5)),
        Box::new(RandomWalk::new().step_size(1.5)),
        Box::new(EllipticalSlice::new()),
    ]
}

/// The kernels that need two coordinates.
fn kernels_of_directions() -> Vec<Box<dyn Kernel>> {
    let mams = Mams::new();
    vec![
        Box::new(mams.clone().step_size(0.8)),
        Box::new(mams.clone().step_size(1.5).length(2.0).mass(Mass::Identity)),
        Box::new(mams.step_size(1.2).halvings(3).energy_tolerance(0.2)),
    ]
}

#[test]
fn every_kernel_is_among_those_that_are_tested() {
    let tested: Vec<Box<dyn Kernel>> = kernels()
        .into_iter()
        .chain(kernels_of_directions())
        .collect();
    for name in bayes_core::kernel::names() {
        let is_tested = tested.iter().any(|kernel| kernel.name() == name);
        assert!(is_tested, "`{name}` is not in `kernels()`");
    }
}

fn population(particles: &Particles) -> Population<'_> {
    Population {
        positions: &particles.positions,
        gradients: &particles.gradient,
        chains: &[],
    }
}

/// Moves `particles` ten times at `lambda`, every other time with short steps; returns the mean acceptance probability.
fn move_all(
    kernel: &dyn Kernel,
    density: &dyn LogDensity,
    lambda: f64,
    particles: &mut Particles,
) -> f64 {
    let n = particles.len();
    let target = Target::tempered(density, lambda);
    let mut tuning = kernel.init(density).expect("the kernel suits the density");
    let mut workspace = Workspace::new(n, particles.dim);
    let mut streams = streams(Purpose::Move, n);
    target.evaluate_gradient(&mut particles.block(), &mut workspace.counts);
    kernel.fit(&mut tuning, population(particles));
    let mut acceptance = 0.0;
    for i in 0..10 {
        tuning.step_size_mixture = f64::from(i % 2) * 2.0;
        kernel.step(
            &tuning,
            target,
            &mut particles.block(),
            &mut streams,
            &mut workspace,
        );
        acceptance += workspace.acceptance.iter().sum::<f64>() / (10 * n) as f64;
    }
    acceptance
}

/// Asserts that the first coordinate has the given mean and variance, within 5 Monte Carlo errors.
fn assert_moments(kernel: &dyn Kernel, values: &[f64], mean: f64, variance: f64) {
    let n = values.len() as f64;
    let found_mean = values.iter().sum::<f64>() / n;
    let squares: Vec<f64> = values.iter().map(|x| (x - mean).powi(2)).collect();
    let found_variance = squares.iter().sum::<f64>() / n;
    let fourth = squares
        .iter()
        .map(|s| (s - found_variance).powi(2))
        .sum::<f64>()
        / n;
    assert!(
        (found_mean - mean).abs() < 5.0 * (variance / n).sqrt(),
        "{kernel:?}: mean {found_mean}, want {mean}"
    );
    assert!(
        (found_variance - variance).abs() < 5.0 * (fourth / n).sqrt(),
        "{kernel:?}: variance {found_variance}, want {variance}"
    );
}

#[test]
fn a_gaussian_tempered_posterior_stays_as_it_is() {
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 1).unwrap();
    for lambda in [0.05, 1.0] {
        let precision = 1.0 / 4.0 + lambda * model.y.len() as f64 / 0.64;
        let mean = lambda * model.y.iter().sum::<f64>() / 0.64 / precision;
        for kernel in kernels() {
            let mut particles = Particles::new(PARTICLES, 1);
            for (x, stream) in particles
                .positions
                .iter_mut()
                .zip(&mut streams(Purpose::Initial, PARTICLES))
            {
                let z: f64 = StandardNormal.sample(stream);
                *x = mean + z / precision.sqrt();
            }
            let acceptance = move_all(kernel.as_ref(), &posterior, lambda, &mut particles);
            assert!(
                acceptance > 0.05 && (acceptance < 0.999 || kernel.name() == "elliptical_slice"),
                "{kernel:?}: acceptance {acceptance} tests nothing"
            );
            assert_moments(kernel.as_ref(), &particles.positions, mean, 1.0 / precision);
        }
    }
}

#[test]
fn a_prior_that_is_not_gaussian_stays_as_it_is() {
    // At lambda = 0 the target is the prior, which can be drawn exactly: Beta(2, 3) and a half-Cauchy.
    let posterior = Posterior::new(&BetaBinomial, 1).unwrap();
    for kernel in kernels().into_iter().chain(kernels_of_directions()) {
        let mut particles = Particles::new(PARTICLES, 2);
        for (i, stream) in streams(Purpose::Initial, PARTICLES).iter_mut().enumerate() {
            posterior.draw_prior(stream, &mut particles.positions[2 * i..2 * i + 2]);
        }
        move_all(kernel.as_ref(), &posterior, 0.0, &mut particles);
        let outputs: Vec<Vec<f64>> = (0..PARTICLES)
            .map(|i| posterior.output(particles.position(i)))
            .collect();
        let p: Vec<f64> = outputs.iter().map(|o| o[0]).collect();
        assert_moments(kernel.as_ref(), &p, 0.4, 0.04);
        // A half-Cauchy has no moments: its distribution function (2/π) atan(x/5) is uniform.
        let uniform: Vec<f64> = outputs
            .iter()
            .map(|o| (o[1] / 5.0).atan() * 2.0 / std::f64::consts::PI)
            .collect();
        assert_moments(kernel.as_ref(), &uniform, 0.5, 1.0 / 12.0);
    }
}

#[test]
fn a_correlated_gaussian_stays_as_it_is_with_a_mass_from_gradients() {
    let kernels: [Box<dyn Kernel>; 5] = [
        Box::new(Mams::new().step_size(1.5).mass(Mass::LowRank)),
        Box::new(Nuts::new().step_size(0.8).mass(Mass::LowRank)),
        Box::new(Nuts::new().step_size(0.3).mass(Mass::Fisher)),
        Box::new(Hmc::new().step_size(1.2).mass(Mass::LowRank)),
        Box::new(Mala::new().step_size(0.9).mass(Mass::LowRank)),
    ];
    for kernel in &kernels {
        let mut particles = Particles::new(PARTICLES, Series::DIM);
        let rows = particles.positions.chunks_exact_mut(Series::DIM);
        for (x, stream) in rows.zip(&mut streams(Purpose::Initial, PARTICLES)) {
            Series::draw(stream, x);
        }
        let acceptance = move_all(kernel.as_ref(), &Series, 1.0, &mut particles);
        assert!(
            acceptance > 0.3 && acceptance < 0.999,
            "{kernel:?}: {acceptance}"
        );
        let along = |weights: [f64; Series::DIM]| -> Vec<f64> {
            let rows = particles.positions.chunks_exact(Series::DIM);
            rows.map(|x| x.iter().zip(weights).map(|(x, w)| w * x).sum())
                .collect()
        };
        assert_moments(kernel.as_ref(), &along([1.0, 0.0, 0.0, 0.0, 0.0]), 0.0, 1.0);
        assert_moments(
            kernel.as_ref(),
            &along([0.0, 0.0, 1.0, -1.0, 0.0]),
            0.0,
            0.2,
        );
        assert_moments(
            kernel.as_ref(),
            &along([1.0; 5]),
            0.0,
            Series::variance_of_sum(),
        );
    }
}

#[test]
fn a_funnel_stays_as_it_is_with_halved_steps() {
    // The funnel's scale changes by a factor of 100 from mouth to neck: half of the moves that start here need halved steps.
    let posterior = Posterior::new(&Funnel, 1).unwrap();
    let dim = posterior.dim();
    let hmc = Hmc::new().mass(Mass::Identity);
    let walnuts = Walnuts::new().mass(Mass::Identity).max_depth(4);
    let kernels: [Box<dyn Kernel>; 4] = [
        Box::new(hmc.clone().step_size(0.5)),
        Box::new(hmc.leapfrog_steps(4).step_size(1.0).energy_tolerance(0.3)),
        Box::new(walnuts.clone().step_size(1.0)),
        Box::new(walnuts.step_size(2.0).energy_tolerance(0.3)),
    ];
    for kernel in &kernels {
        let mut particles = Particles::new(PARTICLES, dim);
        let rows = particles.positions.chunks_exact_mut(dim);
        for (x, stream) in rows.zip(&mut streams(Purpose::Initial, PARTICLES)) {
            posterior.draw_prior(stream, x);
        }
        let kernel = kernel.as_ref();
        let acceptance = move_all(kernel, &posterior, 1.0, &mut particles);
        assert!(acceptance > 0.5, "{kernel:?}: acceptance {acceptance}");
        let v: Vec<f64> = particles.positions.iter().step_by(dim).copied().collect();
        assert_moments(kernel, &v, 0.0, 9.0);
        let scaled = particles.positions.chunks_exact(dim);
        let scaled: Vec<f64> = scaled.map(|x| x[1] * (-0.5 * x[0]).exp()).collect();
        assert_moments(kernel, &scaled, 0.0, 1.0);
    }
}

#[test]
fn the_random_walk_keeps_a_discrete_posterior() {
    let posterior = Posterior::new(&HiddenCount, 1).unwrap();
    let kernel = RandomWalk::new();
    let mut particles = Particles::new(PARTICLES, 1);
    for (x, stream) in particles
        .positions
        .iter_mut()
        .zip(&mut streams(Purpose::Initial, PARTICLES))
    {
        posterior.draw_prior(stream, std::slice::from_mut(x));
    }
    // The prior, at lambda = 0: Poisson(3).
    move_all(&kernel, &posterior, 0.0, &mut particles);
    assert!(
        particles
            .positions
            .iter()
            .all(|k| *k >= 0.0 && k.fract() == 0.0)
    );
    assert_moments(&kernel, &particles.positions, 3.0, 3.0);
}

#[test]
fn pcn_with_a_gaussian_prior_uses_the_prior_itself() {
    assert!(
        Posterior::new(&NormalMean::reference(), 1)
            .unwrap()
            .reference()
            .unwrap()
            .is_gaussian_prior
    );
    assert!(
        !Posterior::new(&BetaBinomial, 1)
            .unwrap()
            .reference()
            .unwrap()
            .is_gaussian_prior
    );
}

#[test]
fn without_a_likelihood_pcn_accepts_every_proposal() {
    // This is exactly the papers' kernel: the proposal is reversible for a Gaussian prior, so only the likelihood can reject.
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 1).unwrap();
    let mut particles = Particles::new(100, 1);
    for (x, stream) in particles
        .positions
        .iter_mut()
        .zip(&mut streams(Purpose::Initial, 100))
    {
        posterior.draw_prior(stream, std::slice::from_mut(x));
    }
    let acceptance = move_all(&Pcn::new().step_size(0.7), &posterior, 0.0, &mut particles);
    assert!((acceptance - 1.0).abs() < 1e-9, "acceptance {acceptance}");
}
