//! `Display` of a run: its settings, the summary table, the evidence, the work, and the warnings.

mod approximation;
mod search;

use super::summary::{Summary, SummaryRow};
use super::wrapped::LABEL;
use crate::density::Arithmetic;
use crate::diagnose::lineages::Lineages;
use crate::diagnose::{ColumnDiagnostics, Estimate, Warning, is_harmless, superchains, wrapped};
use crate::run::{
    Counts, Exchanges, Group, GroupKind, Island, Run, Stage, StatementInfo, Trajectories, Weighting,
};
use crate::text::table::{self, Line};
use crate::text::{Style, count, grouped, short, with_error};
use std::collections::BTreeSet;
use std::fmt;

/// An interval whose upper half is this many times as long as its lower half, or more, is called skewed.
const SKEWED: f64 = 1.5;
/// The share of gradients that are not finite from which on moves are slow.
const FREQUENT: f64 = 0.01;

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_except(f, &[])
    }
}

impl Run {
    /// Writes the run without the rows of some quantities and elements.
    pub(super) fn write_except(
        &self,
        f: &mut fmt::Formatter<'_>,
        hidden: &[String],
    ) -> fmt::Result {
        let diagnostics = ColumnDiagnostics::of_run(self);
        let summary = Summary::of(self, &diagnostics);
        self.write_header(f)?;
        writeln!(f)?;
        let not_shown: Vec<String> = self.hidden().map(str::to_owned).collect();
        let hidden = [hidden, &not_shown].concat();
        Summary::write(f, &self.abbreviated(&summary, &hidden, f.alternate()))?;
        if !not_shown.is_empty() {
            writeln!(f, "(not shown: {})", not_shown.join(", "))?;
        }
        self.write_missing(f)?;
        writeln!(f)?;
        self.write_evidence(f)?;
        let warnings = Warning::all_of(self, &diagnostics);
        self.write_approximation(f, &warnings)?;
        self.write_search(f)?;
        self.write_stages(f)?;
        self.write_counts(f)?;
        writeln!(f)?;
        write_warnings(f, &warnings)
    }

    fn write_header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(recipe) = &self.recipe {
            writeln!(f, "{}", recipe.title)?;
        }
        let (groups, draws) = (self.groups.len(), self.draws_per_group());
        let of_whole = |name| match &self.part_of {
            Some(whole) => format!("{groups} of {}", count(whole.end - whole.start, name)),
            None => count(groups as u64, name),
        };
        let size = match self.kind {
            GroupKind::Chains => format!("{} x {}", of_whole("chain"), count(draws as u64, "draw")),
            GroupKind::Independent => {
                let is_gaussian = self.elbo().is_some();
                count(draws as u64, if is_gaussian { "draw" } else { "member" })
            }
            GroupKind::Islands => {
                let particles = self.particles_per_group();
                let states = match draws / particles.max(1) {
                    0 | 1 => String::new(),
                    states => format!(" x {states} states"),
                };
                let particles = count(particles as u64, "particle");
                format!("{} x {particles}{states}", of_whole("island"))
            }
        };
        let method = if self.engine == self.kernel {
            self.engine.clone()
        } else {
            format!("{} with {} moves", self.engine, self.moves())
        };
        writeln!(f, "{}: {method}, {size}, seed {}", self.model, self.seed)
    }

    /// The lines of the table. Elements that never vary are left out if others of their quantity vary, such as the elements above the
    /// diagonal of a Cholesky factor. The middle of long quantities is left out too.
    fn abbreviated(
        &self,
        summary: &Summary,
        hidden: &[String],
        with_histograms: bool,
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        let is_shown = |row: &&SummaryRow| !hidden.iter().any(|name| row.is_of(name));
        let line = |row: &&SummaryRow| row.line(with_histograms);
        for variable in &self.layout.variables {
            let rows = summary.rows[variable.range()].iter().filter(is_shown);
            let (fixed, varying): (Vec<_>, Vec<_>) = rows.partition(|row| row.sd == 0.0);
            let rows = match varying.is_empty() {
                true => &fixed,
                false => &varying,
            };
            lines.extend(table::abbreviated(rows, line, left_out));
            lines.extend(
                never_varies(&fixed)
                    .into_iter()
                    .filter(|_| !varying.is_empty()),
            );
        }
        lines
    }

    /// Writes why there is no R-hat, or that R-hat is nested.
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
        } else if self.kind == GroupKind::Islands && self.groups.len() < 2 {
            writeln!(f, "(no r_hat: it compares islands, and there is only one)")?;
        }
        Ok(())
    }

    /// Writes the estimates of which the log evidence is made, if there are several.
    fn write_parts(&self, f: &mut fmt::Formatter<'_>, style: &Style) -> fmt::Result {
        let with_error = |one: &Estimate| {
            let [mean, se] = [one.mean, one.se].map(|value| style.write(value));
            format!("{mean} ± {se}")
        };
        match self.log_evidence_in_words(&with_error) {
            Some(words) => writeln!(f, "               ({words})"),
            None => Ok(()),
        }
    }

    fn write_evidence(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(evidence) = self.log_evidence_estimate() else {
            return Ok(());
        };
        let style = Style::for_error(evidence.se, evidence.mean.abs());
        let mean = style.write(evidence.mean);
        if let Some((low, high)) = self.log_evidence_interval(0.95) {
            let is_skewed = high - evidence.mean > SKEWED * (evidence.mean - low);
            let [low, high] = [low, high].map(|value| style.write(value));
            let own = with_error(evidence.mean, evidence.se);
            writeln!(f, "log evidence   {own}, 95% interval {low} to {high}")?;
            self.write_parts(f, &style)?;
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
        if groups == 1 || self.kind != GroupKind::Islands {
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

    fn write_stages(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exchanges: Vec<&Exchanges> = self.exchanges().collect();
        if !self.is_chains() || !exchanges.is_empty() {
            let stages = || self.groups.iter().map(|group| group.history().len());
            let (fewest, most) = (stages().min().unwrap_or(0), stages().max().unwrap_or(0));
            let name = match self
                .groups
                .iter()
                .filter_map(Group::island)
                .any(Island::has_levels)
            {
                true => "levels",
                false => "temperatures",
            };
            match (fewest, most) {
                (_, 0) => {}
                (fewest, most) if fewest == most => writeln!(f, "{name:<15}{most}")?,
                _ => writeln!(f, "{name:<15}{fewest} to {most}")?,
            }
        }
        write_exchanges(f, &exchanges)?;
        let groups = self.groups.iter();
        let last: Vec<&Stage> = groups.filter_map(|g| g.history().last()).collect();
        if last.is_empty() {
            return Ok(());
        }
        let mean = |field: fn(&Stage) -> f64| {
            last.iter().map(|stage| field(stage)).sum::<f64>() / last.len() as f64
        };
        let acceptance = mean(|stage| stage.acceptance);
        let step_size = mean(|stage| stage.step_size);
        // chains that only jump between whole numbers have no step size
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
        let all = || self.groups.iter().filter_map(Group::trajectories);
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
                "divergences    {divergent} of {transitions} trajectories between draws"
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
        let mut recorded = self.groups.iter().filter_map(Group::trajectories);
        if counts.divergences > 0 && recorded.all(|t| t.transitions == 0) {
            let divergences = grouped(counts.divergences);
            if self.is_chains() {
                writeln!(
                    f,
                    "divergences    {divergences} trajectories, including the burn-in"
                )?;
            } else {
                // a file may contain any number of steps
                let stages = self.groups.iter().flat_map(Group::history);
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
            writeln!(f, "               {}", self.harm_of_gradients(&counts))?;
        }
        self.write_non_finite(f, &counts)
    }

    /// What gradients that are not finite do to the result. A move is exact for any force, and 0 is one.
    fn harm_of_gradients(&self, counts: &Counts) -> &'static str {
        let share = counts.non_finite_gradients as f64 / counts.gradient_evaluations.max(1) as f64;
        match self.kind {
            GroupKind::Independent => "taken as 0; `run.failures()` tells where",
            _ if share < FREQUENT => {
                "taken as 0: moves stay exact, and so does the result; `run.failures()` tells where"
            }
            _ => "taken as 0: moves stay exact, but many are slow; `run.failures()` tells where",
        }
    }

    fn write_non_finite(&self, f: &mut fmt::Formatter<'_>, counts: &Counts) -> fmt::Result {
        let failures = counts.non_finite.iter();
        for (index, times) in failures.filter(|(_, times)| times.nan > 0 || times.infinite > 0) {
            let place = self
                .statements
                .get(*index)
                .map_or_else(|| format!("statement {index}"), StatementInfo::listed);
            let (nan, infinite) = (grouped(times.nan), grouped(times.infinite));
            writeln!(
                f,
                "not finite     {nan} NaN, {infinite} infinite in {place}"
            )?;
            let evaluations = counts
                .density_evaluations
                .saturating_add(counts.gradient_evaluations);
            if times.nan > 0 && is_harmless(self, evaluations, times) {
                let words = match times.nan_in_burn_in {
                    0 => "too rare to change the result; `run.failures()` tells where",
                    _ => {
                        "too rare after the burn-in to change the result; `run.failures()` tells where"
                    }
                };
                writeln!(f, "               {words}")?;
            }
        }
        Ok(())
    }
}

fn write_warnings(f: &mut fmt::Formatter<'_>, warnings: &[Warning]) -> fmt::Result {
    if warnings.is_empty() {
        return writeln!(f, "no warnings");
    }
    for warning in warnings {
        wrapped::write(f, LABEL, &warning.to_string())?;
    }
    Ok(())
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

/// The text for elements that are the same in every draw.
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

#[cfg(test)]
mod tests;
