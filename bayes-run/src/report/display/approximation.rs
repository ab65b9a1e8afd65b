//! The lines of a Gaussian approximation: its ELBO, k-hat of its importance weights, and its paths.

use crate::diagnose::{Psis, Warning};
use crate::run::{Group, Run};
use crate::text::{count, with_error};
use std::fmt;

impl Run {
    /// How close a Gaussian approximation is to the posterior.
    pub(super) fn write_approximation(
        &self,
        f: &mut fmt::Formatter<'_>,
        warnings: &[Warning],
    ) -> fmt::Result {
        let (Some(elbo), Some(weights)) = (self.elbo(), self.importance()) else {
            return Ok(());
        };
        let elbo = with_error(elbo.mean, elbo.se);
        let meaning = match self.has_improper_prior() {
            true => "up to a constant: a prior is improper, so that there is no evidence",
            false => "at most the log evidence",
        };
        writeln!(f, "ELBO           {elbo}, {meaning}")?;
        writeln!(
            f,
            "approximation  k-hat {:.2} of its importance weights",
            weights.pareto_k
        )?;
        self.write_paths(f)?;
        self.write_maxima(f)?;
        let is_weighted = self
            .groups
            .iter()
            .any(|group| !group.log_weights().is_empty());
        let is_close = weights.pareto_k <= Psis::finite_k(weights.log_weights.len());
        let is_blind = warnings.iter().any(Warning::is_of_missed_part);
        match self.importance_evidence() {
            // if the draws have these weights, the evidence above is the one by weights
            Some(evidence) if is_close && !is_weighted && !is_blind => {
                let evidence = with_error(evidence.mean, evidence.se);
                writeln!(f, "               log evidence {evidence} by these weights")
            }
            _ => Ok(()),
        }
    }

    /// How many climbs ended at other maxima than the highest.
    fn write_maxima(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut independent = self.groups.iter().filter_map(Group::independent);
        let Some(climbs) = independent.find_map(|own| own.climbs.as_ref()) else {
            return Ok(());
        };
        let others = climbs.maxima.iter().skip(1);
        let elsewhere: u64 = others.map(|maximum| maximum.climbs).sum();
        if elsewhere == 0 {
            return Ok(());
        }
        let (all, maxima) = (count(climbs.number, "climb"), climbs.maxima.len());
        writeln!(
            f,
            "maxima         {maxima}; {elsewhere} of {all} ended at others than the highest"
        )
    }

    /// The paths of Pathfinder.
    fn write_paths(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.pathfinder_paths();
        if paths.is_empty() {
            return Ok(());
        }
        let failed = paths.iter().filter(|path| path.failure.is_some()).count();
        let iterates: u64 = paths.iter().map(|path| path.iterates).sum();
        let (all, failed) = (paths.len(), count(failed as u64, "failure"));
        let iterates = count(iterates, "iterate");
        writeln!(f, "paths          {all}, {failed}, {iterates} together")
    }
}
