//! Data annealing: the likelihood comes in batches of rows, and the evidence and the posterior equal the ones of all rows.
//!
//! Tried mutations: with states that keep the densities of the previous batch, or with a leg that starts at the prior alone, the
//! evidence is wrong by 2 and by 0.4. With the gradient of the new rows alone the derivatives are wrong. Without the evaluation at
//! the end the draws have other densities than in the model.

use crate::common::NormalMean;
use bayes_autodiff::Mode;
use bayes_core::density::{Batches, LogDensity, Particles, Posterior};
use bayes_core::engine::{Inference, Schedule, Smc};
use bayes_core::kernel::{Hmc, RandomWalk};
use bayes_core::model::rows::{RowCount, Rows};
use bayes_core::model::{
    AllSampled, DataArgument, Differentiable, GaussianReference, Interpreter, Model, Statement,
};
use bayes_core::run::Run;

/// [`NormalMean`] with an observation in each row.
struct Measured(NormalMean);

impl Model for Measured {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn file(&self) -> &'static str {
        self.0.file()
    }
    fn statements(&self) -> &'static [Statement] {
        self.0.statements()
    }
    fn data(&self) -> Vec<DataArgument> {
        self.0.data()
    }
    fn row_counts(&self) -> Vec<RowCount> {
        let rows = self.0.y.len();
        let name = "y".to_owned();
        vec![RowCount { name, rows }]
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        self.0.program(interpreter);
    }
}
impl AllSampled for Measured {}
impl Differentiable for Measured {}
impl GaussianReference for Measured {}

impl Rows for Measured {
    type Data = NormalMean;

    fn gather(&self, rows: &[usize]) -> NormalMean {
        let y = rows.iter().map(|row| self.0.y[*row]).collect();
        NormalMean { y }
    }

    fn program_of<M: Mode, I: Interpreter<M>>(&self, data: &NormalMean, interpreter: &mut I) {
        data.program(interpreter);
    }
}

fn measured() -> Measured {
    Measured(NormalMean::reference())
}

/// Asserts that evidence and mean are right within 4 standard errors, and that the error is small.
fn check(run: &Run) {
    let found = run.log_evidence_estimate().expect("SMC has evidence");
    let error = found.mean - NormalMean::LOG_EVIDENCE;
    assert!(error.abs() < 4.0 * found.se, "{error} ± {}", found.se);
    assert!(found.se < 0.05, "{}", found.se);
    let mean = run.estimate(|draw| draw.scalar("mu"));
    let error = mean.mean - NormalMean::MEAN;
    assert!(error.abs() < 4.0 * mean.se, "{error} ± {}", mean.se);
    let sd = run.sd("mu").expect("it is a quantity")[0];
    assert!((sd / NormalMean::SD - 1.0).abs() < 0.05, "{sd}");
}

#[test]
fn batches_lead_to_the_posterior_of_all_rows() {
    let psmc = || Inference::psmc().seed(3).progress(false);
    for batches in [1, 3, 10] {
        check(
            &psmc()
                .run_in_batches(&measured(), batches)
                .expect("it has rows"),
        );
    }
    let walk = psmc().kernel(RandomWalk::new());
    check(&walk.run_in_batches(&measured(), 4).expect("it has rows"));
    // all the rows of a batch at once
    let at_once = psmc().schedule(Schedule::fixed([1.0]));
    let run = at_once.run_in_batches(&measured(), 10);
    let run = run.expect("it has rows");
    check(&run);
    let path: Vec<f64> = run.groups[0].history().iter().map(|s| s.lambda).collect();
    let tenths: Vec<f64> = (1..=10).map(|batch| f64::from(batch) / 10.0).collect();
    assert_eq!(path, tenths);
    assert_eq!(run.settings["batches"], "10");
}

#[test]
fn draws_have_the_densities_of_the_whole_model() {
    let run = Inference::smc().particles(64).progress(false);
    let run = run.run_in_batches(&measured(), 4).expect("it has rows");
    let group = &run.groups[0];
    let mut particles = Particles::new(group.log_prior.len(), 1);
    particles.positions.clone_from(&group.positions);
    let model = measured();
    let whole = Posterior::new(&model, 0).expect("the model is valid");
    whole.evaluate(&mut particles.block());
    assert_eq!(particles.log_prior, group.log_prior);
    assert_eq!(particles.log_likelihood, group.log_likelihood);
}

#[test]
fn a_leg_starts_where_the_one_before_it_ends() {
    let model = measured();
    let whole = Posterior::new(&model, 0).expect("the model is valid");
    let batches = Batches::new(&model, whole, 3).expect("it has rows");
    let at = |density: &dyn LogDensity, x: f64, weights: [f64; 2]| {
        let mut particle = Particles::new(1, 1);
        particle.positions[0] = x;
        density.evaluate_gradient(weights, &mut particle.block());
        let [prior, likelihood] = [particle.log_prior[0], particle.log_likelihood[0]];
        (prior, prior + likelihood, particle.gradient[0])
    };
    let legs = batches.legs();
    assert_eq!(legs.len(), 3);
    for x in [-0.7, 0.2, 1.9] {
        for pair in legs.windows(2) {
            let (end, start) = (at(&*pair[0], x, [1.0; 2]).1, at(&*pair[1], x, [1.0; 2]).0);
            assert!((end - start).abs() < 1e-12, "{end} and {start}");
        }
        let (end, posterior) = (at(&*legs[2], x, [1.0; 2]), at(&batches, x, [1.0; 2]));
        assert!((end.1 - posterior.1).abs() < 1e-12);
        for weights in [[1.0, 0.0], [1.0, 0.3], [1.0, 1.0]] {
            let value = |x: f64| {
                let (prior, both, _) = at(&*legs[1], x, weights);
                prior + weights[1] * (both - prior)
            };
            let slope = (value(x + 1e-5) - value(x - 1e-5)) / 2e-5;
            let found = at(&*legs[1], x, weights).2;
            assert!((slope - found).abs() < 1e-6, "{slope} and {found}");
        }
    }
}

/// The mean of the islands' evidence divided by the exact evidence, minus 1, in standard errors.
fn deviation(run: &Run) -> f64 {
    let evidence = run.groups.iter().filter_map(|island| island.log_evidence());
    let ratios: Vec<f64> = evidence
        .map(|z| (z - NormalMean::LOG_EVIDENCE).exp())
        .collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean - 1.0) / (variance / n).sqrt()
}

#[test]
fn with_a_pilot_the_evidence_is_unbiased() {
    let slow = |smc: Smc<Hmc>| {
        smc.kernel(RandomWalk::new().step_size(0.3))
            .seed(3)
            .progress(false)
    };
    let psmc = slow(Inference::psmc().islands(2000).particles(32));
    let psmc = psmc.mutations(4).ess_target(0.5).pilot(256);
    let ais = slow(Inference::ais().islands(400).particles(32));
    for engine in [psmc, ais] {
        let run = engine.run_in_batches(&measured(), 3).expect("it has rows");
        assert!(run.is_evidence_unbiased());
        let z = deviation(&run);
        assert!(z.abs() < 3.0, "{}: {z} standard errors", run.engine);
    }
}

#[test]
fn an_island_between_two_batches_can_be_saved() {
    let model = measured();
    let whole = Posterior::new(&model, 0).expect("the model is valid");
    let batches = Batches::new(&model, whole, 5).expect("it has rows");
    let smc = Inference::smc()
        .particles(32)
        .schedule(Schedule::fixed([1.0]));
    let sampler = smc.sampler(&batches).expect("the settings are valid");
    let mut island = sampler.start(0).expect("it has a prior");
    (0..2).for_each(|_| sampler.advance(&mut island));
    let text = serde_json::to_string(&island).expect("islands are JSON");
    let read = serde_json::from_str(&text).expect("and back");
    let mut again = sampler.restore(read).expect("it is the same sampler");
    while !island.is_done() {
        sampler.advance(&mut island);
        sampler.advance(&mut again);
    }
    assert_eq!(island.history.len(), 5);
    assert_eq!(island.particles, again.particles);
}

#[test]
fn batches_that_cannot_be_are_refused() {
    let refusal = |batches| {
        let refused = Inference::smc().run_in_batches(&measured(), batches);
        refused.expect_err("there are 10 rows").to_string()
    };
    assert_eq!(
        refusal(0),
        "setting `batches` is 0, must be from 1 to the number of rows, 10"
    );
    assert_eq!(
        refusal(11),
        "setting `batches` is 11, must be from 1 to the number of rows, 10"
    );
}
