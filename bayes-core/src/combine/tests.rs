//! Gaussian parts, whose product is known: every method finds its mean and covariance.
//!
//! Draws are independent and their seeds fixed.

use super::gaussian::Gaussian;
use super::*;
use crate::density::{Block, LogDensity, Particles, Quantities};
use crate::engine::Common;
use crate::rng;
use crate::run::{Group, GroupKind, Run, Weighting};
use nalgebra::{DMatrix, DVector};

/// A Gaussian part, not normalised, with a fingerprint or without.
struct Normals {
    gaussian: Gaussian,
    fingerprint: u64,
}

impl LogDensity for Normals {
    fn dim(&self) -> usize {
        self.gaussian.mean.len()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, self.gaussian.log_density(x) - 7.0]);
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Quantities for Normals {
    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

fn normals(mean: &[f64], covariance: &[f64], fingerprint: u64) -> Normals {
    let dim = mean.len();
    let covariance = DMatrix::from_row_slice(dim, dim, covariance);
    let gaussian = Gaussian::new(DVector::from_column_slice(mean), covariance);
    Normals {
        gaussian: gaussian.expect("it is positive definite"),
        fingerprint,
    }
}

/// Three parts in two dimensions that overlap, of different shapes.
fn three() -> Vec<Normals> {
    vec![
        normals(&[0.3, -1.0], &[1.0, 0.3, 0.3, 2.0], 1),
        normals(&[-0.2, 0.4], &[1.5, -0.4, -0.4, 0.8], 2),
        normals(&[0.6, 0.1], &[0.7, 0.0, 0.0, 1.2], 3),
    ]
}

/// A run at these positions.
fn run_at(density: &dyn LogDensity, positions: Vec<f64>) -> Run {
    let mut particles = Particles::new(positions.len() / density.dim(), density.dim());
    particles.positions = positions;
    density.evaluate(&mut particles.block());
    let groups = vec![Group::of_particles(0, particles, density.quantities())];
    let kind = (GroupKind::Chains, Weighting::Equal);
    Common::new("test").run_without_kernel(density, kind, Default::default(), groups)
}

/// A run of independent draws.
fn run_of(part: &Normals, draws: usize, seed: u64) -> Run {
    let mut stream = rng::stream(seed);
    let draws = (0..draws).flat_map(|_| part.gaussian.draw(&mut stream));
    run_at(part, draws.collect())
}

fn runs_of(parts: &[Normals], draws: usize) -> Vec<Run> {
    let runs = parts.iter().zip(10..);
    runs.map(|(part, seed)| run_of(part, draws, seed)).collect()
}

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

fn text<T>(result: Result<T, crate::Error>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn runs_and_parts_are_matched_by_their_fingerprints() {
    let parts = three();
    let runs = runs_of(&parts, 50);
    let turned = [runs[2].clone(), runs[0].clone(), runs[1].clone()];
    let (inorder, turned) = (Parts::new(&parts, &runs), Parts::new(&parts, &turned));
    assert_eq!(inorder.unwrap().draws(), turned.unwrap().draws());
    let twice = [runs[2].clone(), runs[0].clone(), runs[2].clone()];
    assert_eq!(
        text(Parts::new(&parts, &twice)),
        "runs 0 and 2 are both of part 2; merge them with `Run::merge`, or leave one out"
    );
    let mut other = runs.clone();
    other[1].fingerprint = "00000000deadbeef".to_owned();
    assert!(
        text(Parts::new(&parts, &other))
            .starts_with("run 1 (model `density`) is of none of the parts")
    );
    assert_eq!(
        text(Parts::new(&parts, &runs[..2])),
        "there are 2 runs for 3 parts; there must be one run for each part"
    );
    assert!(text(Parts::new::<Normals>(&[], &[])).starts_with("there are 0 runs for 0 parts"));
}

#[test]
fn runs_that_do_not_suit_are_refused() {
    let parts = three();
    let mut runs = runs_of(&parts, 50);
    let line = normals(&[0.0], &[1.0], 2);
    runs[1] = run_of(&line, 50, 1);
    assert_eq!(
        text(Parts::new(&parts, &runs)),
        "run 1 has other quantities than its part: 1 coordinates, must be 2"
    );
    let mut runs = runs_of(&parts, 50);
    runs[1].groups[0].log_likelihood.fill(f64::NEG_INFINITY);
    assert_eq!(
        text(Parts::new(&parts, &runs)),
        "the run of part 1 has failed: the density is zero or not a number at all of its draws"
    );
    runs[1].groups.clear();
    assert_eq!(
        text(Parts::new(&parts, &runs)),
        "the run of part 1 has failed: it has no draws"
    );
}

#[test]
fn draws_that_a_method_cannot_use_are_named() {
    let parts = three();
    let mut runs = runs_of(&parts, 50);
    runs[2] = run_at(&parts[2], [0.5, 0.25].repeat(50));
    let stuck = Parts::new(&parts, &runs).unwrap();
    assert_eq!(
        text(Consensus::new().combine(&stuck)),
        "part 2 has 1 different draws, and this method needs at least 4"
    );
    assert!(stuck.warnings().contains(&Warning::Repeats {
        part: 2,
        repeats: 49,
        draws: 50
    }));
    assert!(
        stuck
            .warnings()
            .contains(&Warning::EqualDensities { part: 2 })
    );
    let line = (0..50).flat_map(|i| [0.1 * f64::from(i), 0.2 * f64::from(i)]);
    runs[2] = run_at(&parts[2], line.collect());
    let flat = Parts::new(&parts, &runs).unwrap();
    assert!(
        text(Parametric::new().combine(&flat))
            .starts_with("the covariance matrix of the draws of part 2 is not positive definite")
    );
    runs = runs_of(&parts, 50);
    runs[0].groups[0].log_prior[3] = f64::NAN;
    let left_out = Parts::new(&parts, &runs).unwrap();
    assert_eq!(
        left_out.warnings(),
        [Warning::NotFinite {
            part: 0,
            left_out: 1,
            draws: 50
        }]
    );
    assert_eq!(left_out.draws()[0].len(), 49);
}

#[test]
fn settings_out_of_range_are_named() {
    let parts = three();
    let runs = runs_of(&parts, 50);
    let parts = Parts::new(&parts, &runs).unwrap();
    let refusals = [
        text(Parametric::new().draws(1).combine(&parts)),
        text(PartitionTrees::new().trees(0).combine(&parts)),
        text(PartitionTrees::new().leaf_share(0.7).combine(&parts)),
    ];
    assert_eq!(refusals[0], "setting `draws` is 1, must be at least 2");
    assert_eq!(refusals[1], "setting `trees` is 0, must be at least 1");
    assert_eq!(
        refusals[2],
        "setting `leaf_share` is 0.7, must be above 0 and at most 0.5"
    );
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
    run.groups[0].log_weights = positions.iter().map(|x| 0.5 * x).collect();
    let parts = Parts::new(&part, &[run]).unwrap();
    let draws = &parts.draws()[0];
    let mean = draws.positions.iter().sum::<f64>() / draws.len() as f64;
    // the sd of the weights is 0.53, so that the error is about 1.3 / sqrt(4000)
    assert!((mean - 0.5).abs() < 0.08, "{mean}");
}

#[test]
fn a_missed_mode_is_told_and_overlapping_parts_are_not() {
    let parts = three();
    let runs = runs_of(&parts, 1000);
    assert_eq!(Parts::new(&parts, &runs).unwrap().warnings(), []);
    let mut stream = rng::stream(9);
    let modes = |shares: [f64; 2], stream: &mut rng::Stream| -> Vec<f64> {
        let total = shares[0] + shares[1];
        let one = |i: usize, stream: &mut rng::Stream| {
            let side = if (i as f64) < 1000.0 * shares[0] / total {
                -8.0
            } else {
                8.0
            };
            let mut x = parts[0].gaussian.draw(stream);
            x[0] += side;
            x
        };
        (0..1000).flat_map(|i| one(i, stream)).collect()
    };
    let both = run_at(&parts[0], modes([1.0, 1.0], &mut stream));
    let left = run_at(&parts[1], modes([1.0, 0.0], &mut stream));
    let again = run_at(&parts[2], modes([1.0, 1.0], &mut stream));
    let found = Parts::new(&parts, &[both, left, again]).unwrap();
    let [Warning::MissedRegion { part: 1, share, .. }] = found.warnings() else {
        panic!("{:?}", found.warnings());
    };
    assert!((share - 0.5).abs() < 0.05, "{share}");
    let told = found.warnings()[0].to_string();
    assert!(
        told.starts_with("Part 1 has no draws where 50% of those of part"),
        "{told}"
    );
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

/// Few rounds, for tests.
fn pai() -> Pai {
    Pai::new()
        .subsampling_rounds(3)
        .refinement_rounds(3)
        .seed(5)
}

/// Three parts in one dimension.
fn line() -> Vec<Normals> {
    vec![
        normals(&[0.3], &[1.0], 1),
        normals(&[-0.2], &[1.5], 2),
        normals(&[0.6], &[0.7], 3),
    ]
}

#[test]
fn surrogates_of_gaussians_multiply_to_their_product() {
    let parts = line();
    let runs = runs_of(&parts, 500);
    let parts_of_runs = Parts::new(&parts, &runs).unwrap();
    let factors: Vec<Gaussian> = parts.iter().map(|part| part.gaussian.clone()).collect();
    let exact = Gaussian::product(&factors).unwrap();
    let exact_sd = exact.precision()[(0, 0)].sqrt().recip();
    // of Π (N_k e^-7) at any point
    let product = |x: f64| {
        factors
            .iter()
            .map(|f| f.log_density(&[x]) - 7.0)
            .sum::<f64>()
    };
    let log_evidence = product(0.1) - exact.log_density(&[0.1]);
    for method in [pai(), Pai::gp(), pai().importance(true)] {
        let combined = method.combine(&parts_of_runs).unwrap();
        let name = method.name();
        assert!(combined.ess.unwrap() > 1000.0, "{name}: {:?}", combined.ess);
        // nothing beyond what is said of the runs
        assert_eq!(combined.warnings, parts_of_runs.warnings(), "{name}");
        let mean = combined.run.mean_estimates("x").unwrap()[0];
        let sd = combined.run.sd_estimates("x").unwrap()[0];
        // the processes are off by their noise, 0.03 each, somewhere
        let z = (mean.mean - exact.mean[0]) / exact_sd;
        assert!(
            z.abs() < 4.0 * mean.se / exact_sd + 0.02,
            "{name}: mean {z}"
        );
        let z = sd.mean / exact_sd - 1.0;
        assert!(z.abs() < 4.0 * sd.se / exact_sd + 0.02, "{name}: sd {z}");
        let found = combined.run.log_evidence().unwrap();
        assert!(
            (found - log_evidence).abs() < 0.05,
            "{name}: {found} and {log_evidence}"
        );
    }
}

#[test]
fn exact_evaluations_are_counted_and_the_budget_is_kept() {
    let parts = line();
    let runs = runs_of(&parts, 300);
    let parts = Parts::new(&parts, &runs).unwrap();
    let evaluations = |pai: Pai| pai.combine(&parts).unwrap();
    // 60 medoids and 3 rounds of a draw of each of the others; 3 rounds of one new point
    let all = evaluations(pai());
    assert_eq!(all.evaluations, [2 * 63 + 3; 3]);
    assert_eq!(evaluations(pai().sharing(false)).evaluations, [3; 3]);
    let none = pai().sharing(false).refinement_rounds(0);
    assert_eq!(evaluations(none).evaluations, [0; 3]);
    let exact = evaluations(none.importance(true).draws(500));
    assert_eq!(exact.evaluations, [500; 3]);
    assert_eq!(exact.run.total_draws(), 500);
    let short = evaluations(pai().budget(50));
    assert_eq!(short.evaluations, [50; 3]);
    assert!(
        short
            .warnings
            .contains(&Warning::BudgetSpent { budget: 50 })
    );
    let short = evaluations(none.importance(true).draws(500).budget(200));
    assert_eq!(
        (short.evaluations, short.run.total_draws()),
        (vec![200; 3], 200)
    );
}

/// Two Gaussians of equal weight with sd 0.4, of which one run has seen only the left; the second moves the part a little.
struct Pair(f64);

impl LogDensity for Pair {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let at = |centre: f64| -0.5 * ((x[0] - self.0 - centre) / 0.4).powi(2);
            [0.0, crate::numeric::log_sum_exp(&[at(-1.5), at(1.5)])]
        });
    }
}

#[test]
fn sharing_brings_back_a_mode_that_a_run_has_missed() {
    let parts = [Pair(0.1), Pair(-0.1), Pair(0.0)];
    let mut stream = rng::stream(6);
    let mut run = |part: usize, modes: &[f64]| {
        let gaussian = normals(&[parts[part].0], &[0.16], 0).gaussian;
        let draws = (0..600).map(|i| gaussian.draw(&mut stream)[0] + modes[i % modes.len()]);
        run_at(&parts[part], draws.collect())
    };
    let runs = [run(0, &[-1.5, 1.5]), run(1, &[-1.5]), run(2, &[-1.5, 1.5])];
    let parts = Parts::new(&parts, &runs).unwrap();
    let warnings = parts.warnings();
    assert!(
        matches!(warnings, [Warning::MissedRegion { part: 1, .. }]),
        "{warnings:?}"
    );
    let right = |method: &dyn Combine| {
        let run = method.combine(&parts).unwrap().run;
        run.estimate(|draw| f64::from(draw.vector("x")[0] > 0.0))
            .mean
    };
    // half of the mass; the error is that of 4000 draws, and of the noise of three processes at both modes
    let found = right(&pai());
    assert!((found - 0.5).abs() < 0.06, "{found}");
    for method in [
        &Parametric::new() as &dyn Combine,
        &pai().sharing(false).refinement_rounds(0),
    ] {
        let found = right(method);
        assert!((found - 0.5).abs() > 0.2, "{}: {found}", method.name());
    }
}

#[test]
fn pai_gives_the_same_bits_for_any_number_of_threads() {
    let parts = line();
    let runs = runs_of(&parts, 200);
    let parts = Parts::new(&parts, &runs).unwrap();
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let sample = pool
            .unwrap()
            .install(|| pai().draws(200).sample(&parts))
            .unwrap();
        sample
            .positions
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(3));
}

#[test]
fn pai_takes_two_dimensions_and_three_and_names_what_it_cannot_take() {
    for dim in [2, 3] {
        let identity: Vec<f64> = DMatrix::<f64>::identity(dim, dim).as_slice().to_vec();
        let parts = [0.3, -0.3].map(|mean| normals(&vec![mean; dim], &identity, 0));
        let runs = runs_of(&parts, 300);
        let combined = pai().combine(&Parts::new(&parts, &runs).unwrap()).unwrap();
        assert!(combined.ess.unwrap() > 1000.0, "{dim}: {:?}", combined.ess);
        let means = combined.run.mean_estimates("x").unwrap();
        assert!(
            means
                .iter()
                .all(|mean| mean.mean.abs() < 4.0 * mean.se + 0.02),
            "{dim}"
        );
    }
    let parts = three();
    let mut runs = runs_of(&parts, 50);
    runs[1] = run_at(&parts[1], [0.5, 0.25].repeat(50));
    let parts = Parts::new(&parts, &runs).unwrap();
    assert_eq!(
        text(pai().combine(&parts)),
        "part 1 has 1 different draws, and this method needs at least 4"
    );
    assert_eq!(
        text(pai().exploration(0.0).combine(&parts)),
        "setting `exploration` is 0, must be a finite number above 0"
    );
}
