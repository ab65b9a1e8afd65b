//! A param learnt by maximum marginal likelihood; the random values have a crescent-shaped posterior.
//!
//! ```text
//! phi_0 ~ Normal(0, √2)    phi_1 ~ Normal(0, 1)    y_i ~ Normal(phi_1 / psi + (phi_0² + psi²) / 2, 1)    i = 1..100
//! ```
//!
//! Section 4.1 of the paper. The data come from psi = 1 and phi = 0. The mean of the data is sufficient, and phi_1 integrates out by
//! hand, so quadrature over phi_0 gives the exact marginal likelihood; an unbiased method finds its maximum, near 1.1. It depends only
//! on psi², so signs are ignored below.
//!
//! The random walk of the paper forgets the prior, and its particles contract from step to step. So psi is 0.2 too small, which happens to
//! be nearer to 1 here, and the arms of the crescent are half as long as in the posterior. An Ornstein-Uhlenbeck process that keeps the
//! prior mends both.

use crate::Lab;
use bayes::prelude::*;
use bayes::rng::stream;
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use bayes_experiments::common::or_fail;
use serde_json::{Map, Value, json};

/// The crescent; psi starts at 0.1.
#[model]
fn crescent(#[rows] y: &[f64]) {
    let psi = param(Normal::new(0.1, 0.001));
    let phi_0 = sample(Normal::new(0.0, 2f64.sqrt()));
    let phi_1 = sample(Normal::new(0.0, 1.0));
    let _arm = deterministic(phi_0.abs());
    let mean = phi_1 / psi + 0.5 * (phi_0 * phi_0 + psi * psi);
    observe(y, Normal::new(mean, 1.0));
}

/// The log marginal likelihood of psi, up to a constant: `mean(y) | phi_0 ~ Normal((phi_0² + psi²) / 2, 1/psi² + 1/100)`, by the
/// trapezoidal rule over phi_0, whose error is far below 1e-9 here.
fn log_marginal(psi: f64, mean: f64) -> f64 {
    let variance = 1.0 / (psi * psi) + 0.01;
    let term = |phi: f64| {
        let r = mean - 0.5 * (phi * phi + psi * psi);
        (-0.5 * r * r / variance - 0.25 * phi * phi).exp()
    };
    let sum: f64 = (-1600..=1600).map(|i| term(0.005 * f64::from(i))).sum();
    sum.ln() - 0.5 * variance.ln()
}

/// The psi of highest marginal likelihood, to 0.001.
fn exact(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let grid = (100..3000).map(|i| 0.001 * f64::from(i));
    let scored = grid.map(|psi| (log_marginal(psi, mean), psi));
    scored
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(f64::NAN, |best| best.1)
}

/// Adam with the paper's rate: 0.1, falling by 4% in each epoch of ten steps.
fn rate() -> Adam {
    Adam::new(LearningRate::exponential(0.1, 0.96))
}

/// The psi of one data set by each method, and phi by some methods.
struct Row {
    psi: Vec<(&'static str, f64)>,
    /// The particles of OHSMC by random walk and by Ornstein-Uhlenbeck process, and the posterior at the exact psi.
    runs: [Run; 3],
}

/// The absolute psi of a fit.
fn psi(fit: &Fit) -> Result<f64, bayes::Error> {
    Ok(fit.value("psi")?[0].abs())
}

/// psi by Monte Carlo EM, by variational EM, and by prior draws.
fn others(model: &crescent<'_>, seed: u64, lab: &Lab) -> Result<[f64; 3], bayes::Error> {
    let epochs = lab.options.size(200, 60);
    // the chains must follow the params, so the params move slowly, with all rows
    let chains = Inference::mcem()
        .epochs(lab.options.size(4000, 2000))
        .optimiser(Adam::new(LearningRate::cosine(0.005, 0.001)))
        .seed(seed)
        .run(model)?;
    if let Some(warning) = &chains.warning {
        lab.say(&format!("mcem: {warning}"));
    }
    let gaussian = Inference::variational_em()
        .epochs(epochs)
        .minibatch(10)
        .optimiser(rate())
        .seed(seed)
        .run(model)?;
    let plain = Inference::expected_likelihood()
        .particles(lab.options.size(10_000, 1000))
        .epochs(epochs)
        .minibatch(10)
        .optimiser(rate())
        .seed(seed)
        .run(model)?;
    Ok([psi(&chains.fit)?, psi(&gaussian.fit)?, psi(&plain.fit)?])
}

fn solve(y: &[f64], seed: u64, lab: &Lab) -> Result<Row, bayes::Error> {
    let model = crescent(y);
    let ohsmc = || Inference::ohsmc().minibatch(10).optimiser(rate());
    let walk = ohsmc().random_walk(0.001).seed(seed).run(&model)?;
    let keeping_prior = ohsmc().ornstein_uhlenbeck(0.1).seed(seed).run(&model)?;
    // the ten rows of a step are taken one by one, with ten moves between them: fewer particles and epochs
    let sgsmc = Inference::sgsmc()
        .particles(lab.options.size(200, 100))
        .epochs(lab.options.size(100, 30))
        .minibatch(10)
        .optimiser(rate())
        .seed(seed)
        .run(&model)?;
    let [chains, gaussian, plain] = others(&model, seed, lab)?;
    let map = Inference::map()
        .restarts(1)
        .epochs(200)
        .minibatch(10)
        .optimiser(rate())
        .seed(seed)
        .run(&model)?;
    let exact = exact(y);
    let posterior = Inference::psmc()
        .seed(seed)
        .run(&model.with_params(&[("psi", &[exact])])?)?;
    Ok(Row {
        psi: vec![
            ("exact", exact),
            ("ohsmc", psi(&walk.fit)?),
            ("ohsmc_ou", psi(&keeping_prior.fit)?),
            ("sgsmc", psi(&sgsmc.fit)?),
            ("mcem", chains),
            ("vb", gaussian),
            ("mc", plain),
            ("map", psi(&map)?),
        ],
        runs: [walk.particles, keeping_prior.particles, posterior],
    })
}

/// The quartiles of |phi_0|, which show how far the particles reach towards both ends of the crescent.
fn compare_arms(row: &Row, lab: &Lab) -> Result<Value, bayes::Error> {
    lab.say("\nquartiles of |phi_0|, first data set");
    let mut all = Map::new();
    for (run, name) in row.runs.iter().zip(["ohsmc", "ohsmc_ou", "posterior"]) {
        let quartile = |probability| Ok::<f64, bayes::Error>(run.quantile("arm", probability)?[0]);
        let quartiles = [quartile(0.25)?, quartile(0.5)?, quartile(0.75)?];
        let cells = quartiles.map(|value| format!("{value:8.3}"));
        lab.say(&format!("{name:9}{}", cells.concat()));
        all.insert(name.to_owned(), json!(quartiles));
    }
    Ok(Value::Object(all))
}

/// Draws two hundred particles of each run, and psi of each data set by method.
fn draw(rows: &[Row], lab: &Lab) -> Result<(), bayes::Error> {
    let of = |run: &Run, name: &str| -> Result<Curve, bayes::Error> {
        let (x, y) = (run.draws("phi_0")?, run.draws("phi_1")?);
        let points = x.rows().zip(y.rows()).take(200);
        let point = |(x, y): (&[f64], &[f64])| Point {
            x: x[0],
            y: y[0],
            error: 0.0,
        };
        Ok(Curve {
            name: name.to_owned(),
            points: points.map(point).collect(),
        })
    };
    let names = ["ohsmc", "ohsmc_ou", "posterior"];
    let mut panels = Vec::new();
    for (run, name) in rows[0].runs.iter().zip(names) {
        panels.push(Panel {
            title: format!("{name}: 200 particles"),
            x: Quantity::linear("phi_0"),
            y: Quantity::linear("phi_1"),
            curves: vec![of(run, "particles")?],
        });
    }
    let found = |place: usize| {
        let points = rows.iter().enumerate().map(|(i, row)| Point {
            x: i as f64 + 1.0,
            y: row.psi[place].1,
            error: 0.0,
        });
        Curve {
            name: rows[0].psi[place].0.to_owned(),
            points: points.collect(),
        }
    };
    panels.push(Panel {
        title: "psi".to_owned(),
        x: Quantity::linear("data set"),
        y: Quantity::linear("psi"),
        curves: (0..rows[0].psi.len()).map(found).collect(),
    });
    lab.draw("crescent", &panels);
    Ok(())
}

/// The numbers of data sets with a psi near 1, and near the exact maximum.
fn count(rows: &[Row], place: usize) -> [usize; 2] {
    let near = |centre: f64, row: &Row| usize::from((row.psi[place].1 - centre).abs() < 0.15);
    [
        rows.iter().map(|row| near(1.0, row)).sum(),
        rows.iter().map(|row| near(row.psi[0].1, row)).sum(),
    ]
}

pub fn run(lab: &Lab) -> Value {
    let seeds = lab.size("--repeats", &lab.repeats, 10, 2);
    let mut rows: Vec<Row> = Vec::new();
    for seed in (lab.options.seed..).take(seeds) {
        let mut data = stream(seed);
        let noise = |_| Normal::new(0.5, 1.0).draw_one(&mut data);
        let y: Vec<f64> = (0..100).map(noise).collect();
        let row = or_fail(solve(&y, seed, lab));
        if rows.is_empty() {
            let names = row.psi.iter().map(|(name, _)| format!("{name:>10}"));
            lab.say(&format!("seed{}", names.collect::<String>()));
        }
        let cells = row.psi.iter().map(|(_, psi)| format!("{psi:10.3}"));
        lab.say(&format!("{seed:4}{}", cells.collect::<String>()));
        rows.push(row);
    }
    let mut all = Map::new();
    for (place, (method, _)) in rows[0].psi.iter().enumerate() {
        let [of_truth, of_exact] = count(&rows, place);
        lab.say(&format!(
            "{method}: {of_truth} of {seeds} within 0.15 of 1, {of_exact} within 0.15 of the exact maximum"
        ));
        let found: Vec<f64> = rows.iter().map(|row| row.psi[place].1).collect();
        all.insert((*method).to_owned(), json!(found));
        let wanted = match *method {
            "ohsmc" => of_truth,
            "ohsmc_ou" | "sgsmc" => of_exact,
            _ => seeds,
        };
        assert!(
            wanted + (seeds / 5).max(1) >= seeds,
            "{method} found psi in {wanted} of {seeds} data sets"
        );
    }
    all.insert("arms".to_owned(), or_fail(compare_arms(&rows[0], lab)));
    or_fail(draw(&rows, lab));
    Value::Object(all)
}
