//! Random models of many statements: densities and gradients by the library's trace, by forward mode, by plain numbers, and by Stan.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example random_models -- --models 10000 --out models.jsonl
//! pip install stanli==0.24.0
//! python experiments/peers/random_models.py models.jsonl
//! ```
//!
//! A model of a seed has priors of 23 families whose parameters are expressions, vectors, gathers, products with matrices, loops
//! with a state, nested loops, choices by data, and observations of 31 families one by one or all at once. The file has a line for each
//! model: its text and data for Stan, a position, and the log density and gradient there. The Python program compares them with
//! `stanli`, which runs Stan programs without a compiler.
//!
//! Asserted: log densities of the trace are within 1e-12 of those of plain numbers, relative to them or, where they are
//! smaller than 1, to 1; gradients within 1e-10 of those of forward mode.

use bayes::Error;
use bayes::density::{ArithmeticSettings, GradientMode, LogDensity, Particles};
use bayes::rng::{RngExt, stream};
use bayes_experiments::common::{Options, fail, number, or_fail};
use bayes_experiments::random_models::RandomModel;
use serde_json::json;
use std::io::{BufWriter, Write};

/// The largest difference between gradients, relative to the largest entry.
const GRADIENT: f64 = 1e-10;
/// The largest difference between log densities, relative to them.
const DENSITY: f64 = 1e-12;

fn main() {
    let (options, [models, out]) = Options::with(["--models", "--out"]);
    let models: u64 = number("--models", models, options.size(2000, 200) as u64);
    let mut file = out.map(|out| match std::fs::File::create(&out) {
        Ok(file) => BufWriter::new(file),
        Err(error) => fail(&format!("cannot write {out}: {error}")),
    });
    let mut worst = [0.0_f64; 2];
    let (mut coordinates, mut without, mut differ) = (0, 0, 0);
    for seed in options.seed..options.seed + models {
        let model = RandomModel::generate(seed);
        let Some(found) = or_fail(Point::of(&model, seed)) else {
            without += 1;
            continue;
        };
        coordinates += found.position.len();
        worst = [worst[0].max(found.errors[0]), worst[1].max(found.errors[1])];
        if !(found.errors[0] <= DENSITY && found.errors[1] <= GRADIENT) {
            differ += 1;
            let [density, gradient] = found.errors;
            eprintln!(
                "seed {seed}: log density off by {density:.1e}, gradient by {gradient:.1e}\n{}",
                model.stan().text
            );
        }
        if let Some(file) = &mut file
            && let Err(error) = writeln!(file, "{}", found.line(&model, seed))
        {
            fail(&format!("cannot write the models: {error}"));
        }
    }
    if let Some(Err(error)) = file.map(|file| file.into_inner().map(drop)) {
        fail(&format!("cannot write the models: {error}"));
    }
    if differ > 0 {
        fail(&format!("{differ} of {models} models differ"));
    }
    if without * 20 > models {
        fail(&format!("{without} of {models} models have no density"));
    }
    options.say(&format!(
        "{models} models with {coordinates} coordinates, {without} without a density: log densities within {:.1e}, gradients within {:.1e}",
        worst[0], worst[1]
    ));
    if options.json {
        println!(
            "{}",
            json!({ "models": models, "without": without, "coordinates": coordinates, "density": worst[0], "gradient": worst[1] })
        );
    }
}

/// A model at a position.
struct Point {
    position: Vec<f64>,
    log_density: f64,
    gradient: Vec<f64>,
    /// Relative differences of the log density and the gradient.
    errors: [f64; 2],
}

impl Point {
    /// `None` if the model is refused, since no draw of the prior has a finite density, or if the density at the position underflows
    /// to 0 by the trace and by plain numbers.
    fn of(model: &RandomModel, seed: u64) -> Result<Option<Self>, Error> {
        let with = |gradient| {
            let settings = ArithmeticSettings {
                gradient,
                instruction_set: None,
            };
            model.density(settings)
        };
        let traced = match with(GradientMode::Reverse) {
            Err(Error::Model { .. }) => return Ok(None),
            traced => traced?,
        };
        let forward = with(GradientMode::Forward)?;
        let mut stream = stream(seed);
        let position: Vec<f64> = (0..traced.dim())
            .map(|_| stream.random_range(-1.0..1.0))
            .collect();
        let (log_density, gradient) = evaluate(&*traced, &position);
        let (_, expected) = evaluate(&*forward, &position);
        let plain = model.plain_log_density(&position);
        if log_density == f64::NEG_INFINITY && plain == log_density {
            return Ok(None);
        }
        let largest = expected
            .iter()
            .fold(1e-300, |most: f64, x| most.max(x.abs()));
        let errors = gradient.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        // a NaN is no small error
        let worst = errors.fold(0.0, |worst: f64, error| {
            if error.is_nan() {
                error
            } else {
                worst.max(error)
            }
        });
        Ok(Some(Self {
            errors: [
                (log_density - plain).abs() / plain.abs().max(1.0),
                worst / largest,
            ],
            position,
            log_density,
            gradient,
        }))
    }

    /// The model for another evaluator.
    fn line(&self, model: &RandomModel, seed: u64) -> String {
        let stan = model.stan();
        let parameters: Vec<_> = stan
            .parameters
            .iter()
            .map(|(name, length, support)| json!([name, length, support]))
            .collect();
        json!({
            "seed": seed,
            "text": stan.text,
            "data": stan.data,
            "parameters": parameters,
            "position": self.position,
            "log_density": self.log_density,
            "gradient": self.gradient,
        })
        .to_string()
    }
}

/// The log density and its gradient.
fn evaluate(density: &dyn LogDensity, position: &[f64]) -> (f64, Vec<f64>) {
    let mut particle = Particles::new(1, position.len());
    particle.positions.copy_from_slice(position);
    density.evaluate_gradient([1.0, 1.0], &mut particle.block());
    let log_density = particle.log_prior[0] + particle.log_likelihood[0];
    (log_density, particle.gradient.clone())
}
