//! Every sketch in use, against exact answers.

use super::ais::Ais;
use super::anchored::Anchored;
use super::by_hand::Sum;
use super::fixed::Fixed;
use super::pointwise::pointwise;
use super::{Y, assert_near, conjugate, mean};
use bayes::density::{Posterior, Subposterior};
use bayes::engine::{Common, Engine, Path};
use bayes::prelude::*;

#[test]
fn annealed_importance_sampling_is_an_engine_of_sixty_lines() {
    let mut engine: Box<dyn Engine> = Box::new(Ais(Common::new("ais"), 100));
    engine.common_mut().seed = 2;
    let run = engine.run(&mean(&Y)).unwrap();
    let [mean, _, log_evidence] = conjugate(&Y, 0.0, 10.0);
    let found = run.mean_estimates("mu").unwrap()[0];
    assert_near(found.mean, found.se, mean, 0.05);
    assert!((run.log_evidence().unwrap() - log_evidence).abs() < 0.3);
}

#[test]
fn an_anchored_posterior_runs_under_every_kind_of_engine() {
    let model = mean(&Y);
    let posterior = Posterior::new(&model, 1).unwrap();
    let anchored = Anchored {
        inner: &posterior,
        centre: vec![2.0],
        sd: 0.5,
    };
    let [mean, _, log_evidence] = conjugate(&Y, 2.0, 0.5);
    let nuts = Inference::nuts()
        .seed(1)
        .progress(false)
        .run_on(&anchored)
        .unwrap();
    let smc = Inference::psmc()
        .seed(1)
        .progress(false)
        .run_on(&anchored)
        .unwrap();
    for run in [&nuts, &smc] {
        let found = run.mean_estimates("mu").unwrap()[0];
        assert_near(found.mean, found.se, mean, 0.02);
    }
    assert_near(
        smc.log_evidence().unwrap(),
        smc.log_evidence_se().unwrap(),
        log_evidence,
        0.05,
    );
}

#[test]
fn a_density_by_hand_runs_in_three_lines() {
    let nuts = Inference::nuts()
        .seed(1)
        .progress(false)
        .run_on(&Sum)
        .unwrap();
    let smc = Inference::psmc()
        .seed(1)
        .progress(false)
        .run_on(&Sum)
        .unwrap();
    // the sum has variance 2 under the prior, and 2 + 0.25 with the noise
    for run in [&nuts, &smc] {
        let found = run.estimate(|draw| draw.vector("x")[0] + draw.vector("x")[1]);
        assert_near(found.mean, found.se, 3.0 * 2.0 / 2.25, 0.03);
    }
    let exact = -0.5 * (9.0 / 2.25 + (std::f64::consts::TAU * 2.25).ln());
    assert_near(
        smc.log_evidence().unwrap(),
        smc.log_evidence_se().unwrap(),
        exact,
        0.05,
    );
    let refused = Inference::pcn().progress(false).run_on(&Sum);
    assert!(refused.is_ok(), "pCN fits its reference to prior draws");
}

#[model]
fn spread(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 10.0));
    let sigma = sample(LogNormal::new(0.0, 1.0));
    observe(y, Normal::new(mu, sigma));
}

#[test]
fn with_one_coordinate_fixed_the_others_have_their_conditional_posterior() {
    let model = spread(&Y);
    let posterior = Posterior::new(&model, 1).unwrap();
    let fixed = Fixed {
        inner: &posterior,
        values: vec![None, Some(0.0)],
    };
    let run = Inference::nuts()
        .seed(1)
        .progress(false)
        .run_on(&fixed)
        .unwrap();
    let found = run.mean_estimates("mu").unwrap()[0];
    assert_near(found.mean, found.se, conjugate(&Y, 0.0, 10.0)[0], 0.02);
    assert_eq!(run.quantile("sigma", 0.9).unwrap(), [1.0]);
}

#[test]
fn subposteriors_of_a_gaussian_are_right_and_their_product_is_the_posterior() {
    const K: usize = 4;
    let (model, power) = (mean(&Y), 1.0 / K as f64);
    let rows: Vec<usize> = (0..Y.len()).collect();
    let chunks = rows.chunks(Y.len() / K);
    let subsets: Vec<_> = chunks.map(|rows| model.subset(rows).unwrap()).collect();
    let parts = Subposterior::of_parts(&subsets).unwrap();
    // moments of the product of Gaussians, from the means and variances by NUTS
    let [mut precision, mut weighted, mut variance] = [0.0; 3];
    for ((part, subset), rows) in parts.iter().zip(&subsets).zip(rows.chunks(Y.len() / K)) {
        let nuts = Inference::nuts().seed(1).progress(false);
        let nuts = nuts.run_on(part).unwrap();
        let psmc = || Inference::psmc().seed(1).progress(false);
        let smc = psmc().run_on(part).unwrap();
        let path = psmc().path(Path::to_prior_power(power));
        let by_path = path.run(subset).unwrap();
        assert_ne!(
            smc.fingerprint,
            format!("{:016x}", bayes::model::fingerprint(&model))
        );
        assert_ne!(smc.fingerprint, by_path.fingerprint);
        let y: Vec<f64> = rows.iter().map(|row| Y[*row]).collect();
        let [mean, sd, log_evidence] = conjugate(&y, 0.0, 10.0 / power.sqrt());
        for run in [&nuts, &smc, &by_path] {
            let found = run.mean_estimates("mu").unwrap()[0];
            assert_near(found.mean, found.se, mean, 0.05);
            let found = run.sd_estimates("mu").unwrap()[0];
            assert_near(found.mean, found.se, sd, 0.05);
        }
        // N(0, 100)^(1/K) is not normalised
        let log_mass = |variance: f64| 0.5 * (std::f64::consts::TAU * variance).ln();
        let exact = log_evidence + log_mass(100.0 / power) - power * log_mass(100.0);
        for run in [&smc, &by_path] {
            let (found, se) = (run.log_evidence(), run.log_evidence_se());
            assert_near(found.unwrap(), se.unwrap(), exact, 0.1);
        }
        let (found, sd) = (
            nuts.mean_estimates("mu").unwrap()[0],
            nuts.sd("mu").unwrap()[0],
        );
        (precision, weighted) = (precision + sd.powi(-2), weighted + found.mean * sd.powi(-2));
        variance += (found.se * sd.powi(-2)).powi(2);
    }
    let [mean, sd, _] = conjugate(&Y, 0.0, 10.0);
    assert_near(
        weighted / precision,
        variance.sqrt() / precision,
        mean,
        0.05,
    );
    assert!((precision.powf(-0.5) / sd - 1.0).abs() < 0.1);
}

fn text(run: &Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    run.to_json(&mut bytes).expect("memory takes all");
    bytes
}

#[test]
fn islands_of_two_processes_are_the_bytes_of_one_run() {
    let psmc = || Inference::psmc().particles(64).seed(3).progress(false);
    let model = mean(&Y);
    let whole = psmc().islands(8).run(&model).unwrap();
    let first = psmc().islands(4).run(&model).unwrap();
    let second = psmc().island_range(4..8).run(&model).unwrap();
    // through files, as between processes
    let read = |run: &Run| Run::from_json(std::str::from_utf8(&text(run)).unwrap()).unwrap();
    let merged = Run::merge([read(&second), read(&first)]).unwrap();
    assert!(text(&merged) == text(&whole), "the merged run differs");
    assert_eq!(merged.log_evidence(), whole.log_evidence());
    let other = psmc().island_range(4..8).run(&mean(&Y[1..])).unwrap();
    let error = Run::merge([first, other]).unwrap_err().to_string();
    assert_eq!(
        error,
        "the runs cannot be merged: run 1 and run 0 differ in their data"
    );
}

/// An island that is stopped, written to a file and read back continues with the same bits.
#[test]
fn an_island_survives_a_file() {
    let psmc = Inference::psmc().particles(64).seed(3).progress(false);
    let model = mean(&Y);
    let posterior = bayes::density::Posterior::new(&model, 3).unwrap();
    let sampler = psmc.sampler(&posterior).unwrap();
    let mut island = sampler.start(2).unwrap();
    sampler.advance(&mut island);
    let saved = serde_json::to_string(&island).unwrap();
    let mut restored = sampler
        .restore(serde_json::from_str(&saved).unwrap())
        .unwrap();
    while !island.is_done() {
        sampler.advance(&mut island);
        sampler.advance(&mut restored);
    }
    assert!(serde_json::to_string(&island).unwrap() == serde_json::to_string(&restored).unwrap());
    let refused = |engine: bayes::engine::Smc<Hmc>| {
        let island = serde_json::from_str(&saved).unwrap();
        let refused = engine.sampler(&posterior).unwrap().restore(island);
        refused.unwrap_err().to_string()
    };
    assert_eq!(
        refused(Inference::psmc().particles(64).seed(4)),
        "this is not an island of this sampler: its `seed` is 3, expected 4"
    );
    let other = refused(Inference::psmc().particles(64).seed(3).ess_target(0.5));
    assert!(other.contains("its `schedule` is Adaptive"), "{other}");
}

#[test]
fn a_saved_run_gives_the_log_likelihood_of_every_observation() {
    let model = mean(&Y);
    let run = Inference::nuts()
        .draws(50)
        .seed(1)
        .progress(false)
        .run(&model)
        .unwrap();
    let run = Run::from_json(std::str::from_utf8(&text(&run)).unwrap()).unwrap();
    let terms = pointwise(&model, &run);
    let kept = run.groups.iter().flat_map(|group| &group.log_likelihood);
    let values = run.draws("mu").unwrap().values;
    assert_eq!((terms.len(), terms[0].len()), (200, Y.len()));
    for ((terms, kept), mu) in terms.iter().zip(kept).zip(values) {
        assert!((terms.iter().sum::<f64>() - kept).abs() < 1e-12);
        let third = -0.5 * (Y[3] - mu).powi(2) - 0.5 * std::f64::consts::TAU.ln();
        assert!((terms[3] - third).abs() < 1e-12, "{} and {third}", terms[3]);
    }
}

#[test]
fn an_engine_by_name_gives_the_bits_of_its_builder() {
    let model = mean(&Y);
    let mut named = Inference::by_name("psmc", Some("pcn")).unwrap();
    (named.common_mut().seed, named.common_mut().progress) = (4, false);
    let built = Inference::psmc().kernel(Pcn::new()).seed(4).progress(false);
    let (named, built) = (named.run(&model).unwrap(), built.run(&model).unwrap());
    assert_eq!(named.record(), built.record());
    let refused = |engine, kernel| Inference::by_name(engine, kernel).unwrap_err().to_string();
    let kernels: Vec<&str> = bayes::kernel::names().collect();
    let kernels = kernels.join(", ");
    let names =
        format!("smc, psmc, ais, tempering, nested, {kernels}, mean_field, full_rank, pathfinder");
    assert_eq!(
        refused("gibbs", None),
        format!("setting `engine` is gibbs, must be one of {names}")
    );
    assert!(
        refused("psmc", Some("gibbs")).starts_with("setting `kernel` is gibbs, must be one of ")
    );
    assert_eq!(
        refused("nuts", Some("hmc")),
        "setting `kernel` is hmc, must be nuts: the chains of a kernel have no other"
    );
    for name in bayes::kernel::names() {
        assert_eq!(Inference::by_name(name, None).unwrap().name(), name);
    }
}

/// A count, which gradient kernels cannot move.
#[model]
fn count(y: f64) {
    let k = sample(Poisson::new(3.0));
    observe(y, Normal::new(k, 1.0));
}

#[test]
fn what_builders_refuse_at_compile_time_is_an_error_at_run_time() {
    let error = |engine: &str, kernel: Option<&str>| {
        let engine = Inference::by_name(engine, kernel).unwrap();
        engine.run(&count(5.0)).unwrap_err().to_string()
    };
    assert_eq!(
        error("nuts", None),
        "setting `kernel` is nuts, must be `random_walk` for `count`, which has discrete random values"
    );
    assert!(
        error("psmc", Some("nuts")).contains("NUTS is for chains"),
        "{}",
        error("psmc", Some("nuts"))
    );
    let mut walk = Inference::by_name("psmc", Some("random_walk")).unwrap();
    walk.common_mut().progress = false;
    assert!(walk.run(&count(5.0)).is_ok());
}

/// `s` is uniform from `mu` to 1: for `mu` above 1, at 0.6% of all draws, the prior density is NaN.
#[model]
fn empty_interval(y: f64) {
    let mu = sample(Normal::new(-1.5, 1.0));
    let s = sample(Uniform::new(mu, 1.0));
    observe(y, Normal::new(s, 1.0));
}

#[test]
fn particles_outside_the_prior_have_no_weight() {
    let model = empty_interval(0.3);
    let run = Inference::psmc().seed(1).progress(false).run(&model);
    let run = run.expect("fewer than a twentieth of the draws are outside");
    let (mu, s) = (
        run.draws("mu").unwrap().values,
        run.draws("s").unwrap().values,
    );
    assert!(
        mu.iter().all(|mu| *mu < 1.0) && s.iter().all(|s| s.is_finite()),
        "{run}"
    );
}
