//! What a run prints.

use crate::dist::Shape;
use crate::run::example::{chains, islands, normals, of_chain, of_island};
use crate::run::{Layout, NonFinite, Run, Weighting};

/// The example with its vector made `length` long.
fn with_vector(mut run: Run, length: usize) -> Run {
    let draws = run.draws_per_group();
    run.layout.variables[1].shape = Shape::Vector(length);
    for (index, group) in run.groups.iter_mut().enumerate() {
        group.draws = normals(500 + index as u64, (1 + length) * draws);
    }
    run
}

#[test]
fn islands_print_as_promised() {
    let log_evidence: Vec<f64> = (0..8).map(|i| -274.0 + 0.1 * f64::from(i % 3)).collect();
    let mut run = islands(&log_evidence, 256);
    run.groups[0].counts.non_finite.insert(
        0,
        NonFinite {
            nan: 0,
            infinite: 1234,
            ..NonFinite::default()
        },
    );
    of_island(&mut run.groups[1]).history.pop();
    of_island(&mut run.groups[1]).history[1].lambda = 1.0;
    assert_eq!(run.to_string(), ISLANDS.trim_start());
}

#[test]
fn chains_print_as_promised() {
    assert_eq!(chains(4, 1000).to_string(), CHAINS.trim_start());
}

#[test]
fn quantities_are_left_out_of_the_text() {
    let run = chains(4, 1000);
    let without = |names: &[&str]| {
        let names = names.iter().copied();
        run.except(names).expect("they are known").to_string()
    };
    let beta = |line: &&str| !line.starts_with("beta");
    let wanted: Vec<&str> = CHAINS.trim_start().lines().filter(beta).collect();
    let found = without(&["beta"]);
    // the columns are as wide as the remaining names
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&found), words(&wanted.join("\n")));
    assert!(!without(&["beta[1]"]).contains("beta[1]"));
    assert!(without(&["beta[1]"]).contains("beta[0]"));
    assert_eq!(without(&[]), run.to_string());
    let error = run.except(["betta"]).expect_err("there is none");
    assert!(
        error.to_string().contains("did you mean `beta`?"),
        "{error}"
    );
}

#[test]
fn the_alternate_form_has_histograms() {
    let text = format!("{:#}", chains(4, 1000));
    let mu = text.lines().find(|line| line.starts_with("mu"));
    let bars = mu.and_then(|line| line.split_whitespace().nth(1));
    // the exact normal distribution would give ▂▄▆██▆▄▂
    assert_eq!(bars, Some("▂▄▇██▆▄▂"), "{text}");
}

#[test]
fn long_vectors_are_abbreviated_and_the_summary_is_not() {
    let run = with_vector(islands(&[-3.0; 4], 64), 40);
    let text = run.to_string();
    assert!(
        text.contains(
            "...  beta[4] to beta[35] (32 rows) are left out; `run.summary()` has them all"
        )
    );
    assert!(text.contains("\nbeta[3]") && text.contains("\nbeta[36]"));
    assert!(!text.contains("\nbeta[4] ") && !text.contains("\nbeta[35] "));
    assert_eq!(run.summary().to_string().lines().count(), 1 + 41);
    assert_eq!(
        run.summary().row("beta[35]").map(|row| row.q50.is_finite()),
        Some(true)
    );
}

#[test]
fn everything_fits_a_hundred_columns() {
    let mut run = with_vector(
        islands(&[-30_000.5, -30_009.0, -30_011.0, -30_020.0], 32),
        200,
    );
    run.groups[0].counts.non_finite.insert(
        0,
        NonFinite {
            nan: 7,
            infinite: 1,
            ..NonFinite::default()
        },
    );
    of_island(&mut run.groups[2]).history[2].lambda = 0.5;
    let text = run.to_string();
    assert!(text.contains("warning: the temperature ladder did not reach"));
    assert!(text.matches("warning: ").count() >= 3);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn a_missing_r_hat_is_explained() {
    assert!(
        chains(64, 1)
            .to_string()
            .contains("no r_hat: it needs at least 4 draws")
    );
    assert!(
        islands(&[-3.0], 64)
            .to_string()
            .contains("no r_hat: it compares islands")
    );
    let mut run = chains(64, 1);
    for (c, chain) in run.groups.iter_mut().enumerate() {
        of_chain(chain).superchain = Some(c as u64 % 8);
    }
    let text = run.to_string();
    assert!(
        text.contains("(r_hat is nested: 64 chains started from 8 points)"),
        "{text}"
    );
}

/// Each chain stays where it is. The mutation that the test detects: R-hat in sixteen digits.
#[test]
fn an_enormous_r_hat_is_written_as_large() {
    let mut run = chains(4, 1000);
    let elements = run.layout.elements();
    for (k, chain) in run.groups.iter_mut().enumerate() {
        for draw in chain.draws.chunks_mut(elements) {
            draw[0] = k as f64;
        }
    }
    let text = run.to_string();
    assert!(text.contains("> 1000"), "{text}");
    assert!(text.contains("R-hat is above 1000 for `mu`"), "{text}");
}

#[test]
fn runs_without_quantities_or_groups_still_print() {
    let mut run = islands(&[-3.0], 4);
    run.layout = Layout::default();
    run.groups[0].draws.clear();
    assert!(run.to_string().contains("log evidence   -3.000"));
    run.groups.clear();
    assert!(run.to_string().starts_with("line: psmc"));
}

#[test]
fn divergences_of_particles_have_their_share() {
    let mut run = islands(&[-3.0; 4], 64);
    run.groups[0].counts.divergences = 3;
    let stages = run.groups.iter().flat_map(|group| group.history());
    let moves = 64 * stages.map(|stage| stage.mutations).sum::<usize>();
    let moves = crate::text::grouped(moves as u64);
    let line = format!("divergences    3 of {moves} trajectories, whose moves were rejected\n");
    assert!(run.to_string().contains(&line), "{run}");
    // a file may contain any number of steps
    of_island(&mut run.groups[0]).history[0].mutations = usize::MAX;
    assert!(
        run.to_string().contains("divergences    3 of 18 446 744"),
        "{run}"
    );
}

/// The mutation that it detects: gradients that are not finite are counted without a word on the harm.
#[test]
fn gradients_that_are_not_finite_are_said_to_be_harmless_or_slow() {
    let of = |times: u64| {
        let mut run = islands(&[-3.0; 4], 64);
        run.groups[0].counts.non_finite_gradients = times;
        run.to_string()
    };
    let few = "not finite     3 gradients of a finite density\n               taken as 0: moves stay exact, and so does the result; `run.failures()` tells where\n";
    assert!(of(3).contains(few), "{}", of(3));
    let many = "moves stay exact, but many are slow";
    assert!(of(400).contains(many), "{}", of(400));
    assert!(!of(0).contains("taken as 0"));
}

#[test]
fn transitions_that_overflow_still_print() {
    let mut run = chains(4, 100);
    for chain in &mut run.groups {
        chain.counts.divergences = 1;
        of_chain(chain).trajectories = Some(crate::run::Trajectories {
            transitions: u64::MAX,
            ..crate::run::Trajectories::default()
        });
    }
    assert!(run.to_string().contains("trajectories"), "{run}");
}

#[test]
fn chains_of_one_draw_tell_the_divergences_of_their_burn_in() {
    let mut run = chains(64, 1);
    run.groups[0].counts.divergences = 500;
    run.groups
        .iter_mut()
        .for_each(|chain| of_chain(chain).trajectories = None);
    let line = "divergences    500 trajectories, including the burn-in\n";
    assert!(run.to_string().contains(line), "{run}");
}

#[test]
fn the_baseline_is_called_by_its_name() {
    let run = islands(&[-3.0; 4], 64).reweighted(Weighting::Equal);
    assert!(
        run.to_string()
            .contains("4, weighted equally: a bias of order 1/N stays")
    );
}

const ISLANDS: &str = "
line: psmc with hmc moves, 8 islands x 256 particles, seed 1

           mean   mcse     sd      5%     50%    95%  ess_bulk  ess_tail  r_hat
mu        0.022  0.022  0.999  -1.648   0.040  1.681      2060      2048  1.003
beta[0]  -0.017  0.022  0.978  -1.610  -0.026  1.566      2009      2004  1.000
beta[1]  -0.034  0.023  1.022  -1.698  -0.044  1.642      1980      2011  1.002

log evidence   -273.909 ± 0.030, 95% interval -273.975 to -273.835
islands        8.0 of 8 effective
temperatures   2 to 3
last moves     acceptance 0.65, step size 0.3000, 10 mutation steps
evaluations    800 of the density, 8 000 with its gradient
gradients      reverse mode: 12 operations, recorded once, are replayed for 32 particles at a time
arithmetic     avx2
not finite     0 NaN, 1 234 infinite in line 12: observe(y[i], Normal::new(mu, 1.0))

no warnings
";

const CHAINS: &str = "
line: hmc, 4 chains x 1000 draws, seed 1

           mean   mcse     sd      5%     50%    95%  ess_bulk  ess_tail  r_hat
mu       -0.016  0.016  0.988  -1.616  -0.005  1.596      3744      3851  1.000
beta[0]  -0.038  0.016  0.994  -1.688  -0.038  1.571      4068      4059  1.000
beta[1]   0.007  0.016  1.002  -1.653   0.014  1.668      3866      3958  1.000

moves          acceptance 0.65, step size 0.3000
evaluations    0 of the density, 2 000 with its gradient
gradients      reverse mode: 12 operations, recorded once, are replayed for 32 particles at a time
arithmetic     avx2

no warnings
";
