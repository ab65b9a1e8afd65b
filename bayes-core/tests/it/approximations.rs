//! Approximations of posteriors on densities written by hand: deep ensembles and variational inference.

use crate::common::statement;
use crate::common::threads::assert_same_bytes;
use bayes_autodiff::Mode;
use bayes_core::Error;
use bayes_core::density::{Block, LogDensity, Posterior};
use bayes_core::dist::Beta;
use bayes_core::engine::{Common, DeepEnsemble, Engine, Inference, Shard};
use bayes_core::model::rows::RowCount;
use bayes_core::model::{AllSampled, Differentiable, Interpreter, Model, Statement, StatementKind};
use bayes_core::optimise::{Adam, LearningRate, Sgd};
use bayes_core::run::{ApproximationError, GroupKind, Run};
use nalgebra::{DMatrix, DVector};
use serde_json::to_string;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Two modes: at -2, and at 3, where the density is higher.
struct Wells;

impl LogDensity for Wells {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            [
                0.0,
                -2.0 * ((x[0] + 2.0) * (x[0] - 3.0)).powi(2) + 0.1 * x[0],
            ]
        });
    }
}

#[test]
fn an_ensemble_has_members_in_both_modes_that_weigh_the_same() -> Result<(), Error> {
    let ensemble = Inference::ensemble(20).seed(3);
    let run = ensemble.run_on(&Wells)?;
    assert_eq!(run.kind, GroupKind::Independent);
    let members = run.draws("x")?;
    assert_eq!(members.values.len(), 20);
    assert!(members.weights.iter().all(|w| *w == 0.05));
    let near = |mode: f64| {
        let near = |x: &&f64| (**x - mode).abs() < 0.01;
        members.values.iter().filter(near).count()
    };
    let (low, high) = (near(-2.0), near(3.0));
    assert!(low >= 2 && high >= 2 && low + high == 20, "{members:?}");
    // the error of a mean over independent members
    let mean = run.mean_estimates("x")?[0];
    let sd = run.sd("x")?[0];
    assert!((mean.se - sd / 20f64.sqrt()).abs() < 1e-12, "{mean}");
    assert_eq!((run.log_evidence(), run.elbo()), (None, None));
    let text = run.to_string();
    assert!(
        text.starts_with("density: ensemble, 20 members, seed 3\n"),
        "{text}"
    );
    assert!(text.ends_with("no warnings\n"), "{text}");
    assert_same_bytes(|| ensemble.run_on(&Wells).expect("it ran before"));
    Ok(())
}

/// A share `p ~ Beta(2, 3)` after 14 successes among 20 rows: the posterior is Beta(16, 9).
struct Share;

impl Model for Share {
    fn name(&self) -> &'static str {
        "share"
    }
    fn file(&self) -> &'static str {
        file!()
    }
    fn statements(&self) -> &'static [Statement] {
        const STATEMENTS: [Statement; 2] = [
            statement(StatementKind::Sample, "p", "sample(Beta::new(2.0, 3.0))", 1),
            statement(
                StatementKind::Factor,
                "factor",
                "factor(14.0 * p.ln() + 6.0 * (1.0 - p).ln())",
                2,
            ),
        ];
        &STATEMENTS
    }
    fn row_counts(&self) -> Vec<RowCount> {
        vec![RowCount {
            name: "y".to_owned(),
            rows: 20,
        }]
    }
    fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
        let p = interpreter.at(0).sample(Beta::new(2.0, 3.0));
        let likelihood = 14.0 * p.ln() + 6.0 * (1.0 - p).ln();
        interpreter.at(1).factor(likelihood);
    }
}
impl AllSampled for Share {}
impl Differentiable for Share {}

/// With its type and without it an engine makes the same run of a model: an ensemble has modes of the values, and losses are divided by the rows.
#[test]
fn an_engine_without_its_type_trains_as_its_builder() -> Result<(), Error> {
    let ensemble = Inference::ensemble(3).seed(2).progress(false);
    let vi = Inference::vi().optimiser(Sgd::new(0.01)).epochs(50);
    let vi = vi.seed(2).progress(false);
    let engines: [&dyn Engine; 2] = [&ensemble, &vi];
    for (built, engine) in [ensemble.run(&Share)?, vi.run(&Share)?].iter().zip(engines) {
        let found = engine.run(&Share)?;
        let same = to_string(&found).ok() == to_string(built).ok();
        assert!(same, "{}: {found}\n{built}", engine.name());
    }
    let posterior = Posterior::new(&Share, 2)?;
    let mode = |ensemble: &DeepEnsemble| -> Result<f64, Error> {
        Ok(ensemble.run_on(&posterior)?.draws("p")?.values[0])
    };
    assert!((mode(&ensemble)? - 15.0 / 23.0).abs() < 1e-5);
    assert!((mode(&ensemble.clone().jacobian(true))? - 16.0 / 25.0).abs() < 1e-5);
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("ensemble.run");
    let file = ensemble.run_to_file_on(&posterior, file)?;
    assert_eq!(file.select(["p"])?.draws("p")?.values[0], mode(&ensemble)?);
    Ok(())
}

/// A density whose logarithm is NaN below 1, and that rises towards 1.
struct Cliff;

impl LogDensity for Cliff {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, (x[0] - 1.0).powf(1.5) - 2.0 * x[0]]);
    }
}

#[test]
fn a_member_whose_loss_becomes_nan_is_named_with_its_epoch_and_statement() {
    let ensemble = Inference::ensemble(3).adam(0.1).epochs(200);
    let error = ensemble.run_on(&Cliff).expect_err("it leaves its domain");
    let Error::Approximation {
        source:
            ApproximationError::NotFinite {
                what,
                epoch,
                statement,
            },
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(what, "member 0 of the ensemble");
    assert!((2..200).contains(epoch), "{epoch}");
    assert!(statement.contains("`the density`"), "{statement}");
}

#[test]
fn settings_of_an_ensemble_out_of_range_are_refused() {
    let cases = [
        (
            Inference::ensemble(0),
            "setting `members` is 0, must be from 1 to 1000000",
        ),
        (
            Inference::ensemble(3).adam(0.0),
            "setting `learning_rate` is 0, must be a finite number above 0",
        ),
        (Inference::ensemble(3).epochs(0), "setting `epochs` is 0"),
    ];
    for (ensemble, wanted) in cases {
        let found = ensemble.run_on(&Wells).expect_err("it is out of range");
        assert!(found.to_string().starts_with(wanted), "{found}");
    }
}

/// The Gaussian posterior of this mean and precision, with this log evidence.
struct Gaussian {
    mean: DVector<f64>,
    precision: DMatrix<f64>,
    log_evidence: f64,
}

impl Gaussian {
    /// Standard deviations 0.2, 3 and 0.5, and correlations 0.8, -0.5 and 0.1.
    fn correlated() -> Self {
        let sd = DMatrix::from_diagonal(&DVector::from_vec(vec![0.2, 3.0, 0.5]));
        let correlations = [1.0, 0.8, -0.5, 0.8, 1.0, 0.1, -0.5, 0.1, 1.0];
        let covariance = &sd * DMatrix::from_row_slice(3, 3, &correlations) * &sd;
        Self {
            mean: DVector::from_vec(vec![1.5, -4.0, 0.3]),
            precision: covariance.try_inverse().expect("it is positive definite"),
            log_evidence: -7.5,
        }
    }

    fn log_normaliser(&self) -> f64 {
        let tau = std::f64::consts::TAU.ln();
        0.5 * (self.precision.determinant().ln() - self.mean.len() as f64 * tau)
    }
}

impl LogDensity for Gaussian {
    fn dim(&self) -> usize {
        self.mean.len()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let constant = self.log_evidence + self.log_normaliser();
        block.fill(|x| {
            let rest = DVector::from_column_slice(x) - &self.mean;
            [0.0, constant - 0.5 * rest.dot(&(&self.precision * &rest))]
        });
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        for i in 0..block.len() {
            let row = block.row(i);
            let rest = DVector::from_column_slice(&block.positions[row.clone()]) - &self.mean;
            let slope = &self.precision * rest * -weights[1];
            block.gradient[row].copy_from_slice(slope.as_slice());
        }
    }
}

/// Mean and precision of the Gaussian from which a run was drawn. Its log densities are a quadratic function, which is fitted
/// to all draws.
fn approximation(run: &Run) -> (DVector<f64>, DMatrix<f64>) {
    let (group, d) = (&run.groups[0], run.layout.dim);
    let pairs: Vec<(usize, usize)> = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    let columns = 1 + d + pairs.len();
    let rows = group.positions.chunks_exact(d).map(|x| {
        let squares = pairs.iter().map(|(i, j)| x[*i] * x[*j]);
        let row = std::iter::once(1.0).chain(x.iter().copied()).chain(squares);
        row.collect::<Vec<f64>>()
    });
    let design = rows.collect::<Vec<_>>().concat();
    let log_approximation = &group.independent().expect("a Gaussian").log_approximation;
    let design = DMatrix::from_row_slice(log_approximation.len(), columns, &design);
    let values = DVector::from_column_slice(log_approximation);
    let solved = design.svd(true, true).solve(&values, 1e-14);
    let coefficients = solved.expect("it has both factors");
    let mut precision = DMatrix::zeros(d, d);
    for ((i, j), value) in pairs.iter().zip(coefficients.iter().skip(1 + d)) {
        precision[(*i, *j)] -= value;
        precision[(*j, *i)] -= value;
    }
    let slope = coefficients.rows(1, d).into_owned();
    let mean = precision.clone().try_inverse().expect("it is regular") * slope;
    (mean, precision)
}

#[test]
fn full_rank_is_exact_on_a_gaussian_posterior() -> Result<(), Error> {
    let target = Gaussian::correlated();
    let run = Inference::vi().full_rank().seed(4).run_on(&target)?;
    let (mean, precision) = approximation(&run);
    let wanted = target.precision.clone().try_inverse().expect("regular");
    let found = precision.try_inverse().expect("regular");
    for i in 0..3 {
        let sd = wanted[(i, i)].sqrt();
        assert!((mean[i] - target.mean[i]).abs() < 1e-3 * sd, "{mean}");
        for j in 0..3 {
            let unit = sd * wanted[(j, j)].sqrt();
            let error = (found[(i, j)] - wanted[(i, j)]) / unit;
            assert!(error.abs() < 1e-3, "{i} {j}: {error}");
        }
    }
    let elbo = run.elbo().expect("it is an approximation");
    assert!((elbo.mean - target.log_evidence).abs() < 1e-5 + 4.0 * elbo.se);
    assert!(elbo.se < 1e-4, "{elbo}");
    assert_eq!(run.log_evidence(), None);
    let weighted = run.importance_weighted()?;
    let evidence = weighted.log_evidence().expect("it has weights");
    assert!((evidence - target.log_evidence).abs() < 1e-4, "{evidence}");
    let text = run.to_string();
    assert!(
        text.starts_with("density: full_rank, 1000 draws, seed 4\n"),
        "{text}"
    );
    assert!(text.contains("\nELBO           -7.5"), "{text}");
    assert!(text.ends_with("no warnings\n"), "{text}");
    Ok(())
}

#[test]
fn mean_field_has_the_inverse_of_the_diagonal_precision() -> Result<(), Error> {
    let target = Gaussian::correlated();
    let run = Inference::vi().seed(6).draws(2000).run_on(&target)?;
    let (mean, precision) = approximation(&run);
    for i in 0..3 {
        let exact = target.precision[(i, i)];
        let sd = 1.0 / exact.sqrt();
        assert!((mean[i] - target.mean[i]).abs() < 1e-3 * sd, "{mean}");
        assert!(
            (exact / precision[(i, i)] - 1.0).abs() < 1e-3,
            "{precision}"
        );
        for j in 0..i {
            let scale = (exact * target.precision[(j, j)]).sqrt();
            assert!((precision[(i, j)] / scale).abs() < 1e-6, "{precision}");
        }
    }
    // KL divergence of the product of the conditional variances from the posterior
    let logs: f64 = target.precision.diagonal().iter().map(|a| a.ln()).sum();
    let divergence = 0.5 * (logs - target.precision.determinant().ln());
    let elbo = run.elbo().expect("it is an approximation");
    let error = elbo.mean - (target.log_evidence - divergence);
    assert!(error.abs() < 4.0 * elbo.se, "{elbo}, error {error}");
    assert!(divergence > 10.0 * elbo.se);
    let warnings = run.warnings();
    assert_eq!(warnings.len(), 1);
    let text = warnings[0].to_string();
    assert!(text.contains("Mean field has no correlations"), "{text}");
    Ok(())
}

#[test]
fn the_number_of_threads_changes_no_bit_of_an_approximation() {
    let target = Gaussian::correlated();
    let vi = Inference::vi().epochs(50).draws(300).seed(2);
    assert_same_bytes(|| vi.run_on(&target).expect("all is in range"));
    let full = vi.clone().full_rank();
    assert_same_bytes(|| full.run_on(&target).expect("all is in range"));
    let other = vi.clone().seed(3).run_on(&target).expect("all is in range");
    let run = vi.run_on(&target).expect("all is in range");
    assert_ne!(run.groups[0].draws, other.groups[0].draws);
}

#[test]
fn variational_inference_goes_on_from_a_fit() -> Result<(), Error> {
    let target = Gaussian::correlated();
    let fit = Inference::map().restarts(3).run_on(&target)?;
    // so few steps do not reach the mean from a starting point of another seed
    let run = Inference::vi()
        .start(&fit)
        .epochs(5)
        .adam(1e-9)
        .run_on(&target)?;
    let (mean, precision) = approximation(&run);
    for i in 0..3 {
        assert!((mean[i] - target.mean[i]).abs() < 1e-5, "{mean}");
        // the first standard deviation
        assert!(
            (precision[(i, i)] / 100.0 - 1.0).abs() < 1e-4,
            "{precision}"
        );
    }
    let other = Inference::map().run_on(&Wells)?;
    let error = Inference::vi().start(&other).run_on(&target);
    assert!(matches!(error, Err(Error::Fit { .. })));
    Ok(())
}

#[test]
fn an_elbo_that_becomes_nan_is_reported_with_epoch_and_statement() {
    // beyond its domain it rises without a bound: it is improper, and refused unless the search is left out
    let vi = Inference::vi().epochs(500).check_propriety(false);
    let error = vi.run_on(&Cliff);
    let error = error.expect_err("it leaves its domain").to_string();
    assert!(
        error.contains("the evidence lower bound met a loss that is not a number in epoch")
            && error.contains("`the density`"),
        "{error}"
    );
}

/// A standard normal density in many dimensions.
struct Wide(usize);

impl LogDensity for Wide {
    fn dim(&self) -> usize {
        self.0
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, -0.5 * x.iter().map(|x| x * x).sum::<f64>()]);
    }
}

#[test]
fn settings_of_variational_inference_out_of_range_are_refused() {
    let vi = Inference::vi;
    let rate = LearningRate::cosine(0.1, 0.2);
    let cases = [
        (vi().gradient_draws(0), "setting `gradient_draws` is 0"),
        (
            vi().gradient_draws(7),
            "setting `gradient_draws` is 7, must be a power of 2",
        ),
        (vi().draws(1), "setting `draws` is 1, must be from 2"),
        (vi().epochs(0), "setting `epochs` is 0"),
        (vi().adam(0.0), "setting `learning_rate` is 0"),
        (
            vi().optimiser(Adam::new(rate)),
            "setting `learning_rate: last` is 0.2",
        ),
        (
            vi().optimiser(bayes_core::optimise::Lbfgs::new()),
            "setting `optimiser` is lbfgs, must be one that takes noisy gradients",
        ),
        (
            vi().full_rank(),
            "setting `full_rank` is 2001, must be a model of at most 2000",
        ),
    ];
    for (vi, wanted) in cases {
        let found = vi.run_on(&Wide(2001)).expect_err("it is out of range");
        assert!(found.to_string().starts_with(wanted), "{found}");
    }
}

/// Detects another engine behind a name, a kernel or a part of a run that is ignored, and a flag that stops nothing.
#[test]
fn variational_inference_by_name_has_the_bits_of_its_builder() {
    let target = Gaussian::correlated();
    let by_name = |name: &str| {
        let mut engine = Inference::by_name(name, None).expect("it exists");
        (engine.common_mut().seed, engine.common_mut().progress) = (4, false);
        engine
    };
    let vi = Inference::vi().seed(4).progress(false);
    for (name, built) in [("mean_field", vi.clone()), ("full_rank", vi.full_rank())] {
        let named = by_name(name).run_on(&target).unwrap();
        assert_eq!((named.engine.as_str(), named.kernel.as_str()), (name, name));
        assert!(to_string(&named).unwrap() == to_string(&built.run_on(&target).unwrap()).unwrap());
    }
    let refused = Inference::by_name("full_rank", Some("hmc")).expect_err("it has no kernel");
    assert_eq!(
        refused.to_string(),
        "setting `kernel` is hmc, must be left out with full_rank, which moves nothing"
    );
    let refused = |change: &dyn Fn(&mut Common)| {
        let mut engine = by_name("mean_field");
        change(engine.common_mut());
        engine
            .run_on(&target)
            .expect_err("it is refused")
            .to_string()
    };
    let shard = refused(&|common| common.shard = Some(Shard { index: 0, of: 2 }));
    assert_eq!(
        shard,
        "setting `shard` is set, must be left out with mean_field, which has no islands or chains"
    );
    assert!(refused(&|common| common.checkpoint = Some("saved".into())).contains("`checkpoint`"));
    assert!(refused(&|common| common.memory_limit = Some(9)).contains("`memory_limit`"));
    let stopped = refused(&|common| common.stop = Some(Arc::new(AtomicBool::new(true))));
    assert!(stopped.contains("stopped"), "{stopped}");
}

/// Detects an optimisation that starts from more points than the fit has.
#[test]
fn a_fit_has_a_start_for_each_restart_of_another() {
    let fit = Inference::map()
        .restarts(2)
        .progress(false)
        .run_on(&Wells)
        .unwrap();
    let again = Inference::map().start(&fit).progress(false);
    assert_eq!(again.run_on(&Wells).unwrap().restarts.len(), 2);
    let refused = again.restarts(3).run_on(&Wells).expect_err("there are two");
    assert_eq!(
        refused.to_string(),
        "setting `restarts` is 3, must be at most 2, as many as the fit has where they start"
    );
}
