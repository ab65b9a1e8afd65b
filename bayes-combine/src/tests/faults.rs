//! Runs and parts that do not belong together, and draws that a method cannot use: typed errors and counted warnings.

use super::*;

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
            .starts_with("run 1 (model `density`) belongs to none of the parts")
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

/// The weights of exact densities that are nothing like what the runs say.
struct Otherwise(fn(f64) -> f64);

impl LogDensity for Otherwise {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, (self.0)(x[0])]);
    }
}

/// PAI without its active stages, of one part with 60 draws of the standard normal density, whose exact density is another.
fn weighted(exact: fn(f64) -> f64) -> Result<Combination, bayes_core::Error> {
    let run = run_of(&normals(&[0.0], &[1.0], 0), 60, 3);
    let parts = [Otherwise(exact)];
    let pai = Pai::new().subsampling_rounds(0).refinement_rounds(0);
    pai.verification_rounds(0)
        .importance(true)
        .draws(200)
        .combine(&Parts::new(&parts, &[run])?)
}

#[test]
fn weights_that_collapse_are_reported_and_none_at_all_are_an_error() {
    let collapsed = |exact: fn(f64) -> f64| {
        // sixty draws end at two sd, which is worth a warning of its own
        let warnings = weighted(exact).unwrap().warnings;
        warnings.into_iter().find_map(|warning| match warning {
            Warning::CollapsedWeights { ess, draws } => Some((ess, draws)),
            _ => None,
        })
    };
    assert_eq!(collapsed(|x| -0.5 * x * x), None);
    let (ess, draws) = collapsed(|x| -0.5 * (x / 0.003).powi(2)).expect("a warning");
    assert!(ess < 20.0 && draws == 200, "{ess} of {draws}");
    assert_eq!(
        text(weighted(|_| f64::NEG_INFINITY)),
        "the density of the combination is zero at all of its 200 draws"
    );
}

/// Waves that are far shorter than the distances of the points, which no process learns.
#[test]
fn draws_that_are_not_as_expected_after_all_rounds_are_reported() {
    // as the run says
    fn smooth(x: f64) -> f64 {
        -0.5 * x * x - 7.0 - 0.5 * std::f64::consts::TAU.ln()
    }
    let share = |exact: fn(f64) -> f64| {
        let run = run_of(&normals(&[0.0], &[1.0], 0), 60, 3);
        let parts = [Otherwise(exact)];
        let pai = Pai::new().subsampling_rounds(0).refinement_rounds(0);
        let pai = pai.verification_rounds(2).draws(400);
        let combined = pai.combine(&Parts::new(&parts, &[run]).unwrap()).unwrap();
        let mut warnings = combined.warnings.iter();
        warnings.find_map(|warning| match warning {
            Warning::Unexpected { share } => Some((*share, warning.to_string())),
            _ => None,
        })
    };
    assert_eq!(share(smooth), None);
    // 84% of them are above 1 in size
    let (share, told) = share(|x| smooth(x) + 4.0 * (1e4 * x).sin()).expect("a warning");
    assert!(share > 0.5, "{share}");
    assert!(
        told.contains("differs by more than 1 from the surrogates"),
        "{told}"
    );
}

/// Equal densities make a flat surrogate, which reaches as far as the box does.
#[test]
fn equal_densities_are_reported_and_so_is_mass_at_the_border() {
    let parts = [Otherwise(|_| -3.0)];
    let draws = (0..60).map(|i| 0.1 * f64::from(i)).collect();
    let runs = [run_at(&parts[0], draws)];
    let parts = Parts::new(&parts, &runs).unwrap();
    let pai = Pai::new().subsampling_rounds(0).refinement_rounds(0);
    let combined = pai.draws(200).combine(&parts).unwrap();
    let [
        Warning::EqualDensities { part: 0 },
        Warning::Border { share },
    ] = combined.warnings[..]
    else {
        panic!("{:?}", combined.warnings);
    };
    // the margins are a sixth of the box
    assert!((share - 1.0 / 6.0).abs() < 0.05, "{share}");
    // where the densities end there is no border to be told of
    let bounded = parts.bounded(&[[0.0, 5.9]]).unwrap();
    let combined = pai.draws(200).combine(&bounded).unwrap();
    assert_eq!(combined.warnings, [Warning::EqualDensities { part: 0 }]);
    let within = (0.0..=5.9).contains(&combined.run.quantile("x", 0.0).unwrap()[0]);
    assert!(within && combined.run.quantile("x", 1.0).unwrap()[0] <= 5.9);
    assert_eq!(
        text(bounded.bounded(&[[0.0, 1.0]; 2])),
        "setting `bounds` is 2, must be as many as there are coordinates"
    );
}

#[test]
fn densities_that_no_process_can_follow_are_an_error() {
    let part = [normals(&[0.0], &[1.0], 0)];
    let mut run = run_of(&part[0], 60, 4);
    for (i, value) in run.groups[0].log_likelihood.iter_mut().enumerate() {
        *value = if i % 2 == 0 { 1e300 } else { -1e300 };
    }
    let parts = Parts::new(&part, &[run]).unwrap();
    let pai = Pai::new().subsampling_rounds(0).refinement_rounds(0);
    let told = text(pai.combine(&parts));
    assert!(
        told.starts_with("the Gaussian process of part 0 cannot be fitted to its 60 points"),
        "{told}"
    );
}

/// A chain that stayed where it was half of the time: repeats are no points of a process.
#[test]
fn repeated_draws_are_counted_and_used_once() {
    let part = [normals(&[0.0], &[1.0], 0)];
    let run = run_of(&part[0], 60, 4);
    let twice: Vec<f64> = run.groups[0]
        .positions
        .iter()
        .flat_map(|x| [*x; 3])
        .collect();
    let runs = [run_at(&part[0], twice)];
    let parts = Parts::new(&part, &runs).unwrap();
    assert_eq!(
        parts.warnings(),
        [Warning::Repeats {
            part: 0,
            repeats: 120,
            draws: 180
        }]
    );
    let pai = Pai::new().subsampling_rounds(1).refinement_rounds(0);
    let mean = pai
        .draws(500)
        .combine(&parts)
        .unwrap()
        .run
        .mean("x")
        .unwrap()[0];
    // the log density is a quadratic form, which a process follows; 500 draws
    assert!(mean.abs() < 4.0 / 500f64.sqrt(), "{mean}");
}

#[test]
fn pai_takes_one_dimension_and_twelve() {
    for dim in [1, 12] {
        let identity: Vec<f64> = DMatrix::<f64>::identity(dim, dim).as_slice().to_vec();
        let parts = [0.2, -0.2].map(|mean| normals(&vec![mean; dim], &identity, 0));
        let runs = runs_of(&parts, 100);
        let parts = Parts::new(&parts, &runs).unwrap();
        let pai = Pai::new().subsampling_rounds(0).refinement_rounds(1);
        let combined = pai.draws(500).combine(&parts).unwrap();
        assert_eq!(combined.run.layout.dim, dim);
        let means = combined.run.mean("x").unwrap();
        // sd 0.7 of some hundred effective draws, the largest of twelve
        assert!(means.iter().all(|mean| mean.abs() < 0.3), "{means:?}");
    }
}
