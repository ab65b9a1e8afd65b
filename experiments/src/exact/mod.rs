//! Problems with known evidence and posterior moments: data and exact answers.

#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod models;

use crate::Visit;
use crate::any_model::run_visited;
use bayes::Error;
use bayes::engine::Engine;
use bayes::prelude::*;
use serde_json::Value;

/// A problem with its exact answers.
pub struct Problem {
    /// The name in the reference file.
    pub name: String,
    /// Whether the random values are whole numbers.
    pub is_discrete: bool,
    /// Exact log evidence.
    pub log_evidence: f64,
    /// Exact posterior moments.
    pub moments: Vec<Moment>,
    kind: String,
    data: Data,
}

/// Exact posterior mean and standard deviation of an element of a quantity.
pub struct Moment {
    /// The quantity's name in the model.
    pub variable: &'static str,
    /// The index of the element.
    pub element: usize,
    /// Posterior mean.
    pub mean: f64,
    /// Posterior standard deviation.
    pub sd: f64,
}

/// All problems of the file.
///
/// # Panics
/// Never: the file is part of the program.
#[must_use]
pub fn problems() -> Vec<Problem> {
    let file: Value = serde_json::from_str(include_str!("../../../tests/data/evidence.json"))
        .expect("the shipped file is JSON");
    let all = file["problems"].as_array().expect("a list of problems");
    all.iter().map(problem).collect()
}

fn problem(entry: &Value) -> Problem {
    let kind = text(&entry["kind"]).to_owned();
    Problem {
        name: text(&entry["name"]).to_owned(),
        is_discrete: kind == "hmm",
        log_evidence: entry["log_evidence"].as_f64().expect("a number"),
        moments: moments(entry),
        kind,
        data: Data(entry["data"].clone()),
    }
}

impl Problem {
    /// Runs an engine.
    ///
    /// # Errors
    /// The error of the engine: HMC and pCN do not move whole numbers.
    ///
    /// # Panics
    /// Never: a model was visited, or there is an error.
    pub fn solve(&self, engine: &dyn Engine) -> Result<Run, Error> {
        run_visited(engine, |visit| self.model(visit))
    }

    /// Calls `visit` with the model.
    ///
    /// # Errors
    /// The error of `visit`.
    ///
    /// # Panics
    /// Never: all kinds in the file are handled.
    pub fn model(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        let d = &self.data;
        match self.kind.as_str() {
            "normal_mean" => visit(&models::normal_mean(
                &d.v("y"),
                d.f("prior_mean"),
                d.f("prior_sd"),
                d.f("noise_sd"),
            )),
            "blr" => visit(&models::regression(
                &d.m("X"),
                &d.v("y"),
                d.f("prior_sd"),
                d.f("noise_sd"),
            )),
            "beta_binomial" => visit(&models::beta_binomial(
                d.u("n"),
                d.u("k"),
                d.f("a"),
                d.f("b"),
            )),
            "gamma_poisson" => visit(&models::gamma_poisson(
                &d.counts("y"),
                d.f("shape"),
                d.f("rate"),
            )),
            "dirichlet_multinomial" => visit(&models::dirichlet_multinomial(
                &d.counts("counts"),
                &d.v("alpha"),
            )),
            "mixture" => visit(&models::mixture(
                d.u("d") as usize,
                &d.v("weights"),
                &d.v("centres"),
                d.f("prior_sd"),
            )),
            "banana" => visit(&models::banana(
                d.f("sd_ridge"),
                d.f("sd_x1"),
                d.f("prior_sd"),
            )),
            "lgssm" => state_space(d, visit),
            "hmm" => {
                let [transition, emission] = ["transition", "emission"].map(|name| d.m(name));
                visit(&models::hidden_states(
                    &d.states("y"),
                    &d.v("initial"),
                    &transition,
                    &emission,
                ))
            }
            kind => student(kind, d, visit),
        }
    }
}

fn student(kind: &str, d: &Data, visit: &mut Visit<'_>) -> Result<(), Error> {
    match kind {
        "student_prior" => visit(&models::student_prior(
            &d.v("y"),
            d.f("nu"),
            d.f("scale"),
            d.f("noise_sd"),
        )),
        "student_lik" => visit(&models::student_likelihood(
            &d.v("y"),
            d.f("nu"),
            d.f("scale"),
            d.f("prior_sd"),
        )),
        "student_2d" => visit(&models::student_location_scale(
            &d.v("y"),
            d.f("nu"),
            d.f("prior_sd"),
        )),
        _ => panic!("`{kind}` is no kind of problem that is known here"),
    }
}

fn state_space(d: &Data, visit: &mut Visit<'_>) -> Result<(), Error> {
    if d.m("A").nrows() == 1 {
        let [a, c, q, r, p0] = ["A", "C", "Q", "R", "P0"].map(|name| d.m(name)[(0, 0)]);
        return visit(&models::local_level(d.m("y").as_slice(), a, c, q, r, p0));
    }
    let [a, c, q, r, p0] = ["A", "C", "Q", "R", "P0"].map(|name| d.m(name));
    visit(&models::tracking(
        d.m("y").as_slice(),
        &a,
        &c,
        &q,
        r[(0, 0)],
        &p0,
    ))
}

/// The exact posterior moments of a problem, by the names of its model.
fn moments(entry: &Value) -> Vec<Moment> {
    let posterior = &entry["posterior"];
    match text(&entry["kind"]) {
        "lgssm" => smoothed(entry),
        "hmm" => first_state(entry),
        "blr" => vector(&posterior["beta"], "beta"),
        "dirichlet_multinomial" => vector(&posterior["p"], "p"),
        "mixture" => {
            let [mean, sd] =
                ["mean_each", "sd_each"].map(|key| posterior[key].as_f64().expect("a number"));
            let d = entry["data"]["d"].as_u64().expect("a whole number") as usize;
            (0..d)
                .map(|element| Moment {
                    variable: "x",
                    element,
                    mean,
                    sd,
                })
                .collect()
        }
        _ => ["mu", "sigma", "p", "lambda", "x1", "x2"]
            .into_iter()
            .filter(|name| posterior[name].is_object())
            .map(|name| scalar(&posterior[name], name))
            .collect(),
    }
}

fn scalar(posterior: &Value, variable: &'static str) -> Moment {
    let [mean, sd] = ["mean", "sd"].map(|key| posterior[key].as_f64().expect("a number"));
    Moment {
        variable,
        element: 0,
        mean,
        sd,
    }
}

/// Moments of the number of the first state of a hidden Markov model.
fn first_state(entry: &Value) -> Vec<Moment> {
    let smoother: Vec<Vec<f64>> =
        serde_json::from_value(entry["smoother"].clone()).expect("a matrix");
    let moment = |power| {
        let terms = (0..3).map(|z| smoother[0][z] * f64::powi(z as f64, power));
        terms.sum::<f64>()
    };
    let mean = moment(1);
    vec![Moment {
        variable: "z",
        element: 0,
        mean,
        sd: (moment(2) - mean * mean).sqrt(),
    }]
}

/// Smoothing moments of a state-space model, as the elements of `x` (and of `first`, if the model has it).
fn smoothed(entry: &Value) -> Vec<Moment> {
    let [mean, sd] = ["smoother_mean", "smoother_sd"]
        .map(|key| serde_json::from_value::<Vec<Vec<f64>>>(entry[key].clone()).expect("a matrix"));
    let states = mean[0].len();
    let mut moments = Vec::new();
    for (t, (means, sds)) in mean.iter().zip(&sd).enumerate() {
        for k in 0..states {
            let (variable, element) = match (states, t) {
                (1, _) => ("x", t),
                (_, 0) => ("first", k),
                _ => ("x", (t - 1) * states + k),
            };
            moments.push(Moment {
                variable,
                element,
                mean: means[k],
                sd: sds[k],
            });
        }
    }
    moments
}

fn vector(posterior: &Value, variable: &'static str) -> Vec<Moment> {
    let [mean, sd] = ["mean", "sd"]
        .map(|key| serde_json::from_value::<Vec<f64>>(posterior[key].clone()).expect("a vector"));
    let pairs = mean.into_iter().zip(sd).enumerate();
    pairs
        .map(|(element, (mean, sd))| Moment {
            variable,
            element,
            mean,
            sd,
        })
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// A problem's data by name.
struct Data(Value);

impl Data {
    fn f(&self, name: &str) -> f64 {
        self.0[name].as_f64().expect("a number")
    }
    fn u(&self, name: &str) -> u64 {
        self.0[name].as_u64().expect("a whole number")
    }
    fn v(&self, name: &str) -> Vec<f64> {
        serde_json::from_value(self.0[name].clone()).expect("a vector")
    }
    fn counts(&self, name: &str) -> Vec<u64> {
        serde_json::from_value(self.0[name].clone()).expect("counts")
    }
    fn states(&self, name: &str) -> Vec<usize> {
        serde_json::from_value(self.0[name].clone()).expect("states")
    }
    fn m(&self, name: &str) -> DMatrix<f64> {
        let rows: Vec<Vec<f64>> = serde_json::from_value(self.0[name].clone()).expect("a matrix");
        DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }
}
