//! `model.check(..)`: a test of a model before a long run.

use super::directions::{flat, unbounded};
use super::likely::LikelyTime;
use super::slopes::{Slope, compare};
use crate::density::jumps::{self, Jump};
use crate::density::{
    Arithmetic, ArithmeticSettings, Counts, Equations, GradientMode, LogDensity, NonFinite,
    Particles, Posterior, RoundedPrior, Target, equations, own_calls,
};
use crate::engine::{Engine, Inference, improper, probe};
use crate::error::{Error, Improper};
use crate::model::{Model, score};
use crate::model::{StatementInfo, VariableKind};
use crate::observe::Memory;
use crate::rng::{Key, Purpose};
use bayes_autodiff::simd::InstructionSet;
use std::time::{Duration, Instant};

/// Number of draws at which derivatives are compared with differences and from which rays start. Lines between pairs of these
/// draws are searched for jumps.
const POINTS: usize = 20;
/// Number of coordinates compared at each draw; in a longer model they are spread evenly.
const COORDINATES: usize = 64;
/// Number of particles in a timed evaluation.
const TIMED: usize = 64;
/// Number of chains of NUTS, which take their steps together.
const CHAINS: usize = 4;
/// Duration of the timing.
const TIME: Duration = Duration::from_millis(50);
/// Duration of a short run.
const PROBE: Duration = Duration::from_secs(1);

/// Settings of [`Inspect::check`](super::Inspect::check).
#[derive(Clone, Copy, Debug)]
#[must_use = "settings do nothing until `model.check(..)`"]
pub struct Check {
    draws: usize,
    seed: u64,
    arithmetic: ArithmeticSettings,
    forecasts: bool,
}

impl Default for Check {
    fn default() -> Self {
        Self::new()
    }
}

impl Check {
    /// 200 prior draws, seed 0.
    pub fn new() -> Self {
        Self {
            draws: 200,
            seed: 0,
            arithmetic: ArithmeticSettings::default(),
            forecasts: true,
        }
    }

    /// Number of prior draws at which the model is evaluated, at least 1. Unbounded directions are only found with
    /// more draws than coordinates.
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = draws;
        self
    }

    /// The seed of the draws.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How gradients are computed; reverse mode by default.
    pub fn gradient(mut self, gradient: GradientMode) -> Self {
        self.arithmetic.gradient = gradient;
        self
    }

    /// The instruction set; by default the processor's fastest. Results may differ in the last bits between instruction sets.
    pub fn instruction_set(mut self, level: InstructionSet) -> Self {
        self.arithmetic.instruction_set = Some(level);
        self
    }

    /// Whether NUTS and an island of particles run for a second each, which shows how long default runs take; `true` by default.
    /// Without them the time comes from a typical number of gradients at draws of the prior, and may be far off.
    pub fn forecast(mut self, forecast: bool) -> Self {
        self.forecasts = forecast;
        self
    }

    pub(super) fn run<Mo: Model>(self, model: &Mo) -> Result<CheckReport, Error> {
        Error::setting("draws", self.draws, self.draws >= 1, "at least 1")?;
        let posterior = Posterior::with(model, self.seed, self.arithmetic)?;
        let (particles, counts) = self.particles(&posterior);
        let trips: Vec<Trip> = (0..self.draws)
            .filter_map(|i| round_trip(model, &posterior, particles.position(i)))
            .collect();
        let owners = trips.first().map_or(&[][..], |trip| &trip.owners);
        let names = coordinate_names(model, &posterior, owners);
        let mut report = CheckReport {
            improper: improper::find(&posterior, self.seed),
            ..report(&posterior, &particles, counts, &trips, names)
        };
        if let Some(recipe) = model.recipe() {
            report.model = recipe.title;
            report.own_calls.clear();
            report.formula = true;
        }
        if self.forecasts && report.improper.is_none() && report.finite > 0 {
            let probed = |rule: LikelyTime| self.probe(&posterior, rule);
            report.likely = report.likely.map(probed);
        }
        // otherwise a change of the data in the meantime would be reported as another fault
        posterior.check_again()?;
        Ok(report)
    }

    /// How long default runs take, by short runs; by the rule where they do not show it.
    fn probe(&self, density: &dyn LogDensity, rule: LikelyTime) -> LikelyTime {
        let nuts = probe::nuts(density, self.seed, PROBE);
        let island = probe::island(density, self.seed, PROBE);
        rule.or_measured(nuts, island, rayon::current_num_threads())
    }

    /// Prior draws with their densities and gradients.
    fn particles(&self, density: &dyn LogDensity) -> (Particles, Counts) {
        let dim = density.dim();
        let mut particles = Particles::new(self.draws, dim);
        for i in 0..self.draws {
            let key = Key::new(self.seed, Purpose::Initial).item(i as u64);
            let row = &mut particles.positions[i * dim..(i + 1) * dim];
            density.draw_start(&mut key.stream(), row);
        }
        let mut counts = Counts::default();
        Target::posterior(density).evaluate_gradient(&mut particles.block(), &mut counts);
        (particles, counts)
    }
}

/// The result of the check; `println!("{report}")` explains it.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The model function's name, or the formula.
    pub model: String,
    /// Number of unconstrained coordinates.
    pub dim: usize,
    /// How the model was evaluated.
    pub arithmetic: Arithmetic,
    /// Number of prior draws.
    pub draws: usize,
    /// Number of draws with a finite density.
    pub finite: usize,
    /// The statements with non-finite terms, and the number of draws for each.
    pub not_finite: Vec<(StatementInfo, NonFinite)>,
    /// Number of draws with a finite density and a non-finite gradient.
    pub not_finite_gradients: u64,
    /// The derivative that differs most from its finite difference; `None` if none could be compared.
    pub worst_slope: Option<Slope>,
    /// The user's own functions and distributions that the model calls, by its text: only they can have a wrong derivative.
    pub own_calls: Vec<String>,
    /// The largest jump of the density found between prior draws.
    pub jump: Option<Jump>,
    /// Number of lines between prior draws that were searched for jumps.
    pub lines: usize,
    /// The coordinate that constraining and unconstraining changed most.
    pub worst_trip: Option<Disagreement>,
    /// The quantities whose prior draws round to an end of the support or to infinity, often enough to matter.
    pub rounded_priors: Vec<RoundedPrior>,
    /// How well the model's differential equations are solved at the prior draws; empty if it has none.
    pub equations: Vec<Equations>,
    /// Directions in which the density is constant, each as the names of its coordinates.
    pub flat: Vec<Vec<String>>,
    /// Coordinates in which the density does not decrease on one side, so the posterior may be improper.
    pub unbounded: Vec<String>,
    /// A quantity towards whose edge the posterior is improper, found by climbs from draws of the prior. Checked with up to 200
    /// coordinates.
    pub improper: Option<Improper>,
    /// The cost of an evaluation.
    pub work: EvaluationCost,
    /// How long default runs are likely to take; `None` for a model without a gradient.
    pub likely: Option<LikelyTime>,
    /// The memory of a run of each engine with its default settings, by the engine's name.
    pub runs: Vec<(&'static str, Memory)>,
    /// Names of the coordinates, `[dim]`.
    pub names: Vec<String>,
    /// Whether the model was written as a formula, whose statements and functions are the library's.
    pub formula: bool,
}

/// A coordinate before and after constraining and unconstraining.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disagreement {
    /// The unconstrained coordinate.
    pub coordinate: usize,
    /// The coordinate before.
    pub before: f64,
    /// The coordinate after.
    pub after: f64,
    /// The difference relative to `1 + |before|`.
    pub error: f64,
}

/// The cost per particle; times differ from run to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationCost {
    /// Seconds of an evaluation of the density.
    pub value: f64,
    /// Seconds of an evaluation with its gradient.
    pub gradient: f64,
    /// Maximum number of bytes that an evaluation with its gradient needs and that an engine keeps.
    pub memory: usize,
}

/// A position that was constrained and unconstrained.
struct Trip {
    owners: Vec<usize>,
    worst: Option<Disagreement>,
}

fn round_trip<Mo: Model>(model: &Mo, density: &dyn LogDensity, position: &[f64]) -> Option<Trip> {
    let output = density.quantities().output(position);
    let layout = density.describe().layout;
    let values: Vec<(&str, &[f64])> = layout
        .variables
        .iter()
        .filter(|v| v.kind != VariableKind::Deterministic)
        .map(|v| {
            (
                v.name.as_str(),
                &output[v.offset..v.offset + v.shape.elements()],
            )
        })
        .collect();
    let scored = score(model, &values).ok()?;
    let pairs = position.iter().zip(&scored.position).enumerate();
    let differences = pairs.map(|(coordinate, (before, after))| {
        let error = (before - after).abs() / (1.0 + before.abs());
        Disagreement {
            coordinate,
            before: *before,
            after: *after,
            error: if error.is_nan() { f64::INFINITY } else { error },
        }
    });
    Some(Trip {
        worst: differences.max_by(|a, b| a.error.total_cmp(&b.error)),
        owners: scored.owners,
    })
}

/// `mu`, or the name of an element; `z[3]` for the fourth coordinate of a `z` with fewer coordinates than elements.
fn coordinate_names<Mo: Model>(
    model: &Mo,
    density: &dyn LogDensity,
    owners: &[usize],
) -> Vec<String> {
    let variables = density.describe().layout.variables;
    let mut names: Vec<String> = Vec::with_capacity(owners.len());
    let mut totals = vec![0; model.statements().len()];
    owners.iter().for_each(|owner| totals[*owner] += 1);
    let elements = |owner: usize| {
        let name = model.statements()[owner].name;
        let variable = variables.iter().find(|variable| variable.name == name)?;
        let elements = variable.element_names();
        (elements.len() == totals[owner]).then_some(elements)
    };
    let elements: Vec<Option<Vec<String>>> = (0..totals.len()).map(elements).collect();
    let mut before = vec![0; totals.len()];
    for owner in owners {
        let name = model.statements()[*owner].name;
        names.push(match &elements[*owner] {
            Some(elements) => elements[before[*owner]].clone(),
            None if totals[*owner] == 1 => name.to_owned(),
            None => format!("{name}[{}]", before[*owner]),
        });
        before[*owner] += 1;
    }
    names
}

fn report(
    density: &dyn LogDensity,
    particles: &Particles,
    counts: Counts,
    trips: &[Trip],
    names: Vec<String>,
) -> CheckReport {
    let log_density = |i: usize| particles.log_prior[i] + particles.log_likelihood[i];
    let finite: Vec<usize> = (0..particles.len())
        .filter(|i| log_density(*i).is_finite())
        .collect();
    let some = &finite[..finite.len().min(POINTS)];
    let (jump, lines) = jumps::largest(density, particles, some);
    let description = density.describe();
    let statements = &description.statements;
    let worst_trip = trips.iter().filter_map(|trip| trip.worst);
    let named = |k: &usize| names[*k].clone();
    let has_gradient = !description.discrete.contains(&true);
    CheckReport {
        own_calls: own_calls(&description.source),
        model: description.name,
        dim: particles.dim,
        arithmetic: description.arithmetic,
        draws: particles.len(),
        finite: finite.len(),
        not_finite: counts
            .non_finite
            .iter()
            .map(|(s, count)| (statements[*s].clone(), count.clone()))
            .collect(),
        not_finite_gradients: counts.non_finite_gradients,
        worst_slope: worst_slope(density, particles, some),
        jump,
        lines,
        worst_trip: worst_trip.max_by(|a, b| a.error.total_cmp(&b.error)),
        rounded_priors: density.quantities().rounded_priors(),
        equations: equations::at_positions(
            density.quantities(),
            particles.positions.chunks_exact(particles.dim.max(1)),
        ),
        flat: flat(density, particles, &finite)
            .iter()
            .map(|direction| direction.iter().map(named).collect())
            .collect(),
        unbounded: unbounded(density, particles, &some[..some.len().min(3)])
            .iter()
            .map(named)
            .collect(),
        improper: None,
        work: work(density, particles, some),
        likely: has_gradient.then(|| likely(density, particles, some)),
        runs: runs(density),
        names,
        formula: false,
    }
}

/// The derivative that differs most from its finite difference at the draws `some`.
fn worst_slope(density: &dyn LogDensity, particles: &Particles, some: &[usize]) -> Option<Slope> {
    let dim = particles.dim;
    let step = dim.div_ceil(COORDINATES).max(1);
    let discrete = density.describe().discrete;
    let discrete = discrete.as_slice();
    let slopes = some.iter().flat_map(|i| {
        let coordinates = (0..dim).step_by(step).filter(|k| !discrete[*k]);
        coordinates.filter_map(move |k| {
            let gradient = particles.gradient[i * dim + k];
            compare(density, particles.position(*i), k, gradient)
        })
    });
    slopes.max_by(|a, b| a.error.total_cmp(&b.error))
}

/// The memory of the most used engines.
fn runs(density: &dyn LogDensity) -> Vec<(&'static str, Memory)> {
    let (psmc, nuts) = (Inference::psmc(), Inference::nuts());
    let engines: [&dyn Engine; 2] = [&psmc, &nuts];
    let memory = |engine: &&dyn Engine| Some((engine.name(), engine.memory(density)?));
    engines.iter().filter_map(memory).collect()
}

/// `count` particles that repeat the draws `some`.
fn repeated(particles: &Particles, some: &[usize], count: usize) -> Particles {
    let dim = particles.dim;
    let mut many = Particles::new(count, dim);
    if !some.is_empty() {
        for (i, row) in many.positions.chunks_mut(dim.max(1)).enumerate() {
            row.copy_from_slice(particles.position(some[i % some.len()]));
        }
    }
    many
}

/// How long default runs are likely to take, from the time of gradients of as many chains or particles as the engines move
/// together.
fn likely(density: &dyn LogDensity, particles: &Particles, some: &[usize]) -> LikelyTime {
    let target = Target::posterior(density);
    let gradients = [CHAINS, TIMED].map(|count| {
        let mut many = repeated(particles, some, count);
        let mut counts = Counts::default();
        seconds(count, || {
            target.evaluate_gradient(&mut many.block(), &mut counts)
        })
    });
    let many = repeated(particles, some, TIMED);
    let output = seconds(TIMED, || {
        std::hint::black_box(density.quantities().outputs(&many.positions, many.dim));
    });
    LikelyTime::of(gradients, output, rayon::current_num_threads())
}

/// Times evaluations of many particles at the draws `some`.
fn work(density: &dyn LogDensity, particles: &Particles, some: &[usize]) -> EvaluationCost {
    let dim = particles.dim;
    let mut many = repeated(particles, some, TIMED);
    let mut counts = Counts::default();
    let target = Target::posterior(density);
    let value = seconds(TIMED, || target.evaluate(&mut many.block(), &mut counts));
    let gradient = seconds(TIMED, || {
        target.evaluate_gradient(&mut many.block(), &mut counts);
    });
    let replay = std::thread::scope(|scope| {
        let fresh = scope.spawn(|| {
            let mut few = Particles::new(1, dim);
            few.positions.copy_from_slice(many.position(0));
            target.evaluate_gradient(&mut few.block(), &mut Counts::default());
            bayes_autodiff::trace::memory()
        });
        fresh.join().unwrap_or_default()
    });
    // a particle and its proposal: position, gradient and two densities each
    let kept = 2 * (2 * dim + 2) * size_of::<f64>();
    EvaluationCost {
        value,
        gradient,
        memory: replay + kept,
    }
}

/// Seconds of `evaluate` per particle, for `count` particles; a first evaluation, not timed, allocates memory.
fn seconds(count: usize, mut evaluate: impl FnMut()) -> f64 {
    evaluate();
    let (start, mut turns) = (Instant::now(), 0.0);
    while start.elapsed() < TIME {
        evaluate();
        turns += 1.0;
    }
    start.elapsed().as_secs_f64() / (turns * count as f64)
}
