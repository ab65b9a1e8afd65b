//! Published posteriors with reference moments: the posteriors of posteriordb and two random walks.

mod file;
#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod models;
mod score;

pub use file::{Moments, NAMES, Point, Problem};
pub use score::Score;

use crate::Visit;
use crate::any_model::run_visited;
use bayes::engine::Engine;
use bayes::{Error, Run};
use models::*;

impl Problem {
    /// Calls `visit` with the model.
    ///
    /// # Errors
    /// The error of `visit`.
    pub fn model(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        visit_model(self, visit)
    }

    /// Runs an engine on the model as it was published.
    ///
    /// # Errors
    /// The error of the engine.
    ///
    /// # Panics
    /// Never: a model was visited, or there is an error.
    pub fn solve_as_published(&self, engine: &dyn Engine) -> Result<Run, Error> {
        run_visited(engine, |visit| self.model(visit))
    }

    /// Runs an engine of particles.
    ///
    /// # Errors
    /// The error of the engine.
    ///
    /// # Panics
    /// Never: a model was visited, or there is an error.
    pub fn solve(&self, engine: &dyn Engine) -> Result<Run, Error> {
        run_visited(engine, |visit| self.model_for_particles(visit))
    }

    /// Calls `visit` with the model in the form for particles: for the random walk with unknown scales the form
    /// with independent steps, for the others the only form.
    ///
    /// # Errors
    /// The error of `visit`.
    pub fn model_for_particles(&self, visit: &mut Visit<'_>) -> Result<(), Error> {
        if self.name != "extra_brownian_unknown_scales" {
            return self.model(visit);
        }
        let (times, seen) = self.seen("observed_locs");
        visit(&brownian_by_steps(&times, &seen, self.number("T") as usize))
    }
}

/// The model of a file with its data.
fn visit_model(p: &Problem, visit: &mut Visit<'_>) -> Result<(), Error> {
    let y = || p.vector("y");
    match p.name {
        "arK-arK" => visit(&autoregression(&y())),
        "dogs-dogs" => {
            let (x, y) = p.trials_of_dogs();
            visit(&logistic(&x, &y))
        }
        "garch-garch11" => visit(&garch(&y(), p.number("sigma1"))),
        "gp_pois_regr-gp_regr" => visit(&gaussian_process(&p.vector("x"), &y())),
        "hmm_example-hmm_example" => visit(&hidden_markov(&y())),
        "low_dim_gauss_mix-low_dim_gauss_mix" => visit(&mixture(&y())),
        "eight_schools-eight_schools_centered" => visit(&schools_centred(&y(), &p.vector("sigma"))),
        "eight_schools-eight_schools_noncentered" => visit(&schools(&y(), &p.vector("sigma"))),
        "extra_brownian_known_scales" => {
            let (times, seen) = p.seen("observed_locs");
            let scales = ["innovation_noise_scale", "observation_noise_scale"].map(|s| p.number(s));
            visit(&brownian_known(
                &times,
                &seen,
                p.number("T") as usize,
                scales,
            ))
        }
        "extra_brownian_unknown_scales" => {
            let (times, seen) = p.seen("observed_locs");
            let steps = p.number("T") as usize;
            visit(&brownian(&times, &seen, steps))
        }
        "radon_mn-radon_hierarchical_intercept_noncentered" => {
            let (x, county) = p.homes();
            let counties = p.number("J") as usize;
            visit(&radon(&x, &county, counties, &p.vector("log_radon")))
        }
        "sblrc-blr" => visit(&regression(&p.matrix("X"), &y())),
        "wells_data-wells_dist" => {
            let distance = p.vector("dist");
            let x = Problem::design(distance.len(), [&|i| distance[i]]);
            visit(&flat_logistic(&x, &p.flags("switched")))
        }
        _ => regressions(p, visit),
    }
}

/// Linear regressions with flat coefficients.
fn regressions(p: &Problem, visit: &mut Visit<'_>) -> Result<(), Error> {
    let v = |field: &str| p.vector(field);
    match p.name {
        "kidiq-kidscore_momiq" => {
            let iq = v("mom_iq");
            let x = Problem::design(iq.len(), [&|i| iq[i]]);
            visit(&kidiq(&x, &v("kid_score")))
        }
        "earnings-logearn_height_male" => {
            let (height, male) = (v("height"), v("male"));
            let x = Problem::design(height.len(), [&|i| height[i], &|i| male[i]]);
            visit(&flat_regression(&x, &logs(&v("earn"))))
        }
        "mesquite-logmesquite_logvas" => {
            let [first, second, canopy, total, density, group] = [
                "diam1",
                "diam2",
                "canopy_height",
                "total_height",
                "density",
                "group",
            ]
            .map(v);
            let x = Problem::design(
                first.len(),
                [
                    &|i| (first[i] * second[i] * canopy[i]).ln(),
                    &|i| (first[i] * second[i]).ln(),
                    &|i| (first[i] / second[i]).ln(),
                    &|i| total[i].ln(),
                    &|i| density[i].ln(),
                    &|i| group[i],
                ],
            );
            visit(&flat_regression(&x, &logs(&v("weight"))))
        }
        _ => parties(p, visit),
    }
}

/// Party identification: seven predictors and three groups of age.
fn parties(p: &Problem, visit: &mut Visit<'_>) -> Result<(), Error> {
    let v = |field: &str| p.vector(field);
    let [ideology, race, age, education, gender, income] = [
        "real_ideo",
        "race_adj",
        "age_discrete",
        "educ1",
        "gender",
        "income",
    ]
    .map(v);
    let is = |i: usize, group: f64| f64::from(age[i] == group);
    let x = Problem::design(
        age.len(),
        [
            &|i| ideology[i],
            &|i| race[i],
            &|i| is(i, 2.0),
            &|i| is(i, 3.0),
            &|i| is(i, 4.0),
            &|i| education[i],
            &|i| gender[i],
            &|i| income[i],
        ],
    );
    visit(&flat_regression(&x, &v("partyid7")))
}

fn logs(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.ln()).collect()
}
