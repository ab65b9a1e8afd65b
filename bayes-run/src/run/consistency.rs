//! Checks that an engine can have written the numbers of a group that was read from a file: what the types do not say.

use super::{Group, RunError, Stage};

/// Allowed relative difference between the log evidence and the sum of its increments. Engines add them in the same order, so
/// only a version that adds them differently rounds differently.
pub(super) const ROUNDING: f64 = 1e-9;

/// A group of a run.
pub(super) struct Consistency<'a> {
    /// The place of the group in its file.
    pub(super) index: usize,
    pub(super) group: &'a Group,
    /// The engine of the run.
    pub(super) engine: &'a str,
    /// Whether the run combines the runs of parts.
    pub(super) is_of_parts: bool,
}

impl Consistency<'_> {
    /// Checks that an engine can have written every number.
    pub(super) fn check(&self) -> Result<(), RunError> {
        let group = self.group;
        self.logs("log_prior", &group.log_prior)?;
        self.logs("log_likelihood", &group.log_likelihood)?;
        self.positions()?;
        self.history()?;
        group.origin.check(self)
    }

    /// The error of a number that no engine writes.
    pub(super) fn wrong(&self, field: &'static str, found: String, allowed: &str) -> RunError {
        RunError::Value {
            group: self.index,
            field,
            found,
            allowed: allowed.to_owned(),
        }
    }

    /// Checks a number.
    pub(super) fn number(
        &self,
        field: &'static str,
        found: f64,
        holds: bool,
        allowed: &str,
    ) -> Result<(), RunError> {
        let error = || self.wrong(field, found.to_string(), allowed);
        holds.then_some(()).ok_or_else(error)
    }

    /// Checks that no logarithm is NaN or infinity.
    pub(super) fn logs(&self, field: &'static str, list: &[f64]) -> Result<(), RunError> {
        let mut list = list.iter();
        list.try_for_each(|x| self.number(field, *x, is_log(*x), "a number below infinity"))
    }

    /// Checks the length of a list.
    pub(super) fn list(
        &self,
        field: &'static str,
        found: usize,
        wanted: usize,
    ) -> Result<(), RunError> {
        let error = || self.wrong(field, format!("a list of {found}"), &format!("of {wanted}"));
        (found == wanted).then_some(()).ok_or_else(error)
    }

    /// Checks that a list has this number of entries.
    pub(super) fn length(
        &self,
        list: &'static str,
        found: usize,
        wanted: usize,
    ) -> Result<(), RunError> {
        let error = RunError::Length {
            group: self.index,
            list,
            found,
            wanted,
        };
        (found == wanted).then_some(()).ok_or(error)
    }

    /// Checks that a list has an entry per draw, or none.
    pub(super) fn some_draws(&self, list: &'static str, found: usize) -> Result<(), RunError> {
        match found {
            0 => Ok(()),
            _ => self.length(list, found, self.group.log_prior.len()),
        }
    }

    fn positions(&self) -> Result<(), RunError> {
        let group = self.group;
        // an island without evidence may have lost its particles at once
        let is_dead = group.log_evidence() == Some(f64::NEG_INFINITY);
        let lost = group.positions.iter().find(|x| !x.is_finite() && !is_dead);
        lost.map_or(Ok(()), |found| {
            Err(self.wrong("positions", found.to_string(), "finite"))
        })
    }

    fn history(&self) -> Result<(), RunError> {
        let mut last = 0.0;
        for stage in self.group.history() {
            let Stage {
                lambda,
                log_increment,
                acceptance,
                step_size,
                ..
            } = *stage;
            let allowed = "from 0 to 1 and not below the one before it";
            let holds = (last..=1.0).contains(&lambda);
            self.number("history: lambda", lambda, holds, allowed)?;
            // a chain of parallel tempering may have seen no draw of the prior with a likelihood
            let is_lost = log_increment == f64::NEG_INFINITY && self.group.exchanges().is_some();
            let holds = log_increment.is_finite() || is_lost;
            self.number("history: log_increment", log_increment, holds, "finite")?;
            let holds = acceptance.is_nan() || (0.0..=1.0 + ROUNDING).contains(&acceptance);
            self.number("history: acceptance", acceptance, holds, "from 0 to 1")?;
            let holds = step_size.is_nan() || step_size >= 0.0;
            self.number("history: step_size", step_size, holds, "at least 0")?;
            last = lambda;
        }
        Ok(())
    }
}

/// Whether `x` can be the logarithm of a density, a weight or an evidence.
pub(super) fn is_log(x: f64) -> bool {
    x < f64::INFINITY
}

#[cfg(test)]
mod tests {
    use crate::run::example::{
        approximation, chains, islands, of_chain, of_draws, of_island, tempered,
    };
    use crate::run::{
        Climbs, Controlled, Excursions, Independent, LocalDraws, LocalMass, Maximum, MeanSlopes,
        Run, Widened,
    };

    /// The error of reading `run` after `change`. The tests of the format read runs without a change.
    fn refusal(mut run: Run, change: impl Fn(&mut Run)) -> String {
        change(&mut run);
        let text = serde_json::to_string(&run).expect("runs are JSON");
        let error = Run::from_json(&text).expect_err("the run was edited");
        error.to_string()
    }

    fn edited(change: impl Fn(&mut Run)) -> String {
        refusal(islands(&[-1.0, -2.5], 4), change)
    }

    #[test]
    fn an_evidence_that_is_not_the_product_of_its_increments() {
        let found = edited(|run| of_island(&mut run.groups[1]).log_evidence = Some(-1e3));
        assert_eq!(
            found,
            "group 1: `log_evidence` is -1000, must be -2.5, the sum of `log_increment` over its history"
        );
        for (value, text) in [(f64::INFINITY, "inf"), (f64::NAN, "NaN")] {
            let found = edited(|run| of_island(&mut run.groups[0]).log_evidence = Some(value));
            let wanted =
                format!("group 0: `log_evidence` is {text}, must be a number below infinity");
            assert_eq!(found, wanted);
        }
        let found =
            edited(|run| of_island(&mut run.groups[0]).log_evidence = Some(f64::NEG_INFINITY));
        assert!(found.starts_with("group 0: `log_evidence` is -inf"));
        let found = edited(|run| of_island(&mut run.groups[0]).log_evidence = None);
        assert_eq!(
            found,
            "group 0 has no log evidence, but the run is one of islands"
        );
    }

    #[test]
    fn control_variates_that_are_not_of_this_island() {
        let controlled = |log_evidence, families| {
            edited(move |run| {
                of_island(&mut run.groups[1]).controlled = Some(Controlled {
                    log_evidence,
                    ..Controlled::new(families)
                });
            })
        };
        let found = controlled(f64::NAN, 0);
        assert_eq!(
            found,
            "group 1: `controlled: log_evidence` is NaN, must be finite"
        );
        let found = controlled(-2.5, 3);
        assert_eq!(
            found,
            "group 1: `controlled: gains` is a list of 3, must be of 0"
        );
    }

    #[test]
    fn a_local_mass_that_is_not_of_these_coordinates() {
        let local_mass = |factor: usize, log_mass, inside| {
            edited(move |run| {
                of_island(&mut run.groups[1]).local_masses = vec![LocalMass {
                    mode: vec![0.0; 3],
                    values: vec![0.0; 3],
                    factor: vec![1.0; factor],
                    radius: 2.0,
                    log_mass,
                    se: 0.1,
                    draws: Some(LocalDraws {
                        inside,
                        near: 1.0,
                        se: 0.01,
                        degrees_of_freedom: 63.0,
                    }),
                }];
            })
        };
        assert_eq!(
            local_mass(5, -1.0, 0.9),
            "group 1: `local_masses: factor` is a list of 5, must be of 6"
        );
        assert_eq!(
            local_mass(6, f64::NAN, 0.9),
            "group 1: `local_masses: log_mass` is NaN, must be finite"
        );
        assert_eq!(
            local_mass(6, -1.0, 1.5),
            "group 1: `local_masses: draws` is 1.5, must be from 0 to 1"
        );
    }

    #[test]
    fn an_island_without_history_or_ancestors() {
        assert_eq!(
            edited(|run| of_island(&mut run.groups[0]).history.clear()),
            "group 0: `history` is empty, must be not empty: an island with an evidence has temperatures"
        );
        assert_eq!(
            edited(|run| of_island(&mut run.groups[1]).ancestors.clear()),
            "group 1: `ancestors` is empty, must be not empty: every particle of an island descends from one"
        );
    }

    #[test]
    fn a_group_of_another_kind_than_its_run() {
        let foreign = islands(&[-1.0], 8).groups[0].clone();
        let found = refusal(chains(2, 8), |run| run.groups[1] = foreign.clone());
        assert_eq!(
            found,
            "group 1 belongs to a run of islands, but the run is one of chains"
        );
    }

    #[test]
    fn numbers_that_no_engine_writes() {
        let stage = |change: fn(&mut crate::run::Stage)| {
            edited(|run| change(&mut of_island(&mut run.groups[0]).history[1]))
        };
        let found = stage(|stage| stage.lambda = 0.05);
        assert_eq!(
            found,
            "group 0: `history: lambda` is 0.05, must be from 0 to 1 and not below the one before it"
        );
        let found = stage(|stage| stage.log_increment = f64::NAN);
        assert!(found.contains("log_increment"), "{found}");
        let found = stage(|stage| stage.acceptance = 1.5);
        assert!(found.contains("acceptance"), "{found}");
        let found = edited(|run| run.groups[0].log_prior[2] = f64::NAN);
        assert!(found.contains("`log_prior` is NaN"), "{found}");
        let found = edited(|run| run.groups[0].positions[2] = f64::INFINITY);
        assert!(found.contains("`positions` is inf"), "{found}");
    }

    #[test]
    fn draws_of_an_approximation_without_their_densities() {
        let edited = |change: fn(&mut Independent)| {
            refusal(approximation(8, 1.0), |run| {
                change(of_draws(&mut run.groups[0]));
            })
        };
        let found = edited(|draws| draws.log_approximation.truncate(7));
        assert!(
            found.contains("`log_approximation` has 7 numbers, must have 8"),
            "{found}"
        );
        let found = edited(|draws| draws.log_approximation[2] = f64::NAN);
        assert!(found.contains("`log_approximation` is NaN"), "{found}");
        let found = edited(|draws| draws.log_weights = vec![0.0; 3]);
        assert!(found.contains("`log_weights` has 3 numbers"), "{found}");
        let found = edited(|draws| draws.log_evidence = Some(f64::INFINITY));
        assert!(found.contains("`log_evidence` is inf"), "{found}");
    }

    #[test]
    fn searches_beyond_the_draws_that_no_engine_makes() {
        let climbs = |change: fn(&mut Climbs)| {
            refusal(approximation(8, 1.0), |run| {
                let mut climbs = Climbs {
                    number: 8,
                    maxima: vec![Maximum {
                        climbs: 5,
                        log_density: -1.0,
                        values: vec![0.0; 3],
                        log_mass: -1.0,
                        se: 0.1,
                        draws: 7,
                    }],
                    ..Climbs::default()
                };
                change(&mut climbs);
                of_draws(&mut run.groups[0]).climbs = Some(climbs);
            })
        };
        assert_eq!(
            climbs(|climbs| climbs.number = 4),
            "group 0: `climbs: number` is 4, must be at least 5, the climbs that ended at a maximum"
        );
        assert_eq!(
            climbs(|climbs| climbs.maxima[0].values.truncate(2)),
            "group 0: `climbs: values` is a list of 2, must be of 3"
        );
        assert_eq!(
            climbs(|climbs| climbs.maxima[0].log_mass = f64::NAN),
            "group 0: `climbs: log_mass` is NaN, must be a number below infinity"
        );
        assert_eq!(
            climbs(|climbs| climbs.maxima[0].se = -1.0),
            "group 0: `climbs: se` is -1, must be finite and at least 0"
        );
        let found = refusal(approximation(8, 1.0), |run| {
            of_draws(&mut run.groups[0]).excursions = Some(Excursions {
                number: 128,
                rise: 0.1,
                se: -0.1,
                beyond: 0,
            });
        });
        assert_eq!(
            found,
            "group 0: `excursions: se` is -0.1, must be finite and at least 0"
        );
        let found = refusal(approximation(8, 1.0), |run| {
            of_draws(&mut run.groups[0]).widened = Some(Widened {
                scale: 0.5,
                rise: 0.1,
                se: 0.1,
            });
        });
        assert_eq!(
            found,
            "group 0: `widened: scale` is 0.5, must be finite and above 1"
        );
    }

    #[test]
    fn an_island_that_died_has_no_history() {
        let mut run = islands(&[-1.0, -2.5], 4);
        of_island(&mut run.groups[0]).log_evidence = Some(f64::NEG_INFINITY);
        of_island(&mut run.groups[0]).history.truncate(1);
        let text = serde_json::to_string(&run).expect("runs are JSON");
        assert!(Run::from_json(&text).is_ok());
    }

    #[test]
    fn mean_slopes_that_are_not_those_of_the_coordinates() {
        let slopes = |change: fn(&mut MeanSlopes)| {
            refusal(chains(2, 8), |run| {
                let dim = run.layout.dim;
                let mut slopes = MeanSlopes {
                    mean: vec![0.5; dim],
                    se: vec![0.1; dim],
                };
                change(&mut slopes);
                of_chain(&mut run.groups[1]).mean_slopes = Some(slopes);
            })
        };
        assert_eq!(
            slopes(|slopes| slopes.mean.truncate(1)),
            "group 1: `mean_slopes: mean` is a list of 1, must be of 3"
        );
        assert_eq!(
            slopes(|slopes| slopes.se.push(0.0)),
            "group 1: `mean_slopes: se` is a list of 4, must be of 3"
        );
        assert_eq!(
            slopes(|slopes| slopes.mean[2] = f64::NAN),
            "group 1: `mean_slopes: mean` is NaN, must be finite"
        );
        assert_eq!(
            slopes(|slopes| slopes.se[0] = -1.0),
            "group 1: `mean_slopes: se` is -1, must be at least 0"
        );
    }

    #[test]
    fn swaps_that_are_not_those_of_the_temperatures() {
        let swaps = |change: fn(&mut crate::run::Exchanges)| {
            refusal(tempered(2, 8, 0.5, 9), |run| {
                let exchanges = of_chain(&mut run.groups[1]).exchanges.as_mut();
                change(exchanges.expect("it is tempered"));
            })
        };
        assert_eq!(
            swaps(|exchanges| exchanges.swap_acceptance.clear()),
            "group 1: `exchanges: swap_acceptance` is a list of 0, must be one number less than 4, the temperatures of its history"
        );
        assert_eq!(
            swaps(|exchanges| exchanges.swap_acceptance[0] = f64::NAN),
            "group 1: `exchanges: swap_acceptance` is NaN, must be from 0 to 1"
        );
    }
}
