//! A panic of the density costs only that evaluation: the run equals the run of a density that is NaN there, and reports the
//! panics.
//!
//! Seen to fail: without the evaluation particle by particle, every particle of a block is lost; without the test of the
//! statement, the warning names the last statement.

use crate::common::NormalMean;
use bayes_autodiff::Mode;
use bayes_check::inspect::Inspect;
use bayes_core::density::{
    ArithmeticSettings, Block, Description, GradientMode, LogDensity, Posterior, Prior, Quantities,
};
use bayes_core::diagnose::Warning;
use bayes_core::dist::Normal;
use bayes_core::engine::{Engine, Inference};
use bayes_core::model::{
    AllSampled, DataArgument, Differentiable, GaussianReference, Interpreter, Model, Statement,
};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::{Group, Run};
use rand_distr::StandardNormal;
use std::cell::Cell;

/// A standard normal prior, and a likelihood without a value if the first coordinate is above 1.5: it panics, or is NaN.
struct Fragile {
    panics: bool,
}

impl Fragile {
    fn at(&self, x: &[f64]) -> [f64; 2] {
        let fails = x[0] > 1.5;
        assert!(!(fails && self.panics), "no value above 1.5");
        let prior = -0.5 * (x[0] * x[0] + x[1] * x[1]);
        let likelihood = -2.0 * (x[0] + x[1] - 1.0).powi(2);
        [prior, if fails { f64::NAN } else { likelihood }]
    }
}

impl LogDensity for Fragile {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| self.at(x));
    }
    fn evaluate_gradient(&self, [a, b]: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|x, slopes| {
            let values = self.at(x);
            let slope = -4.0 * b * (x[0] + x[1] - 1.0);
            for (to, x) in slopes.iter_mut().zip(x) {
                *to = if values[1].is_nan() {
                    0.0
                } else {
                    slope - a * x
                };
            }
            values
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Prior for Fragile {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position
            .iter_mut()
            .for_each(|x| *x = stream.sample(StandardNormal));
    }
}

impl Quantities for Fragile {
    fn describe(&self) -> Option<Description> {
        Some(Description::unnamed(2))
    }
}

fn engines() -> Vec<Box<dyn Engine>> {
    let names = [
        ("psmc", "hmc"),
        ("psmc", "pcn"),
        ("nested", "random_walk"),
        ("tempering", "hmc"),
    ];
    let mut engines: Vec<Box<dyn Engine>> = names
        .map(|(engine, kernel)| Inference::by_name(engine, Some(kernel)).expect("they exist"))
        .into();
    engines.push(Box::new(Inference::nuts().burn_in(200).draws(200)));
    for engine in &mut engines {
        engine.common_mut().progress = false;
        engine.common_mut().seed = 2;
    }
    engines
}

/// The run without its counts.
fn results(run: &Run) -> String {
    let mut run = run.clone();
    let clear = |group: &mut Group| group.counts = Default::default();
    run.groups.iter_mut().for_each(clear);
    serde_json::to_string(&run).expect("runs are JSON")
}

fn panicked(run: &Run) -> Option<bayes_core::diagnose::Warning> {
    let warnings = run.warnings();
    warnings
        .into_iter()
        .find(|warning| matches!(warning, Warning::Panicked(_)))
}

#[test]
fn a_panic_is_a_rejected_move_like_nan() {
    for engine in engines() {
        let name = engine.name();
        let run = engine.run_on(&Fragile { panics: true }).unwrap();
        let nan = engine.run_on(&Fragile { panics: false }).unwrap();
        assert!(results(&run) == results(&nan), "{name}");
        let (counts, of_nan) = (run.counts(), nan.counts());
        let panics = counts.panics.expect("the prior reaches beyond 1.5");
        // a NaN of a trial move is counted separately; a panic counts wherever it happens
        let count = &of_nan.non_finite[&0];
        assert_eq!(panics.times, count.nan + count.in_trials, "{name}");
        assert!(
            counts.non_finite.is_empty() && of_nan.panics.is_none(),
            "{name}"
        );
        assert!(panics.first.position[0] > 1.5, "{name}");
        // the first NaN of a burn-in is kept separately
        let mut first = count.first_nan.iter().chain(&count.first_nan_in_burn_in);
        assert!(first.any(|first| *first == panics.first), "{name}");
        assert_eq!(counts.gradient_evaluations, of_nan.gradient_evaluations);
        let warning = panicked(&run).expect("it is told").to_string();
        assert!(
            warning.contains("\"no value above 1.5\""),
            "{name}: {warning}"
        );
        assert!(panicked(&nan).is_none());
    }
}

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

/// The mean of normal data, with a function between its two statements that panics on request.
struct Between(NormalMean);

impl Model for Between {
    fn name(&self) -> &'static str {
        "between"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        self.0.statements()
    }
    fn data(&self) -> Vec<DataArgument> {
        self.0.data()
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).sample(Normal::new(0.0, 2.0));
        assert!(!PANICS.get(), "between the statements");
        let observed = interpreter.at(1);
        observed.observe_under(Normal::new(mu, 0.8), &self.0.y);
    }
}

impl AllSampled for Between {}
impl Differentiable for Between {}
impl GaussianReference for Between {}

#[test]
fn a_draw_of_the_prior_that_panicked_is_explained_in_words() {
    let model = Between(NormalMean::reference());
    let found = model.explain(&[f64::NAN]).expect("one coordinate");
    assert!(found.values.is_empty() && found.panic.is_none());
    let text = found.to_string();
    assert!(text.contains("it has no position"), "{text}");
}

#[test]
fn the_statement_that_a_model_reached_is_named() {
    let model = Between(NormalMean::reference());
    // in forward mode the program runs at every evaluation
    let settings = ArithmeticSettings {
        gradient: GradientMode::Forward,
        ..ArithmeticSettings::default()
    };
    let posterior = Posterior::with(&model, 1, settings).unwrap();
    let density: &dyn LogDensity = &posterior;
    let mut particles = bayes_core::density::Particles::new(1, 1);
    let mut counts = bayes_core::run::Counts::default();
    PANICS.set(true);
    let target = bayes_core::density::Target::posterior(density);
    target.evaluate(&mut particles.block(), &mut counts);
    target.evaluate_gradient(&mut particles.block(), &mut counts);
    PANICS.set(false);
    let panics = counts.panics.take().unwrap();
    assert_eq!((panics.times, panics.statement), (2, Some(0)));
    assert_eq!(panics.message, "between the statements");
    // the thread's memory is intact
    target.evaluate_gradient(&mut particles.block(), &mut counts);
    assert!(particles.log_likelihood[0].is_finite() && particles.gradient[0] != 0.0);
}
