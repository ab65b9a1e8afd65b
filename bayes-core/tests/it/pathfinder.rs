//! Pathfinder on densities written by hand.
//!
//! Mutations meant to be detected: weights by the density of one path alone, a failed path that is not counted, an order of paths that
//! depends on threads, a limit of iterates that is not kept, and an evidence without a normalised prior.

use crate::common::HiddenCount;
use crate::common::targets::{
    Banana, Funnel, HeavyTails, NonCentredFunnel, Ridge, SharpBanana, TwoModes,
};
use crate::common::threads::assert_same_bytes;
use bayes_core::Error;
use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Common, Inference, Pathfinder, Shard, Starts};
use bayes_core::kernel::RandomWalk;
use bayes_core::model::{AllSampled, Differentiable, Model};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::{DrawView, PathFailure, PathfinderPath, Run};
use serde_json::to_string;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn pathfinder() -> Pathfinder {
    Inference::pathfinder().seed(1).progress(false)
}

fn paths(run: &Run) -> Vec<&PathfinderPath> {
    run.pathfinder_paths()
}

/// A Gaussian with this standard deviation around 2 in every coordinate, times `exp(-1)`, without its constant.
struct Sphere {
    dim: usize,
    sd: f64,
}

impl Sphere {
    fn log_evidence(&self) -> f64 {
        self.dim as f64 * (self.sd * std::f64::consts::TAU.sqrt()).ln() - 1.0
    }
}

impl LogDensity for Sphere {
    fn dim(&self) -> usize {
        self.dim
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let square = |x: &f64| ((x - 2.0) / self.sd).powi(2);
        block.fill(|x| [0.0, -1.0 - 0.5 * x.iter().map(square).sum::<f64>()]);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        let slope = |x: &f64| -weights[1] * (x - 2.0) / self.sd.powi(2);
        let slopes: Vec<f64> = block.positions.iter().map(slope).collect();
        block.gradient.copy_from_slice(&slopes);
    }
}

/// One step of an optimiser shows the curvature of a number. Then every ratio is the evidence.
#[test]
fn a_gaussian_number_is_known_exactly() -> Result<(), Error> {
    for sd in [1e-3, 0.4, 30.0] {
        let target = Sphere { dim: 1, sd };
        let run = pathfinder().draws(100).run_on(&target)?;
        let wanted = target.log_evidence();
        let elbo = run.elbo().expect("it is an approximation");
        assert!(
            (elbo.mean - wanted).abs() < 1e-9 && elbo.se < 1e-9,
            "{elbo}"
        );
        for path in paths(&run) {
            // the draws of the path itself
            assert!((path.elbo - wanted).abs() < 1e-9, "{path:?}");
        }
        let evidence = run.log_evidence().expect("it is weighted");
        assert!((evidence - wanted).abs() < 1e-9);
        assert_eq!(run.importance().map(|found| found.pareto_k), Some(0.0));
        assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    }
    Ok(())
}

#[test]
fn weights_correct_a_gaussian_of_several_coordinates() -> Result<(), Error> {
    let target = Sphere { dim: 5, sd: 0.3 };
    let run = pathfinder().draws(4000).run_on(&target)?;
    let found = run.importance().expect("it is an approximation").pareto_k;
    assert!(found < 0.7, "{found}");
    let evidence = run.log_evidence_estimate().expect("it is weighted");
    let error = evidence.mean - target.log_evidence();
    assert!(error.abs() < 4.0 * evidence.se.max(1e-9), "{evidence}");
    for estimate in run.mean_estimates("x")? {
        assert!(
            (estimate.mean - 2.0).abs() < 4.0 * estimate.se,
            "{estimate}"
        );
    }
    Ok(())
}

/// A Gaussian whose prior is flat.
struct OfFlatPrior(Sphere);

impl LogDensity for OfFlatPrior {
    fn dim(&self) -> usize {
        self.0.dim
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        self.0.evaluate(block);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.0.evaluate_gradient(weights, block);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for OfFlatPrior {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position.fill_with(|| stream.random_range(-2.0..2.0));
    }

    fn require_proper(&self, _: &'static str) -> Result<(), Error> {
        Err(Error::NoPrior {
            density: "Sphere".to_owned(),
            needed_for: "an evidence",
        })
    }
}

#[test]
fn a_flat_prior_gives_weights_but_no_evidence() -> Result<(), Error> {
    let run = pathfinder().run_on(&OfFlatPrior(Sphere { dim: 2, sd: 0.3 }))?;
    assert_eq!(run.log_evidence(), None);
    assert!(run.log_evidence_estimate().is_none());
    let text = run.to_string();
    assert!(!text.contains("log evidence "), "{text}");
    for estimate in run.mean_estimates("x")? {
        let error = (estimate.mean - 2.0).abs();
        assert!(error < 4.0 * estimate.se, "{estimate}");
    }
    Ok(())
}

/// Two normal modes. The narrow one at 0 has three quarters of the mass, the wide one at 1.8 most of the starts.
struct Modes;

impl LogDensity for Modes {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let log = |mass: f64, mode: f64, sd: f64| {
                (mass / sd).ln() - 0.5 * ((x[0] - mode) / sd).powi(2)
            };
            let (a, b) = (log(0.75, 0.0, 0.05), log(0.25, 1.8, 0.3));
            let largest = a.max(b);
            [
                0.0,
                largest + ((a - largest).exp() + (b - largest).exp()).ln(),
            ]
        });
    }
}

/// The density of one Gaussian in place of the mixture's would give the narrow mode half of the mass or less.
#[test]
fn a_mode_has_its_mass_however_many_paths_end_there() -> Result<(), Error> {
    let run = pathfinder().paths(24).draws(4000).run_on(&Modes)?;
    let draws = run.draws("x")?;
    let narrow = draws.values.iter().zip(&draws.weights);
    let narrow = narrow.filter(|(x, _)| x.abs() < 0.5);
    let (number, share) = narrow.fold((0, 0.0), |(n, sum), (_, weight)| (n + 1, sum + weight));
    let of_draws = f64::from(number) / 4000.0;
    assert!((0.05..0.5).contains(&of_draws), "{of_draws}");
    // each mode has hundreds of draws, so that the share has an error of a few percent at most
    assert!((share - 0.75).abs() < 0.06, "{share}");
    Ok(())
}

/// A function of a draw, and its exact mean.
type Expectation = (fn(DrawView<'_>) -> f64, f64);

/// The largest error in standard errors, and whether the run warns. `--nocapture` shows them beside k-hat.
fn error_of<Mo>(model: &Mo, expectations: &[Expectation]) -> Result<(f64, bool), Error>
where
    Mo: Model + Differentiable + AllSampled,
{
    let run = pathfinder().draws(4000).iterations(200).run(model)?;
    let error = |(function, exact): &Expectation| {
        let found = run.estimate(function);
        (found.mean - exact).abs() / found.se
    };
    let largest = expectations.iter().map(error).fold(0.0, f64::max);
    let found = run.importance().expect("it is an approximation").pareto_k;
    let gradients = run.counts().gradient_evaluations;
    println!(
        "{:16} k-hat {found:5.2} error {largest:4.1} gradients {gradients}",
        run.model
    );
    Ok((largest, !run.warnings().is_empty()))
}

/// Weighted moments beside exact ones. A funnel and tails heavier than a Gaussian's are beyond the weights.
#[test]
fn moments_are_right_where_a_run_does_not_warn() -> Result<(), Error> {
    let x_and_y: [Expectation; 2] = [
        (|draw| draw.scalar("x"), 0.0),
        (|draw| draw.scalar("y"), 0.0),
    ];
    let square: Expectation = (|draw| draw.scalar("x").powi(2), 100.0);
    let unit: Expectation = (|draw| draw.scalar("x").powi(2), 1.0);
    let ridge: [Expectation; 2] = [
        (|draw| draw.vector("x")[0].powi(2), 50.005),
        (
            |draw| (draw.vector("x")[0] - draw.vector("x")[1]).powi(2),
            0.02,
        ),
    ];
    let modes: [Expectation; 2] = [
        (|draw| f64::from(draw.scalar("x") > 0.0), 0.7),
        (|draw| draw.scalar("x").powi(2), 16.25),
    ];
    let funnel: [Expectation; 2] = [
        (|draw| draw.scalar("v"), 0.0),
        (|draw| draw.scalar("v").powi(2), 9.0),
    ];
    let tails: [Expectation; 1] = [(|draw| draw.vector("x")[0].powi(2), 5.0 / 3.0)];
    let found = [
        error_of(&Ridge, &ridge)?,
        error_of(&TwoModes, &modes)?,
        error_of(&NonCentredFunnel, &funnel)?,
        error_of(&Banana, &[x_and_y[0], x_and_y[1], square])?,
        error_of(&SharpBanana, &[x_and_y[0], x_and_y[1], unit])?,
        error_of(&HeavyTails, &tails)?,
        error_of(&Funnel, &funnel)?,
    ];
    for (place, (error, warns)) in found.into_iter().enumerate() {
        assert!(warns || error < 4.0, "{place}: {error}");
    }
    // a Gaussian, two modes and a product of Gaussians are within reach
    assert!(found[..3].iter().all(|(_, warns)| !warns), "{found:?}");
    assert!(found[6].1, "a funnel is beyond every Gaussian");
    Ok(())
}

/// A density of zero but for one in 150 starts.
struct Crumb;

impl LogDensity for Crumb {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let near = x[0] > 2.0 - 4.0 / 150.0;
            let log = -0.5 * (x[0] - 3.0).powi(2);
            [0.0, if near { log } else { f64::NEG_INFINITY }]
        });
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        let slopes: Vec<f64> = block
            .positions
            .iter()
            .map(|x| weights[1] * (3.0 - x))
            .collect();
        block.gradient.copy_from_slice(&slopes);
    }
}

#[test]
fn paths_without_a_start_are_counted_and_named() -> Result<(), Error> {
    let run = pathfinder().paths(16).run_on(&Crumb)?;
    let failed = paths(&run).into_iter().enumerate();
    let failed = failed.filter_map(|(number, path)| Some((number, path.failure?)));
    let failed: Vec<(usize, PathFailure)> = failed.collect();
    assert!((2..15).contains(&failed.len()), "{failed:?}");
    assert!(failed.iter().all(|(_, why)| *why == PathFailure::NoStart));
    let warnings = run.warnings();
    let named = warnings.iter().find_map(|warning| match warning {
        Warning::PathsFailed(found) => Some(found),
        _ => None,
    });
    let named = named.expect("it warns of them");
    assert_eq!((named.paths, &named.failed), (16, &failed));
    assert!(run.to_string().contains("paths          16, "), "{run}");
    // each failed path drew a hundred starts, and these evaluations are counted
    let counts = run.counts();
    assert!(counts.density_evaluations >= 100 * failed.len() as u64);
    Ok(())
}

/// Zero everywhere, or with a gradient that is not a number.
struct Nowhere {
    value: f64,
}

impl LogDensity for Nowhere {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|_| [0.0, self.value]);
    }
    fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        block.gradient.fill(f64::NAN);
    }
}

#[test]
fn a_run_whose_paths_all_fail_says_why() {
    let zero = Nowhere {
        value: f64::NEG_INFINITY,
    };
    let error = pathfinder().run_on(&zero).expect_err("it is zero");
    assert!(matches!(error, Error::Start { .. }), "{error}");
    let level = Nowhere { value: 0.0 };
    let error = pathfinder().check_propriety(false).run_on(&level);
    let text = error.expect_err("it has no gradient").to_string();
    let wanted = "none of 8 paths found an approximation: 8 met no step of the optimiser that shows a curvature; `Inference::nuts()` needs no \
                  approximation, if the gradient is finite";
    assert!(text.ends_with(wanted), "{text}");
}

#[test]
fn settings_out_of_range_and_a_model_without_gradients_are_refused() {
    let of = |engine: Pathfinder| {
        engine
            .run_on(&Modes)
            .expect_err("it is refused")
            .to_string()
    };
    let range = "must be from 1 to 1000000";
    assert_eq!(
        of(pathfinder().paths(0)),
        "setting `paths` is 0, must be from 1 to 100000"
    );
    assert_eq!(
        of(pathfinder().memory(0)),
        format!("setting `memory` is 0, {range}")
    );
    assert_eq!(
        of(pathfinder().iterations(0)),
        format!("setting `iterations` is 0, {range}")
    );
    assert_eq!(
        of(pathfinder().elbo_draws(0)),
        format!("setting `elbo_draws` is 0, {range}")
    );
    assert!(of(pathfinder().draws(1)).starts_with("setting `draws` is 1, must be from 2"));
    let by_name = Inference::by_name("pathfinder", None).expect("it exists");
    let refused = by_name.run(&HiddenCount).expect_err("it has no gradient");
    let without = "for `hidden_count`, which has discrete random values";
    assert_eq!(
        refused.to_string(),
        format!("setting `engine` is pathfinder, must be `random_walk` {without}")
    );
    let chains = Inference::chains(RandomWalk::new()).starts(Starts::Pathfinder);
    let refused = chains.run(&HiddenCount).expect_err("it has no gradient");
    assert_eq!(
        refused.to_string(),
        format!("setting `starts` is pathfinder, must be left out {without}")
    );
}

#[test]
fn neither_threads_nor_the_name_change_a_bit() -> Result<(), Error> {
    let engine = pathfinder().paths(11).draws(200);
    assert_same_bytes(|| engine.run_on(&Modes).expect("all is in range"));
    let mut named = Inference::by_name("pathfinder", None)?;
    (named.common_mut().seed, named.common_mut().progress) = (1, false);
    let (named, built) = (named.run_on(&Modes)?, pathfinder().run_on(&Modes)?);
    assert!(to_string(&named).unwrap() == to_string(&built).unwrap());
    assert_eq!(
        (named.engine.as_str(), named.settings["paths"].as_str()),
        ("pathfinder", "8")
    );
    assert_ne!(
        named.groups[0].draws,
        pathfinder().seed(2).run_on(&Modes)?.groups[0].draws
    );
    // a path is the same beside any number of others
    let few = pathfinder().paths(3).run_on(&Modes)?;
    assert_eq!(paths(&few), &paths(&built)[..3]);
    Ok(())
}

#[test]
fn a_run_can_be_saved_and_read() -> Result<(), Error> {
    let run = pathfinder().paths(16).run_on(&Crumb)?;
    let read = Run::from_json(&to_string(&run).expect("it is JSON")).expect("it is a run");
    assert_eq!(paths(&read), paths(&run));
    assert_eq!(read.to_string(), run.to_string());
    Ok(())
}

#[test]
fn parts_are_refused_and_a_flag_stops_it() {
    let refused = |change: &dyn Fn(&mut Common)| {
        let mut engine = Inference::by_name("pathfinder", None).expect("it exists");
        change(engine.common_mut());
        let run = engine.run_on(&Modes);
        run.expect_err("it is refused").to_string()
    };
    let shard = refused(&|common| common.shard = Some(Shard { index: 0, of: 2 }));
    let wanted = "must be left out with pathfinder, which has no islands or chains";
    assert_eq!(shard, format!("setting `shard` is set, {wanted}"));
    assert!(refused(&|common| common.checkpoint = Some("saved".into())).contains("`checkpoint`"));
    let stopped = refused(&|common| common.stop = Some(Arc::new(AtomicBool::new(true))));
    assert!(stopped.contains("stopped"), "{stopped}");
}

/// A valley along which L-BFGS makes many steps.
struct Rosenbrock;

impl LogDensity for Rosenbrock {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            [
                0.0,
                -(1.0 - x[0]).powi(2) - 20.0 * (x[1] - x[0] * x[0]).powi(2),
            ]
        });
    }
}

#[test]
fn a_path_ends_after_its_limit_of_iterates_and_its_gradients_are_counted() -> Result<(), Error> {
    // the search beyond the draws takes gradients too
    let alone = || pathfinder().search_beyond(false);
    let run = alone().iterations(4).run_on(&Rosenbrock)?;
    assert!(
        paths(&run).iter().all(|path| path.iterates == 4),
        "{:?}",
        paths(&run)
    );
    let whole = alone().run_on(&Rosenbrock)?;
    let most = paths(&whole).iter().map(|path| path.iterates).max();
    assert!(most.is_some_and(|most| (8..60).contains(&most)), "{most:?}");
    for run in [run, whole] {
        let gradients: u64 = paths(&run).iter().map(|path| path.gradients).sum();
        assert_eq!(run.counts().gradient_evaluations, gradients);
        assert!(
            paths(&run)
                .iter()
                .all(|path| (1..=path.iterates).contains(&path.best))
        );
    }
    Ok(())
}
