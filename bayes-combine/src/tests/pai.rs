//! PAI and its baseline: surrogates, sharing, exact evaluations.

use super::*;

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
        let mut bytes = Vec::new();
        combined.run.to_json(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let back = Run::from_json(&text).unwrap();
        assert_eq!(back.groups[0].draws, combined.run.groups[0].draws, "{name}");
        // that of a surrogate has an error which nothing tells
        let found = combined.run.log_evidence_estimate();
        assert_eq!(found.is_some(), name == "pai_dis", "{name}");
        if let Some(found) = found {
            let z = (found.mean - log_evidence) / found.se;
            assert!(z.abs() < 4.0, "{name}: {found:?} and {log_evidence}");
        }
    }
}

/// Meant to detect: an error from the resampled draws alone, which was a quarter of the true one in three dimensions.
#[test]
fn the_error_of_the_evidence_covers() {
    const SEEDS: u64 = 40;
    for dim in [1, 3] {
        let identity: Vec<f64> = DMatrix::<f64>::identity(dim, dim).as_slice().to_vec();
        let parts = [0.3, -0.3].map(|mean| normals(&vec![mean; dim], &identity, 0));
        let runs = runs_of(&parts, 200);
        let runs = Parts::new(&parts, &runs).unwrap();
        let at = vec![0.1; dim];
        let factors: Vec<Gaussian> = parts.iter().map(|part| part.gaussian.clone()).collect();
        let exact = Gaussian::product(&factors).unwrap();
        let product = |f: &Gaussian| f.log_density(&at) - 7.0;
        let truth = factors.iter().map(product).sum::<f64>() - exact.log_density(&at);
        let gp = Pai::gp().subsampling_rounds(0).draws(400);
        let squares = (0..SEEDS).map(|seed| {
            let combined = gp.seed(seed).importance(true).combine(&runs).unwrap();
            let found = combined.run.log_evidence_estimate().unwrap();
            ((found.mean - truth) / found.se).powi(2)
        });
        let mean = squares.sum::<f64>() / SEEDS as f64;
        // chi-squared: 1 with a standard error of √(2/40) = 0.22; less where proposals are spread evenly
        let least = if dim == 1 { 0.0 } else { 0.3 };
        assert!((least..2.0).contains(&mean), "{dim}: {mean}");
    }
}

#[test]
fn exact_evaluations_are_counted_and_the_budget_is_kept() {
    let parts = line();
    let runs = runs_of(&parts, 300);
    let parts = Parts::new(&parts, &runs).unwrap();
    let evaluations = |pai: Pai| pai.combine(&parts).unwrap();
    // 60 medoids and 3 rounds of a draw of each of the others; 3 rounds of one new point; one round that verifies
    let all = evaluations(pai());
    assert_eq!(all.evaluations, [2 * 63 + 3 + 1; 3]);
    let alone = pai().sharing(false);
    assert_eq!(evaluations(alone).evaluations, [3 + 1; 3]);
    let none = alone.refinement_rounds(0).verification_rounds(0);
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
            [0.0, bayes_core::numeric::log_sum_exp(&[at(-1.5), at(1.5)])]
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

/// A ridge with straight sides, `-3 ln cosh(x - centre)`: of two of them the product is flat between the centres.
struct Roof(f64);

impl LogDensity for Roof {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, -3.0 * (x[0] - self.0).cosh().ln()]);
    }
}

#[test]
fn verification_brings_points_where_the_combination_has_mass_and_no_part_has_draws() {
    let parts = [Roof(-4.0), Roof(4.0)];
    let draws = |part: &Roof| {
        let odds = (1..400).map(|i| f64::from(i) / f64::from(400 - i));
        run_at(part, odds.map(|odds| part.0 + odds.ln() / 3.0).collect())
    };
    let runs = parts.each_ref().map(draws);
    let parts = Parts::new(&parts, &runs).unwrap();
    let none = pai().sharing(false).refinement_rounds(0);
    let combine = |rounds: usize| none.verification_rounds(rounds).combine(&parts).unwrap();
    // cosh(x - 4) cosh(x + 4) is (cosh 2x + cosh 8)/2
    let grid = || (-100_000..=100_000).map(|i| f64::from(i) * 1e-4);
    let density = |x: f64| (((2.0 * x).cosh() + 8f64.cosh()) / 8f64.cosh()).powi(-3);
    let mass: f64 = grid().map(density).sum();
    let exact = (grid().map(|x| x * x * density(x)).sum::<f64>() / mass).sqrt();
    let sd = |combined: &Combination| combined.run.sd_estimates("x").unwrap()[0].mean;
    let is_uncertain = |warning: &Warning| matches!(warning, Warning::Uncertain { .. });

    let plain = combine(0);
    assert!((sd(&plain) / exact - 1.0).abs() > 0.1, "{}", sd(&plain));
    let verified = combine(10);
    // of 4000 draws of importance sampling
    assert!(
        (sd(&verified) / exact - 1.0).abs() < 0.05,
        "{} and {exact}",
        sd(&verified)
    );
    assert!(!verified.warnings.iter().any(is_uncertain), "{verified}");
    let spent = verified.evaluations.iter().max().unwrap();
    // at most 2 in each of ten rounds
    assert!((1..=20).contains(spent), "{spent}");
    // both processes are certain, and wrong: one random draw, and 20 of each of the last combination, the first one, and the one of the
    // round before
    assert_eq!(combine(1).evaluations, [1 + 3 * 20; 2]);
    let short = none.budget(1).combine(&parts).unwrap();
    assert_eq!(short.evaluations, [1; 2]);
    assert!(short.warnings.contains(&Warning::BudgetSpent { budget: 1 }));
}

/// Two coordinates, each with a Gamma distribution with shape 0.6 and rate 1, whose density is infinite at zero; it remembers the least
/// coordinate at which it was evaluated.
struct Pole {
    nearest: std::sync::Mutex<f64>,
}

impl LogDensity for Pole {
    fn dim(&self) -> usize {
        2
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let mut nearest = self.nearest.lock().expect("no thread has failed");
            *nearest = nearest.min(x[0]).min(x[1]);
            [0.0, -0.4 * (x[0] * x[1]).ln() - x[0] - x[1]]
        });
    }
}

#[test]
fn refinement_keeps_away_from_a_bound_where_the_density_is_infinite() {
    use rand_distr::{Distribution, Gamma};
    let parts = [1.0, 1.0].map(|nearest| Pole {
        nearest: nearest.into(),
    });
    let mut stream = rng::stream(9);
    let gamma = Gamma::new(0.6, 1.0f64).unwrap();
    let runs = parts.each_ref().map(|part| {
        let draws = (0..1200).map(|_| gamma.sample(&mut stream).max(1e-3));
        run_at(part, draws.collect())
    });
    let parts_of_runs = Parts::new(&parts, &runs).unwrap();
    let parts_of_runs = parts_of_runs.bounded(&[[0.0, f64::INFINITY]; 2]).unwrap();
    let refined = pai().refinement_rounds(15).verification_rounds(0);
    refined.combine(&parts_of_runs).unwrap();
    // the box is between 1 and 10 wide, and the search keeps 1e-4 of that away from zero
    for part in parts {
        let nearest = part.nearest.into_inner().unwrap();
        assert!((1e-4..1e-3).contains(&nearest), "{nearest:e}");
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
