//! Every method that sees only draws finds the mean and covariance of a product of Gaussians.

use super::*;
use bayes_core::run::{Independent, Origin};

/// Means and sds of the combination agree with the product of three Gaussians within four standard errors: those of the combined draws,
/// with their autocorrelation, those of the parts' 4000 draws, and a bias of the method in units of the sd.
fn assert_product(method: &impl Combine, bias: f64) {
    let parts = three();
    let runs = runs_of(&parts, 4000);
    let combined = method.combine(&Parts::new(&parts, &runs).unwrap()).unwrap();
    let factors: Vec<Gaussian> = parts.iter().map(|part| part.gaussian.clone()).collect();
    let exact = Gaussian::product(&factors).unwrap();
    let variance = exact.precision().try_inverse().unwrap();
    let name = method.name();
    let means = combined.run.mean_estimates("x").unwrap();
    let sds = combined.run.sd_estimates("x").unwrap();
    for k in 0..2 {
        let sd = variance[(k, k)].sqrt();
        let [of_mean, of_sd] = [1.0 / 4000.0, 0.5 / 4000.0];
        let error = (means[k].se.powi(2) / (sd * sd) + of_mean).sqrt();
        let off = (means[k].mean - exact.mean[k]) / sd;
        assert!(
            off.abs() < 4.0 * error + bias,
            "{name}: mean {k}: {off} ± {error}"
        );
        let error = (sds[k].se.powi(2) / (sd * sd) + of_sd).sqrt();
        let off = sds[k].mean / sd - 1.0;
        assert!(
            off.abs() < 4.0 * error + bias,
            "{name}: sd {k}: {off} ± {error}"
        );
        // so that wide errors do not hide anything
        assert!(error < 0.12, "{name}: the error is {error}");
    }
}

#[test]
fn consensus_of_gaussians_is_their_product() {
    assert_product(&Consensus::new(), 0.0);
}

#[test]
fn the_parametric_product_of_gaussians_is_exact() {
    assert_product(&Parametric::new().draws(20_000).seed(3), 0.0);
}

#[test]
fn kernel_products_approach_the_product() {
    // kernels widen each part by h², which is 0.04 to 0.1 of its variance after the first hundreds of draws
    assert_product(&Nonparametric::new().draws(20_000).seed(3), 0.04);
    assert_product(&Semiparametric::new().draws(20_000).seed(3), 0.02);
}

#[test]
fn partition_trees_approach_the_product() {
    for pairwise in [false, true] {
        let method = PartitionTrees::new().draws(8000).pairwise(pairwise);
        // the blocks that a histogram leaves whole
        assert_product(&method.seed(2), 0.1);
    }
}

/// One seed gives the same bits twice, and another seed others.
#[test]
fn the_seed_decides() {
    let parts = three();
    let runs = runs_of(&parts, 300);
    let parts = Parts::new(&parts, &runs).unwrap();
    let bits = |method: &dyn Combine| {
        let sample = method.sample(&parts).unwrap();
        sample
            .positions
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    let methods = |seed| -> [Box<dyn Combine>; 4] {
        [
            Box::new(Parametric::new().draws(50).seed(seed)),
            Box::new(Nonparametric::new().draws(50).seed(seed)),
            Box::new(Semiparametric::new().draws(50).seed(seed)),
            Box::new(PartitionTrees::new().draws(50).seed(seed)),
        ]
    };
    for ((first, again), other) in methods(1).iter().zip(&methods(1)).zip(&methods(2)) {
        assert_eq!(bits(&**first), bits(&**again), "{}", first.name());
        assert_ne!(bits(&**first), bits(&**other), "{}", first.name());
    }
}

#[test]
fn one_part_and_one_dimension_are_enough_and_twelve_are_not_too_many() {
    let line = [normals(&[1.0], &[4.0], 1)];
    let runs = runs_of(&line, 2000);
    let parts = Parts::new(&line, &runs).unwrap();
    let methods: [&dyn Combine; 5] = [
        &Consensus,
        &Parametric::new(),
        &Nonparametric::new(),
        &Semiparametric::new(),
        &PartitionTrees::new(),
    ];
    for method in methods {
        let run = method.combine(&parts).unwrap().run;
        // four standard errors of 2000 draws, and as much again for the method's own
        let mean = run.mean("x").unwrap()[0];
        assert!((mean - 1.0).abs() < 0.25, "{}: {mean}", method.name());
    }
    let identity: Vec<f64> = DMatrix::<f64>::identity(12, 12).as_slice().to_vec();
    let wide = [0.2, -0.2].map(|mean| normals(&[mean; 12], &identity, 0));
    let runs = runs_of(&wide, 2000);
    let parts = Parts::new(&wide, &runs).unwrap();
    for method in methods {
        let run = method.combine(&parts).unwrap().run;
        let means = run.mean("x").unwrap();
        // sd 0.7; kernels in twelve dimensions move rarely, and trees of blocks are coarse
        assert!(
            means.iter().all(|mean| mean.abs() < 0.35),
            "{}: {means:?}",
            method.name()
        );
    }
}

#[test]
fn weighted_runs_are_resampled() {
    let part = [normals(&[0.0], &[1.0], 0)];
    let mut run = run_of(&part[0], 4000, 5);
    let positions = run.groups[0].positions.clone();
    // weights that turn N(0, 1) into N(0.5, 1)
    run.groups[0].origin = Origin::Independent(Independent {
        log_weights: positions.iter().map(|x| 0.5 * x).collect(),
        ..Independent::default()
    });
    run.kind = GroupKind::Independent;
    let parts = Parts::new(&part, &[run]).unwrap();
    let draws = &parts.draws()[0];
    let mean = draws.positions.iter().sum::<f64>() / draws.len() as f64;
    // the sd of the weights is 0.53, so that the error is about 1.3 / sqrt(4000)
    assert!((mean - 0.5).abs() < 0.08, "{mean}");
}

#[test]
fn a_combined_run_can_be_saved_and_printed() {
    let parts = three();
    let runs = runs_of(&parts, 200);
    let parts = Parts::new(&parts, &runs).unwrap();
    let combined = Parametric::new().draws(100).combine(&parts).unwrap();
    assert_eq!((combined.ess, &combined.evaluations), (None, &vec![0; 3]));
    assert_eq!(combined.run.engine, "parametric");
    let mut json = Vec::new();
    combined.run.to_json(&mut json).unwrap();
    let again = Run::from_json(std::str::from_utf8(&json).unwrap()).unwrap();
    assert_eq!(again.groups[0].draws, combined.run.groups[0].draws);
    let printed = combined.to_string();
    assert!(printed.contains("exact evaluations 0"), "{printed}");
}
