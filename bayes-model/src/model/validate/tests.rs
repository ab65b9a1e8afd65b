//! How often validation runs a program.

use super::{DRAWS, FEWEST_DRAWS, validate, validate_in_short};
use crate::dist::{Normal, Uniform, VonMises};
use crate::model::example::statement;
use crate::model::{Differentiable, Interpreter, Model, Statement, StatementKind};
use bayes_autodiff::{Mode, Real, Vector};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Observations about the first of some coordinates, and how often the program ran.
struct Counted {
    coordinates: usize,
    y: Vec<f64>,
    /// A scale below 0 refuses the model.
    scale: f64,
    runs: AtomicUsize,
}

impl Model for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 2] = [
            statement(StatementKind::Sample, "theta"),
            statement(StatementKind::Observe, "y"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let prior = Normal::new(0.0, 1.0).iid(self.coordinates);
        let theta: Vector<M> = interpreter.at(0).sample(prior);
        let observed = interpreter.at(1);
        observed.observe_under(Normal::new(theta[0], self.scale), &self.y);
    }
}
impl Differentiable for Counted {}

fn counted(coordinates: usize, observations: usize, scale: f64) -> Counted {
    Counted {
        coordinates,
        y: vec![0.5; observations],
        scale,
        runs: AtomicUsize::new(0),
    }
}

fn runs(model: &Counted) -> usize {
    model.runs.swap(0, Ordering::Relaxed)
}

#[test]
fn a_large_model_is_validated_at_fewer_draws() {
    // one more run compares the statements with the first run
    for (coordinates, draws) in [(10, DRAWS), (100_000, 5), (1_000_000, FEWEST_DRAWS)] {
        let model = counted(coordinates, 20_000, 1.0);
        validate(&model).unwrap();
        assert_eq!(runs(&model), draws + 1, "{coordinates} coordinates");
    }
}

#[test]
fn a_mistake_in_the_data_of_a_large_model_is_not_laid_to_its_draws() {
    let mut model = counted(1_000_000, 20_000, 1.0);
    model.y[7] = f64::NAN;
    let refusal = validate(&model).unwrap_err().to_string();
    assert_eq!(runs(&model), FEWEST_DRAWS + 1);
    assert!(
        refusal.contains("index 7") && !refusal.contains("prior draw"),
        "{refusal}"
    );
}

#[test]
fn a_program_that_runs_on_its_data_needs_a_single_draw() {
    let good = counted(10, 20, 1.0);
    validate_in_short(&good).unwrap();
    assert_eq!(runs(&good), 1);
    let bad = counted(10, 20, -1.0);
    let refusal = validate_in_short(&bad).unwrap_err().to_string();
    assert_eq!(refusal, validate(&bad).unwrap_err().to_string());
    assert!(refusal.contains("`sd` is -1"), "{refusal}");
}

/// Angles under priors whose names no statement has in its text.
struct Angles;

impl Model for Angles {
    fn name(&self) -> &'static str {
        "angles"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 3] = [
            statement(StatementKind::Sample, "one"),
            statement(StatementKind::Sample, "several"),
            statement(StatementKind::Sample, "number"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let _: Real<M> = interpreter.at(0).sample(VonMises::new(0.0, 2.0));
        let _: Vector<M> = interpreter.at(1).sample(VonMises::new(1.0, 0.5).iid(3));
        let _: Real<M> = interpreter.at(2).sample(Uniform::new(-3.0, 3.0));
    }
}

/// Would detect angles that are known by the text of a statement.
#[test]
fn angles_are_known_by_their_distribution() {
    let layout = validate(&Angles).expect("it is a model").layout;
    let angles = layout.variables.iter().map(|variable| variable.is_angle);
    assert_eq!(angles.collect::<Vec<bool>>(), [true, true, false]);
}
