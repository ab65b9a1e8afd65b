//! Checks of gradients: values and gradients of a model agree to 1e-10 relative between dual numbers in the program itself, forward mode
//! over its recorded operations, replays of traces, and every instruction set of this processor.

use bayes::Error;
use bayes::autodiff::gradient::{Program, gradient};
use bayes::autodiff::simd::InstructionSet;
use bayes::density::{ArithmeticSettings, GradientMode, LogDensity, Particles, Posterior, Target};
use bayes::model::Evaluate;
use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use bayes::run::Counts;

/// Relative to the larger of the number and the largest entry of the gradient.
const TOLERANCE: f64 = 1e-10;

/// Eleven particles: a full group of lanes and a group of three.
pub const PARTICLES: usize = 11;

/// The power of the likelihood.
pub const LAMBDA: f64 = 0.7;

/// Makes a density with the given settings.
type Make<'a> = dyn Fn(ArithmeticSettings) -> Result<Box<dyn LogDensity + 'a>, Error> + 'a;

/// Densities and gradients at prior draws that are shrunk towards the origin, so that no density is infinite.
fn evaluate(density: &Make<'_>, gradient: GradientMode, level: InstructionSet) -> Particles {
    let settings = ArithmeticSettings {
        gradient,
        instruction_set: Some(level),
    };
    let density = density(settings).expect("the model fits its data");
    let found = density.describe().arithmetic;
    assert_eq!(found.gradient, gradient, "{}", found.reason);
    let prior = density.prior().expect("the prior is proper");
    let mut particles = Particles::new(PARTICLES, density.dim());
    for (item, position) in particles.positions.chunks_mut(density.dim()).enumerate() {
        let key = Key::new(1, Purpose::Initial).item(item as u64);
        prior.draw(&mut key.stream(), position);
        position.iter_mut().for_each(|x| *x = x.tanh());
    }
    let mut counts = Counts::default();
    let target = Target::tempered(&*density, LAMBDA);
    target.evaluate_gradient(&mut particles.block(), &mut counts);
    assert_eq!(
        counts.non_finite_gradients, 0,
        "a gradient that is not finite"
    );
    assert!(particles.log_likelihood.iter().all(|x| x.is_finite()));
    let mut values = particles.clone();
    target.evaluate(&mut values.block(), &mut counts);
    close(
        "log prior by value",
        &values.log_prior,
        &particles.log_prior,
    );
    let (value, with) = (&values.log_likelihood, &particles.log_likelihood);
    close("log likelihood by value", value, with);
    particles
}

fn close(what: &str, found: &[f64], want: &[f64]) {
    let largest = want.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
    for (i, (found, want)) in found.iter().zip(want).enumerate() {
        let error = (found - want).abs() / largest;
        assert!(
            error <= TOLERANCE,
            "{what} [{i}]: {found:e}, want {want:e}, off by {error:.1e} of the largest"
        );
    }
}

/// The densities of a model as a program for any mode. No recording is involved.
struct Densities<'a, Mo>(&'a Mo);

impl<Mo: Model> Program for Densities<'_, Mo> {
    fn evaluate<M: Mode>(&self, coordinates: &[Real<M>]) -> [Real<M>; 2] {
        let mut evaluation = Evaluate::new(coordinates);
        self.0.program(&mut evaluation);
        evaluation.densities()
    }
}

/// Writes the gradient of a log prior and a log likelihood with these weights; returns the two.
type Derive<'a> = dyn Fn(&[f64], [f64; 2], &mut [f64]) -> [f64; 2] + 'a;

/// Checks reverse mode by every instruction set against forward mode, and forward mode against dual numbers in the program itself.
pub fn agree<Mo: Model>(model: &Mo) {
    agree_with(
        model.name(),
        &|settings| Ok(Box::new(Posterior::with(model, 1, settings)?)),
        &|position, weights, slopes| gradient(&Densities(model), position, weights, slopes),
    );
}

/// [`agree`] for a density made with the given settings, with its derivatives by dual numbers in the program.
pub fn agree_with(name: &str, density: &Make<'_>, derive: &Derive<'_>) {
    let forward = agree_on(name, density);
    let mut dual = forward.clone();
    for (i, position) in forward.positions.chunks(forward.dim).enumerate() {
        let slopes = &mut dual.gradient[i * forward.dim..][..forward.dim];
        let densities = derive(position, [1.0, LAMBDA], slopes);
        [dual.log_prior[i], dual.log_likelihood[i]] = densities;
    }
    same(&format!("{name} in forward mode"), &forward, &dual);
}

/// Densities and gradients of the same particles.
fn same(name: &str, found: &Particles, want: &Particles) {
    let of = |what| format!("{what} of {name}");
    close(&of("log prior"), &found.log_prior, &want.log_prior);
    let (likelihood, expected) = (&found.log_likelihood, &want.log_likelihood);
    close(&of("log likelihood"), likelihood, expected);
    let slopes = found.gradient.chunks(want.dim);
    for (found, want) in slopes.zip(want.gradient.chunks(want.dim)) {
        close(&of("gradient"), found, want);
    }
}

/// Checks reverse mode by every instruction set against forward mode, for a density made with the given settings. Returns forward mode.
pub fn agree_on(model: &str, density: &Make<'_>) -> Particles {
    let first = InstructionSet::available()
        .next()
        .expect("a level is available");
    let forward = evaluate(density, GradientMode::Forward, first);
    for level in InstructionSet::available() {
        let reverse = evaluate(density, GradientMode::Reverse, level);
        same(&format!("{model} at {level}"), &reverse, &forward);
    }
    forward
}

/// A matrix of numbers between -1 and 1.
pub fn design(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| {
        (1.3 * i as f64 + 2.7 * j as f64).sin()
    })
}

/// Numbers from 0.2 to 1.2.
pub fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.2 + (0.9 * i as f64).cos().abs()).collect()
}
