//! Every warning: a run that has it, and a run that just avoids it.

use super::*;
use crate::run::NonFinite;
use crate::run::example::{chains, islands, normals, stage};

/// Asserts that `run` has exactly this warning.
fn assert_warned(run: &Run, text: &str) {
    let texts: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(texts, [text]);
}

/// Replaces every value of the element by `change(group, draw, value)`.
fn change(run: &mut Run, element: usize, change: impl Fn(usize, usize, f64) -> f64) {
    let width = run.layout.elements();
    for (index, group) in run.groups.iter_mut().enumerate() {
        for (draw, row) in group.draws.chunks_exact_mut(width).enumerate() {
            row[element] = change(index, draw, row[element]);
        }
    }
}

/// The share of seeds for which a healthy run has any warning.
fn alarms(seeds: u64, healthy: impl Fn() -> Run, correlation: f64) -> f64 {
    let alarmed = |seed: &u64| {
        let mut run = healthy();
        for (index, group) in run.groups.iter_mut().enumerate() {
            group.draws =
                autoregressive(10_000 * seed + index as u64, group.draws.len(), correlation);
        }
        !run.warnings().is_empty()
    };
    (1..=seeds).filter(alarmed).count() as f64 / seeds as f64
}

/// Three columns, each a stationary first-order autoregression of variance 1.
fn autoregressive(item: u64, values: usize, correlation: f64) -> Vec<f64> {
    let mut draws = normals(item, values);
    for i in 3..values {
        draws[i] = correlation * draws[i - 3] + (1.0 - correlation.powi(2)).sqrt() * draws[i];
    }
    draws
}

// With the fixed limit 1.01 for R-hat, the runs with few draws would have warnings for 34% to 100% of the seeds.
#[test]
fn healthy_runs_raise_no_alarm() {
    let even = |count| vec![-3.0; count];
    assert!(alarms(50, || islands(&even(8), 32), 0.0) <= 0.02);
    assert!(alarms(50, || islands(&even(8), 128), 0.3) <= 0.02);
    assert!(alarms(20, || islands(&even(64), 32), 0.3) <= 0.05);
    assert!(alarms(20, || islands(&even(8), 1024), 0.5) <= 0.05);
    assert!(alarms(50, || chains(200, 10), 0.0) <= 0.04);
    assert!(alarms(50, || chains(256, 1), 0.0) <= 0.02);
    assert!(alarms(50, || chains(4, 250), 0.0) <= 0.04);
    assert!(alarms(20, || chains(4, 2000), 0.5) <= 0.05);
}

#[test]
fn one_island_with_all_the_weight() {
    let mut log_evidence = vec![-10.0; 8];
    log_evidence[3] = -6.9;
    let run = islands(&log_evidence, 64);
    let warnings = run.warnings();
    assert_eq!(
        warnings[0].to_string(),
        "island 3 carries 76% of the weight: the effective number of islands is 1.7 of 8. The estimates \
         and their standard errors rest on few islands. Use more particles per island or more mutation \
         steps, so that the islands agree on the evidence."
    );
    let equal = run.reweighted(Weighting::Equal);
    assert!(
        equal
            .warnings()
            .iter()
            .all(|w| !matches!(w, Warning::IslandDominates { .. }))
    );
}

#[test]
fn two_islands_are_not_suspect_for_being_two() {
    assert_eq!(islands(&[-3.0, -2.6], 64).warnings(), []);
    let dominated = islands(&[-3.0, 3.0], 64).warnings();
    assert!(matches!(
        dominated[0],
        Warning::IslandDominates {
            island: 1,
            islands: 2,
            ..
        }
    ));
}

#[test]
fn islands_in_different_modes() {
    let mut run = islands(&[-3.0; 8], 256);
    change(&mut run, 1, |island, _, value| {
        value + if island < 4 { 5.0 } else { -5.0 }
    });
    let warnings = run.warnings();
    let [
        Warning::IslandsDisagree {
            r_hat,
            limit,
            elements: 1,
            ..
        },
    ] = warnings.as_slice()
    else {
        panic!("{warnings:?}");
    };
    assert_eq!(
        warnings[0].to_string(),
        format!(
            "the islands disagree: R-hat is {r_hat:.3} for `beta[0]`; it should be below {limit:.3}. \
             The particles of an island stay correlated after resampling, or islands found different \
             modes. Use more mutation steps or more particles."
        )
    );
    assert!(*r_hat > 1.5 && *limit < 1.05);
}

#[test]
fn chains_in_different_modes() {
    let mut run = chains(4, 500);
    change(&mut run, 0, |chain, _, value| {
        value + 4.0 * (chain % 2) as f64
    });
    change(&mut run, 2, |chain, _, value| value + (chain % 2) as f64);
    let warnings = run.warnings();
    let Warning::ChainsDisagree {
        r_hat, elements: 2, ..
    } = warnings[0]
    else {
        panic!("{warnings:?}");
    };
    assert!(r_hat > 1.3);
    assert_eq!(
        warnings[0].to_string(),
        format!(
            "the chains have not converged: R-hat is {r_hat:.3} for `mu` (and too high for 1 other); \
             it should be below 1.010. Do not use these draws. Run longer chains with a longer burn-in, \
             preferably by `Inference::nuts()`. If the posterior may be multimodal, use `Inference::psmc()`."
        )
    );
}

#[test]
fn a_single_chain_that_drifts() {
    let mut run = chains(1, 1000);
    change(&mut run, 0, |_, draw, value| value + draw as f64 / 200.0);
    assert!(matches!(run.warnings()[0], Warning::ChainsDisagree { .. }));
}

#[test]
fn chains_worth_few_draws() {
    let run = chains(4, 60);
    let Warning::ChainsTooShort { element, ess, .. } = &run.warnings()[0] else {
        panic!("another warning");
    };
    assert_warned(
        &run,
        &format!(
            "the chains are too short: the effective sample size of `{element}` is {ess:.0}; at least 400 \
             is recommended. Standard errors and R-hat are not reliable. Keep more draws, thin more or use \
             more chains."
        ),
    );
}

#[test]
fn a_ladder_that_ends_early() {
    let mut run = islands(&[-3.0; 4], 64);
    run.groups[2].history.pop();
    assert_warned(
        &run,
        "the temperature ladder did not reach the posterior: 1 island stopped before the power of the \
         likelihood was 1; the lowest power is 4.000e-1. The draws are not from the posterior. End the \
         schedule at 1, or allow more temperatures.",
    );
}

#[test]
fn a_ladder_in_tiny_steps() {
    let mut run = islands(&[-3.0; 4], 64);
    let ladder = [0.1, 0.10001, 0.10002, 0.10003, 0.5, 1.0];
    run.groups[1].history = ladder.map(|lambda| stage(lambda, 64)).to_vec();
    assert_warned(
        &run,
        "the temperature ladder stalled: 3 of 6 steps of island 1 raised the power of the likelihood \
         by less than 0.1%. The moves no longer spread the particles out. Use more mutation steps, more \
         particles or another kernel.",
    );
}

#[test]
fn a_fine_ladder_by_wish_is_no_stall() {
    let mut run = islands(&[-3.0; 4], 64);
    let fine = |i: usize| Stage {
        ess: 63.9,
        ..stage(i as f64 / 5000.0, 64)
    };
    run.groups[1].history = (1..=5000).map(fine).collect();
    assert_eq!(run.warnings(), []);
}

#[test]
fn moves_that_are_refused() {
    let mut run = islands(&[-3.0; 4], 64);
    for group in &mut run.groups {
        group.history[2].acceptance = 0.004;
    }
    assert_warned(
        &run,
        "the acceptance rate is too low: 0.4% at the last stage, and below 5% at 4 of 12 stages. The draws \
         hardly move. Use a smaller step size, fewer leapfrog steps or another kernel.",
    );
}

#[test]
fn a_resampling_that_leaves_few() {
    let mut run = islands(&[-3.0; 4], 64);
    run.groups[3].history[0].unique_ancestors = 2;
    assert_warned(
        &run,
        "resampling kept 2 distinct particles of 64 in island 3, at the power 1.000e-1 of the likelihood. \
         The step from the previous temperature was too large. Use an adaptive schedule, a higher ESS \
         target or more particles.",
    );
}

#[test]
fn a_single_island_of_few_families() {
    let mut run = islands(&[-3.0], 4000);
    run.groups[0].ancestors = (0..4000).map(|i| i % 8).collect();
    assert_warned(
        &run,
        "the standard errors are unreliable: the 4000 particles of the only island descend from 8 \
         initial particles. Use several islands (`Inference::psmc()`), or more particles.",
    );
    run.groups[0].ancestors = vec![17; 4000];
    assert_eq!(run.log_evidence_se(), None);
    assert_warned(
        &run,
        "there are no standard errors: all 4000 particles of the only island descend from one initial \
         particle, or their ancestry was not recorded. Use several islands (`Inference::psmc()`), or more \
         particles.",
    );
}

#[test]
fn an_evidence_known_badly() {
    let log_evidence: Vec<f64> = normals(5, 8).iter().map(|z| 1.6 * z).collect();
    let run = islands(&log_evidence, 256);
    let se = run.log_evidence_se().expect("there are 8 islands");
    assert_warned(
        &run,
        &format!(
            "the log evidence is imprecise: its standard error is {se:.2}; it should be below 0.5. Use \
             more particles, more mutation steps or more islands."
        ),
    );
}

#[test]
fn islands_whose_evidences_scatter() {
    let log_evidence: Vec<f64> = normals(5, 64).iter().map(|z| 0.8 * z).collect();
    let run = islands(&log_evidence, 256);
    let warning = evidence_scattered(&run)
        .expect("0.8 is above 0.5")
        .to_string();
    assert!(
        warning.starts_with(
            "the log evidence may be too low by more than its standard error: the log evidences of the 64 islands \
             have standard deviation 0."
        ),
        "{warning}"
    );
    let narrow: Vec<f64> = log_evidence.iter().map(|z| 0.4 * z).collect();
    assert_eq!(evidence_scattered(&islands(&narrow, 256)), None);
    assert_eq!(evidence_scattered(&islands(&log_evidence[..3], 256)), None);
}

#[test]
fn densities_that_are_nan() {
    let mut run = islands(&[-3.0; 4], 64);
    run.groups[0].counts.non_finite.insert(
        0,
        NonFinite {
            nan: 2,
            infinite: 50,
            cause: None,
        },
    );
    run.groups[3].counts.non_finite.insert(
        0,
        NonFinite {
            nan: 1,
            infinite: 0,
            cause: None,
        },
    );
    assert_warned(
        &run,
        "the log density was NaN at 3 of 4400 evaluations (0.07%), in `observe(y[i], Normal::new(mu, \
         1.0))` (line 12). Such moves are rejected, so part of the posterior may be missing. Guard \
         the expression against overflow, 0/0 and roots or logarithms of negative numbers.",
    );
}

#[test]
fn a_nan_in_a_million_is_no_alarm() {
    let mut run = islands(&[-3.0; 4], 64);
    run.groups[2].counts.gradient_evaluations = 1_000_000 - 3400;
    run.groups[0].counts.non_finite.insert(
        0,
        NonFinite {
            nan: 2,
            infinite: 0,
            cause: None,
        },
    );
    assert_warned(
        &run,
        "the log density was NaN at 2 of 1000000 evaluations (2.0 in a million), in `observe(y[i], \
         Normal::new(mu, 1.0))` (line 12). Such moves are rejected. They are too rare to change the result much.",
    );
}

#[test]
fn divergences_are_told_without_their_place() {
    let mut run = with_trajectories(&healthy_trajectories());
    run.groups[2]
        .trajectories
        .as_mut()
        .expect("there are some")
        .divergent = 2;
    assert_warned(
        &run,
        "2 of 2000 trajectories diverged. Part of the posterior may be missing. Write group effects in the \
         non-centred parametrisation, or raise the kernel's `target_acceptance`.",
    );
}

#[test]
fn chains_under_a_flat_prior_are_not_sent_to_islands() {
    let mut run = chains(4, 500);
    run.statements[0].improper = true;
    change(&mut run, 0, |chain, _, value| {
        value + 4.0 * (chain % 2) as f64
    });
    let text = run.warnings()[0].to_string();
    assert!(
        text.contains("`Inference::nuts()`") && !text.contains("psmc"),
        "{text}"
    );
}

/// Chains with these trajectories each.
fn with_trajectories(trajectories: &Trajectories) -> Run {
    let mut run = chains(4, 500);
    for group in &mut run.groups {
        group.trajectories = Some(trajectories.clone());
    }
    run
}

fn healthy_trajectories() -> Trajectories {
    Trajectories {
        transitions: 500,
        leapfrogs: 3500,
        doublings: 1500,
        e_bfmi: 0.9,
        ..Trajectories::default()
    }
}

#[test]
fn healthy_trajectories_raise_no_alarm() {
    assert_eq!(with_trajectories(&healthy_trajectories()).warnings(), []);
}

#[test]
fn divergences_are_told_with_their_place() {
    let mut run = with_trajectories(&healthy_trajectories());
    let trajectories = run.groups[2].trajectories.as_mut().expect("there are some");
    trajectories.divergent = 2;
    trajectories.divergent_starts = vec![0.1, -3.0, 0.0, -0.1, -4.0, 0.0];
    let mean = super::super::rhat::mean(&run.column(1).concat());
    assert_warned(
        &run,
        &format!(
            "2 of 2000 trajectories diverged: at their starting points `beta[0]` averages -3.500 \
             (posterior mean {}). Part of the posterior near these points may be missing. Write group effects \
             in the non-centred parametrisation, or raise the kernel's `target_acceptance`. \
             `run.divergences(name)` gives the starting points of divergent trajectories.",
            crate::report::short(mean)
        ),
    );
    assert_eq!(run.divergences("beta"), Ok(vec![-3.0, 0.0, -4.0, 0.0]));
    assert_eq!(run.divergences("mu"), Ok(vec![0.1, -0.1]));
}

#[test]
fn energies_that_are_crossed_slowly() {
    let mut run = with_trajectories(&healthy_trajectories());
    for (chain, e_bfmi) in [(1, 0.2), (3, 0.1)] {
        let trajectories = run.groups[chain].trajectories.as_mut();
        trajectories.expect("there are some").e_bfmi = e_bfmi;
    }
    assert_warned(
        &run,
        "the E-BFMI of chain 3 is 0.10 (and too low in 1 other); at least 0.3 is recommended. The chain \
         explores the tails of the posterior slowly. Write group effects in the non-centred parametrisation, \
         or reparametrise heavy-tailed quantities.",
    );
}

#[test]
fn trees_that_are_cut_off() {
    let run = with_trajectories(&Trajectories {
        saturated: 6,
        ..healthy_trajectories()
    });
    assert_warned(
        &run,
        "24 of 2000 trajectories reached the maximum tree depth. The draws are valid but strongly \
         autocorrelated. Rescale the parameters to similar magnitudes, try `.mass(Mass::Covariance)`, or raise \
         `max_depth`. Jumps of the density have the same effect; `model.check(..)` looks for them.",
    );
}

#[test]
fn a_constant_element_is_no_reason_to_warn() {
    let mut run = chains(4, 500);
    change(&mut run, 1, |_, _, _| 2.5);
    assert_eq!(run.warnings(), []);
}
