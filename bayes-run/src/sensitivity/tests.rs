//! Power scaling against ArviZ's values (`tests/data/diagnostics/sensitivity.py`) and against a closed form.
//!
//! Mutations seen: the distance in one direction only; values without weight that widen its range.

use super::power_scaling::{Terms, of_terms};
use super::*;
use crate::dist::{Exponential, Normal};
use crate::model::example::statement;
use crate::model::{Interpreter, Model, Statement, StatementKind};
use crate::run::example::{chains, normals};
use crate::run::{GroupKind, Independent, Origin, Run};
use bayes_autodiff::Mode;
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    /// `[chains, draws, 3]`.
    draws: Vec<Vec<[f64; 3]>>,
    log_prior: Vec<Vec<f64>>,
    log_likelihood: Vec<Vec<f64>>,
    prior_k: f64,
    likelihood_k: f64,
    slopes: Vec<[f64; 2]>,
    psense: Vec<[f64; 2]>,
    distance: f64,
}

fn fixture() -> Fixture {
    let text = include_str!("../../tests/data/diagnostics/sensitivity.json");
    serde_json::from_str(text).expect("the file is well formed")
}

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found / wanted - 1.0).abs() < tolerance,
        "{found}, wanted {wanted}"
    );
}

#[test]
fn sensitivities_agree_with_arviz() {
    let wanted = fixture();
    let mut run = chains(4, 100);
    for (chain, draws) in run.groups.iter_mut().zip(&wanted.draws) {
        chain.draws = draws.concat();
    }
    let terms = Terms {
        prior: wanted.log_prior,
        likelihood: wanted.log_likelihood,
    };
    let found = of_terms(&run, &terms);
    close(found.prior_k, wanted.prior_k, 1e-8);
    close(found.likelihood_k, wanted.likelihood_k, 1e-8);
    for (row, slopes) in found.rows.iter().zip(&wanted.slopes) {
        close(row.prior, slopes[0], 1e-8);
        close(row.likelihood, slopes[1], 1e-8);
    }
    // `psense` joins the chains end to end before it computes the effective size of the tails: with one long chain both agree
    let mut long = chains(1, 400);
    long.groups[0].draws = run.groups.iter().flat_map(|g| g.draws.clone()).collect();
    let laid = |term: &[Vec<f64>]| vec![term.concat()];
    let whole = of_terms(
        &long,
        &Terms {
            prior: laid(&terms.prior),
            likelihood: laid(&terms.likelihood),
        },
    );
    for (row, psense) in whole.rows.iter().zip(&wanted.psense) {
        close(row.prior, psense[0], 1e-8);
        close(row.likelihood, psense[1], 1e-8);
    }
    let diagnoses: Vec<Diagnosis> = found.rows.iter().map(SensitivityRow::diagnosis).collect();
    let conflict = Diagnosis::PriorDataConflict;
    assert_eq!(diagnoses, [conflict, conflict, Diagnosis::Fine]);
    let mu: Vec<f64> = run.column(0).concat();
    let weights: Vec<f64> = mu.iter().map(|x| x.exp()).collect();
    close(
        cjs_distance(&mu, &vec![1.0; mu.len()], &weights),
        wanted.distance,
        1e-10,
    );
}

/// A run whose draws of `mu` are exact for the prior N(0, 1) and the likelihood N(`data`, `sd`), with its terms.
fn conjugate(data: f64, sd: f64) -> (Run, Terms) {
    let (precision, mut run) = (1.0 + sd.powi(-2), chains(4, 2000));
    let mean = data * sd.powi(-2) / precision;
    for (c, chain) in run.groups.iter_mut().enumerate() {
        let exact = normals(5000 + c as u64, 2000);
        for (draw, z) in chain.draws.chunks_exact_mut(3).zip(exact) {
            draw[0] = mean + z / precision.sqrt();
        }
    }
    let of = |term: &dyn Fn(f64) -> f64| {
        let column = run.column(0);
        column
            .iter()
            .map(|chain| chain.iter().map(|x| term(*x)).collect())
            .collect()
    };
    let terms = Terms {
        prior: of(&|x| -0.5 * x * x),
        likelihood: of(&|x| -0.5 * ((x - data) / sd).powi(2)),
    };
    (run, terms)
}

// With the prior to the power a, the posterior is N(d/s² / (a + 1/s²), 1 / (a + 1/s²)): for d = 3 and s = 1 its mean moves by
// -0.75 for each unit of ln a, or -0.52 for each doubling, that is by 0.74 posterior standard deviations.
#[test]
fn the_diagnosis_follows_the_data() {
    let diagnosis = |data, sd| {
        let (run, terms) = conjugate(data, sd);
        let found = of_terms(&run, &terms);
        assert_eq!(found.warnings(), [""; 0]);
        // a quantity that is not in the terms does not move, except for the noise of 8000 draws
        assert!(
            found.rows[1].prior < 0.03 && found.rows[1].likelihood < 0.03,
            "{found}"
        );
        found.rows[0].diagnosis()
    };
    assert_eq!(diagnosis(3.0, 1.0), Diagnosis::PriorDataConflict);
    assert_eq!(diagnosis(1.0, 10.0), Diagnosis::StrongPrior);
    assert_eq!(diagnosis(1.0, 0.05), Diagnosis::Fine);
}

#[test]
fn draws_keep_their_weights() {
    let (mut run, mut terms) = conjugate(3.0, 1.0);
    let wanted = of_terms(&run, &terms);
    // draws of ten times the weight, a tenth as many in every chain, and draws without weight
    for (group, (prior, likelihood)) in run
        .groups
        .iter_mut()
        .zip(terms.prior.iter_mut().zip(&mut terms.likelihood))
    {
        group.draws.extend([100.0; 3].repeat(500));
        let log_weights = [vec![0.0; 2000], vec![f64::NEG_INFINITY; 500]].concat();
        group.origin = Origin::Independent(Independent {
            log_weights,
            ..Independent::default()
        });
        prior.extend([-9.0; 500]);
        likelihood.extend([-9.0; 500]);
    }
    run.kind = GroupKind::Independent;
    let found = of_terms(&run, &terms);
    close(found.rows[0].prior, wanted.rows[0].prior, 0.02);
    close(found.rows[0].likelihood, wanted.rows[0].likelihood, 0.02);
}

#[test]
fn a_term_that_does_not_vary_has_no_sensitivity_and_no_warning() {
    let (run, mut terms) = conjugate(3.0, 1.0);
    terms.prior.iter_mut().for_each(|chain| chain.fill(-2.0));
    let found = of_terms(&run, &terms);
    assert!(found.rows[0].prior == 0.0 && found.prior_k.is_nan());
    assert_eq!(found.warnings(), [""; 0]);
}

#[test]
fn the_distance_of_values_that_do_not_vary_is_unknown() {
    assert!(cjs_distance(&[2.0; 3], &[1.0; 3], &[1.0, 2.0, 3.0]).is_nan());
    assert!(cjs_distance(&[2.0, f64::INFINITY], &[1.0; 2], &[1.0; 2]).is_nan());
    assert_eq!(cjs_distance(&[1.0, 2.0], &[1.0; 2], &[3.0; 2]), 0.0);
    // all weight at one end and at the other
    assert!((cjs_distance(&[0.0, 1.0], &[1.0, 0.0], &[0.0, 1.0]) - 1.0).abs() < 1e-12);
}

#[test]
fn the_table_says_what_was_scaled_and_what_is_wrong() {
    let row = |name: &str, prior, likelihood| SensitivityRow {
        name: name.to_owned(),
        prior,
        likelihood,
    };
    let found = Sensitivity {
        rows: vec![
            row("mu", 0.2, 0.3),
            row("tau", 0.06, 0.01),
            row("x", f64::NAN, f64::NAN),
        ],
        priors: vec!["mu".to_owned(), "tau".to_owned()],
        left_out: vec!["theta".to_owned()],
        prior_k: 0.9,
        likelihood_k: 0.1,
        good_k: 0.7,
    };
    let wanted = "\
sensitivity to power scaling of the prior of mu, tau and of the likelihood; sensitive from 0.05 on
     prior  likelihood                         diagnosis
mu   0.200       0.300              prior-data conflict?
tau  0.060       0.010  strong prior or weak likelihood?
x        -           -                                 -
not scaled, because it depends on other random quantities: theta
warning: k-hat is 0.90 for the prior, above 0.70: the draws say little about a posterior with another power of it. Use more draws
";
    assert_eq!(found.to_string(), wanted);
    assert_eq!(found.row("tau"), Some(&found.rows[1]));
}

/// `mu ~ Exponential(1)`, `beta[j] ~ Normal(mu, 2)` for two `j`, `y ~ Normal(beta[0], 1)`.
struct Hierarchy([f64; 1]);

impl Model for Hierarchy {
    fn name(&self) -> &'static str {
        "hierarchy"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const ALL: [Statement; 3] = [
            statement(StatementKind::Sample, "mu"),
            statement(StatementKind::Sample, "beta"),
            statement(StatementKind::Observe, "y"),
        ];
        &ALL
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let mu = interpreter.at(0).sample(Exponential::new(1.0));
        let beta = interpreter.at(1).sample(Normal::new(mu, 2.0).iid(2));
        let y = Normal::new(beta[0], 1.0);
        interpreter.at(2).observe_under(y, self.0);
    }
}

fn positive_mu() -> Run {
    let mut run = chains(4, 200);
    for chain in &mut run.groups {
        chain
            .draws
            .iter_mut()
            .step_by(3)
            .for_each(|mu| *mu = mu.abs() + 0.01);
        // those of `Hierarchy([1.5])`
        let betas = chain.draws.chunks_exact(3).map(|draw| draw[1]);
        let term = |beta: f64| -0.5 * ((1.5 - beta).powi(2) + std::f64::consts::TAU.ln());
        chain.log_likelihood = betas.map(term).collect();
    }
    run
}

#[test]
fn priors_within_a_hierarchy_are_not_scaled_unless_named() {
    let (run, model) = (positive_mu(), Hierarchy([1.5]));
    let of = |term: &dyn Fn(&[f64]) -> f64| run.map_draws(|draw| term(draw.values()));
    let likelihood = of(&|x| -0.5 * (1.5 - x[1]).powi(2));
    // constants do not matter, and Jacobians are not part of a prior
    let top = Terms {
        prior: of(&|x| -x[0]),
        likelihood: likelihood.clone(),
    };
    let within = Terms {
        prior: of(&|x| -0.125 * ((x[1] - x[0]).powi(2) + (x[2] - x[0]).powi(2))),
        likelihood,
    };
    let found = run
        .sensitivity(&model)
        .expect("the model is that of the run");
    assert_eq!(
        (&found.priors[..], &found.left_out[..]),
        (&["mu".to_owned()][..], &["beta".to_owned()][..])
    );
    let named = run
        .sensitivity_to(&model, ["beta"])
        .expect("beta is random");
    assert!(named.left_out.is_empty());
    for (found, terms) in [(found, top), (named, within)] {
        for (row, wanted) in found.rows.iter().zip(of_terms(&run, &terms).rows) {
            close(row.prior, wanted.prior, 1e-8);
            close(row.likelihood, wanted.likelihood, 1e-8);
        }
    }
}

#[test]
fn names_and_models_that_do_not_fit_are_refused() {
    let (run, model) = (positive_mu(), Hierarchy([1.5]));
    assert_eq!(
        run.sensitivity_to(&model, ["y"])
            .expect_err("y is observed")
            .to_string(),
        "no quantity is called `y`; the model has `mu`, `beta`"
    );
    // seen to detect: the likelihood of other data scaled
    let error = run
        .sensitivity(&Hierarchy([2.5]))
        .expect_err("the run has other data")
        .to_string();
    assert!(
        error.contains("it is not the model of the run with the data of the run"),
        "{error}"
    );
    // seen to detect: a Bayes factor between evidences of other data
    let error = run
        .evidence_sensitivity(&model, [("other", Hierarchy([2.5]))])
        .expect_err("another model of other data")
        .to_string();
    assert!(error.contains("`other` observe different data"), "{error}");
    let mut other = run.clone();
    other.layout.variables[1].name = "gamma".to_owned();
    assert_eq!(
        other.sensitivity(&model).expect_err("no gamma").to_string(),
        "the values do not fit the model `hierarchy`: the model has no quantity `gamma`; it has `mu`, `beta`"
    );
}
