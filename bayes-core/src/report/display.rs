//! `Display` of a run: its settings, the summary table, the evidence, the work, and the warnings.

use super::summary::{Summary, SummaryRow};
use crate::density::Arithmetic;
use crate::diagnose::lineages::Lineages;
use crate::diagnose::{ColumnDiagnostics, Psis, Warning, superchains};
use crate::run::{Exchanges, GroupKind, Run, Stage, Trajectories, Weighting};
use crate::text::table::Line;
use crate::text::{Style, count, grouped, short};
use std::collections::BTreeSet;
use std::fmt;

/// The intended width of the printed text.
const WIDTH: usize = 100;
/// Quantities with more elements are abbreviated.
const LONGEST: usize = 12;
/// Rows shown at the beginning and at the end of an abbreviated quantity.
const SHOWN: usize = 4;
/// An interval that reaches up this many times as far as down is called skewed.
const SKEWED: f64 = 1.5;

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagnostics = ColumnDiagnostics::of_run(self);
        let summary = Summary::of(self, &diagnostics);
        self.write_header(f)?;
        writeln!(f)?;
        Summary::write(f, &self.abbreviated(&summary, f.alternate()))?;
        self.write_missing(f)?;
        writeln!(f)?;
        self.write_evidence(f)?;
        self.write_approximation(f)?;
        self.write_stages(f)?;
        self.write_counts(f)?;
        writeln!(f)?;
        self.write_warnings(f, &diagnostics)
    }
}

impl Run {
    fn write_header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (groups, draws) = (self.groups.len(), self.draws_per_group());
        let of_whole = |name| match &self.part_of {
            Some(whole) => format!("{groups} of {}", count(whole.end - whole.start, name)),
            None => count(groups as u64, name),
        };
        let size = if self.is_chains() {
            format!("{} x {}", of_whole("chain"), count(draws as u64, "draw"))
        } else if self.kind == GroupKind::Independent {
            let is_gaussian = self.elbo().is_some();
            count(draws as u64, if is_gaussian { "draw" } else { "member" })
        } else {
            let particles = self.particles_per_group();
            let states = draws / particles.max(1);
            format!(
                "{} x {}{}",
                of_whole("island"),
                count(particles as u64, "particle"),
                if states > 1 {
                    format!(" x {states} states")
                } else {
                    String::new()
                }
            )
        };
        let method = if self.engine == self.kernel {
            self.engine.clone()
        } else {
            format!("{} with {} moves", self.engine, self.kernel)
        };
        writeln!(f, "{}: {method}, {size}, seed {}", self.model, self.seed)
    }

    /// The lines of the table, without elements that never vary within a quantity that does, such as those above the diagonal of a Cholesky
    /// factor; the middle of long quantities left out.
    fn abbreviated(&self, summary: &Summary, with_histograms: bool) -> Vec<Line> {
        let mut lines = Vec::new();
        let line = |row: &&SummaryRow| row.line(with_histograms);
        for variable in &self.layout.variables {
            let rows = &summary.rows[variable.range()];
            let (fixed, varying): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.sd == 0.0);
            let rows = match varying.is_empty() {
                true => &fixed,
                false => &varying,
            };
            if rows.len() <= LONGEST {
                lines.extend(rows.iter().map(line));
                lines.extend(
                    never_varies(&fixed)
                        .into_iter()
                        .filter(|_| !varying.is_empty()),
                );
                continue;
            }
            let (first, rest) = rows.split_at(SHOWN);
            let (hidden, last) = rest.split_at(rest.len() - SHOWN);
            lines.extend(first.iter().map(line));
            lines.push(Line::Words(left_out(hidden)));
            lines.extend(last.iter().map(line));
            lines.extend(
                never_varies(&fixed)
                    .into_iter()
                    .filter(|_| !varying.is_empty()),
            );
        }
        lines
    }

    /// Why there is no R-hat, or that it is nested.
    fn write_missing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let superchains: BTreeSet<usize> = superchains(self).into_iter().flatten().collect();
        if !superchains.is_empty() {
            let (chains, starts) = (self.groups.len(), superchains.len());
            writeln!(
                f,
                "(r_hat is nested: {chains} chains started from {starts} points)"
            )?;
        } else if self.is_chains() && self.draws_per_group() < 4 {
            writeln!(f, "(no r_hat: it needs at least 4 draws in each chain)")?;
        } else if self.kind == GroupKind::Independent {
            writeln!(f, "(no r_hat: the draws are independent)")?;
        } else if !self.is_chains() && self.groups.len() < 2 {
            writeln!(f, "(no r_hat: it compares islands, and there is only one)")?;
        }
        Ok(())
    }

    fn write_evidence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(evidence) = self.log_evidence_estimate() else {
            return Ok(());
        };
        let style = Style::for_error(evidence.se, evidence.mean.abs());
        let mean = style.write(evidence.mean);
        if let Some((low, high)) = self.log_evidence_interval(0.95) {
            let is_skewed = high - evidence.mean > SKEWED * (evidence.mean - low);
            let [se, low, high] = [evidence.se, low, high].map(|value| style.write(value));
            writeln!(
                f,
                "log evidence   {mean} ± {se}, 95% interval {low} to {high}"
            )?;
            if is_skewed {
                writeln!(
                    f,
                    "               more likely too low than too high, because the islands differ"
                )?;
            }
        } else {
            writeln!(f, "log evidence   {mean}, standard error unknown")?;
        }
        if self.is_evidence_unbiased() {
            writeln!(f, "               an unbiased estimate of the evidence")?;
        }
        let groups = self.groups.len();
        if groups == 1 || self.is_chains() {
            return Ok(());
        }
        if self.weighting == Weighting::Equal {
            return writeln!(
                f,
                "islands        {groups}, weighted equally: a bias of order 1/N stays"
            );
        }
        let descent = Lineages::of(self).map_or(String::new(), |lineages| {
            format!(", descended from {} of {groups}", lineages.len())
        });
        writeln!(
            f,
            "islands        {:.1} of {groups} effective{descent}",
            self.effective_groups()
        )
    }

    /// How close a Gaussian approximation is to the posterior.
    fn write_approximation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(elbo), Some(weights)) = (self.elbo(), self.importance()) else {
            return Ok(());
        };
        let style = Style::for_error(elbo.se, elbo.mean.abs());
        let [mean, se] = [elbo.mean, elbo.se].map(|value| style.write(value));
        writeln!(f, "ELBO           {mean} ± {se}, at most the log evidence")?;
        writeln!(
            f,
            "approximation  k-hat {:.2} of its importance weights",
            weights.pareto_k
        )?;
        let is_weighted = self
            .groups
            .iter()
            .any(|group| !group.log_weights.is_empty());
        let is_close = weights.pareto_k <= Psis::good_k(weights.log_weights.len());
        match self.importance_evidence() {
            // where the draws have these weights, the evidence above is that by them
            Some(evidence) if is_close && !is_weighted => {
                let style = Style::for_error(evidence.se, evidence.mean.abs());
                let [mean, se] = [evidence.mean, evidence.se].map(|value| style.write(value));
                writeln!(
                    f,
                    "               log evidence {mean} ± {se} by these weights"
                )
            }
            _ => Ok(()),
        }
    }

    fn write_stages(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exchanges: Vec<&Exchanges> = self.exchanges().collect();
        if !self.is_chains() || !exchanges.is_empty() {
            let stages = || self.groups.iter().map(|group| group.history.len());
            let (fewest, most) = (stages().min().unwrap_or(0), stages().max().unwrap_or(0));
            match (fewest, most) {
                (_, 0) => {}
                (fewest, most) if fewest == most => writeln!(f, "temperatures   {most}")?,
                _ => writeln!(f, "temperatures   {fewest} to {most}")?,
            }
        }
        write_exchanges(f, &exchanges)?;
        let last: Vec<&Stage> = self
            .groups
            .iter()
            .filter_map(|g| g.history.last())
            .collect();
        if last.is_empty() {
            return Ok(());
        }
        let mean = |field: fn(&Stage) -> f64| {
            last.iter().map(|stage| field(stage)).sum::<f64>() / last.len() as f64
        };
        let acceptance = mean(|stage| stage.acceptance);
        let step_size = mean(|stage| stage.step_size);
        // jumps of whole numbers alone have no size
        let step_size = match step_size.is_finite() {
            true => format!(", step size {}", short(step_size)),
            false => String::new(),
        };
        if self.is_chains() {
            writeln!(f, "moves          acceptance {acceptance:.2}{step_size}")?;
            return self.write_trajectories(f);
        }
        let steps = grouped(mean(|stage| stage.mutations as f64).round() as u64);
        writeln!(
            f,
            "last moves     acceptance {acceptance:.2}{step_size}, {steps} mutation steps"
        )
    }

    /// Statistics of the trajectories after the burn-in.
    fn write_trajectories(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || self.groups.iter().filter_map(|g| g.trajectories.as_ref());
        let sum = |field: fn(&Trajectories) -> u64| all().map(field).fold(0, u64::saturating_add);
        let transitions = sum(|t| t.transitions);
        if transitions == 0 {
            return Ok(());
        }
        let leapfrogs = sum(|t| t.leapfrogs) as f64 / transitions as f64;
        write!(f, "trajectories   {leapfrogs:.1} leapfrog steps")?;
        let doublings = sum(|t| t.tree_depth_sum) as f64 / transitions as f64;
        if doublings > 0.0 {
            write!(f, ", depth {doublings:.1}")?;
        }
        let e_bfmi = all().map(|t| t.e_bfmi).fold(f64::INFINITY, f64::min);
        if e_bfmi.is_finite() {
            write!(f, ", least E-BFMI of a chain {e_bfmi:.2}")?;
        }
        writeln!(f)?;
        let divergent = sum(|t| t.divergent);
        if divergent > 0 {
            let (divergent, transitions) = (grouped(divergent), grouped(transitions));
            writeln!(
                f,
                "divergences    {divergent} of {transitions} trajectories"
            )?;
        }
        Ok(())
    }

    fn write_counts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        let densities = grouped(counts.density_evaluations);
        let gradients = grouped(counts.gradient_evaluations);
        writeln!(
            f,
            "evaluations    {densities} of the density, {gradients} with its gradient"
        )?;
        let Arithmetic {
            gradient,
            reason,
            instruction_set,
            ..
        } = &self.arithmetic;
        if counts.gradient_evaluations > 0 {
            writeln!(f, "gradients      {} mode: {reason}", gradient.name())?;
        }
        writeln!(f, "arithmetic     {instruction_set}")?;
        let mut recorded = self.groups.iter().filter_map(|g| g.trajectories.as_ref());
        if counts.divergences > 0 && recorded.all(|t| t.transitions == 0) {
            let divergences = grouped(counts.divergences);
            if self.is_chains() {
                writeln!(
                    f,
                    "divergences    {divergences} trajectories, those of the burn-in among them"
                )?;
            } else {
                // a file may contain any number of steps
                let stages = self.groups.iter().flat_map(|group| &group.history);
                let moves = stages.map(|stage| stage.mutations as u64);
                let moves = moves.fold(0, u64::saturating_add);
                let moves = grouped(moves.saturating_mul(self.particles_per_group() as u64));
                writeln!(
                    f,
                    "divergences    {divergences} of {moves} trajectories, whose moves were rejected"
                )?;
            }
        }
        if counts.non_finite_gradients > 0 {
            let times = grouped(counts.non_finite_gradients);
            writeln!(f, "not finite     {times} gradients of a finite density")?;
        }
        for (index, times) in &counts.non_finite {
            let place = self.statements.get(*index).map_or_else(
                || format!("statement {index}"),
                |statement| format!("line {}: {}", statement.line, statement.text),
            );
            let (nan, infinite) = (grouped(times.nan), grouped(times.infinite));
            writeln!(
                f,
                "not finite     {nan} NaN, {infinite} infinite in {place}"
            )?;
        }
        Ok(())
    }

    fn write_warnings(
        &self,
        f: &mut fmt::Formatter<'_>,
        diagnostics: &[ColumnDiagnostics],
    ) -> fmt::Result {
        let warnings = Warning::all_of(self, diagnostics);
        if warnings.is_empty() {
            return writeln!(f, "no warnings");
        }
        for warning in warnings {
            write_wrapped(f, "warning: ", &warning.to_string())?;
        }
        Ok(())
    }
}

/// The exchanges of chains of parallel tempering.
fn write_exchanges(f: &mut fmt::Formatter<'_>, exchanges: &[&Exchanges]) -> fmt::Result {
    if exchanges.is_empty() {
        return Ok(());
    }
    let pairs = || exchanges.iter().flat_map(|e| &e.swap_acceptance).copied();
    let (least, most) = (
        pairs().fold(f64::INFINITY, f64::min),
        pairs().fold(0.0, f64::max),
    );
    let number = exchanges.len() as f64;
    let barrier = exchanges.iter().map(|e| e.barrier()).sum::<f64>() / number;
    writeln!(
        f,
        "swaps          acceptance {least:.2} to {most:.2}, communication barrier {barrier:.1}"
    )?;
    let trips = exchanges.iter().map(|e| e.round_trips);
    let trips = trips.fold(0, u64::saturating_add);
    let possible: f64 = exchanges.iter().map(|e| e.possible_round_trips()).sum();
    let (trips, possible) = (grouped(trips), grouped(possible.round() as u64));
    writeln!(
        f,
        "round trips    {trips} from the prior to the posterior and back; independent moves would make {possible}"
    )
}

/// What is said of elements that are the same in every draw.
fn never_varies(fixed: &[&SummaryRow]) -> Option<Line> {
    let row = fixed.first()?;
    let others = match fixed.len() - 1 {
        0 => "never varies; `run.summary()` has it".to_owned(),
        n => format!(
            "and {} never vary; `run.summary()` has them",
            count(n as u64, "other")
        ),
    };
    Some(Line::Words(format!("...  {} {others}", row.name)))
}

fn left_out(hidden: &[&SummaryRow]) -> String {
    match (hidden.first(), hidden.last()) {
        (Some(first), Some(last)) => format!(
            "...  {} to {} ({} rows) are left out; `run.summary()` has them all",
            first.name,
            last.name,
            hidden.len()
        ),
        _ => String::new(),
    }
}

/// Text wrapped between words, with continuation lines indented.
fn write_wrapped(f: &mut fmt::Formatter<'_>, label: &str, text: &str) -> fmt::Result {
    let indent = label.chars().count();
    write!(f, "{label}")?;
    let mut column = indent;
    for (index, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if index > 0 && column + 1 + width > WIDTH {
            write!(f, "\n{:indent$}", "")?;
            column = indent;
        } else if index > 0 {
            write!(f, " ")?;
            column += 1;
        }
        write!(f, "{word}")?;
        column += width;
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use crate::dist::Shape;
    use crate::run::example::{chains, islands, normals};
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
        run.groups[1].history.pop();
        run.groups[1].history[1].lambda = 1.0;
        assert_eq!(run.to_string(), ISLANDS.trim_start());
    }

    #[test]
    fn chains_print_as_promised() {
        assert_eq!(chains(4, 1000).to_string(), CHAINS.trim_start());
    }

    #[test]
    fn the_alternate_form_has_histograms() {
        let text = format!("{:#}", chains(4, 1000));
        let mu = text.lines().find(|line| line.starts_with("mu"));
        let bars = mu.and_then(|line| line.split_whitespace().nth(1));
        // of the normal distribution itself they would be ▂▄▆██▆▄▂
        assert_eq!(bars, Some("▂▄▇██▆▄▂"), "{text}");
    }

    #[test]
    fn long_vectors_are_abbreviated_and_the_summary_is_not() {
        let run = with_vector(islands(&[-3.0; 4], 64), 40);
        let text = run.to_string();
        assert!(text.contains(
            "...  beta[4] to beta[35] (32 rows) are left out; `run.summary()` has them all"
        ));
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
        run.groups[2].history[2].lambda = 0.5;
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
            chain.superchain = Some(c as u64 % 8);
        }
        let text = run.to_string();
        assert!(
            text.contains("(r_hat is nested: 64 chains started from 8 points)"),
            "{text}"
        );
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
        let stages = run.groups.iter().flat_map(|group| &group.history);
        let moves = 64 * stages.map(|stage| stage.mutations).sum::<usize>();
        let moves = crate::text::grouped(moves as u64);
        let line = format!("divergences    3 of {moves} trajectories, whose moves were rejected\n");
        assert!(run.to_string().contains(&line), "{run}");
        // a file may contain any number of steps
        run.groups[0].history[0].mutations = usize::MAX;
        assert!(
            run.to_string().contains("divergences    3 of 18 446 744"),
            "{run}"
        );
    }

    #[test]
    fn transitions_that_overflow_still_print() {
        let mut run = chains(4, 100);
        for chain in &mut run.groups {
            chain.counts.divergences = 1;
            chain.trajectories = Some(crate::run::Trajectories {
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
            .for_each(|chain| chain.trajectories = None);
        let line = "divergences    500 trajectories, those of the burn-in among them\n";
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
}
