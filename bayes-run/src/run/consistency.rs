//! Checks that an engine can have written the numbers of a group that was read from a file.

use super::{Group, GroupKind, LocalMass, RunError, Stage};

/// The engines whose islands have a history and ancestors.
const CLIMBING: [&str; 4] = ["smc", "psmc", "ais", "nested"];
/// Allowed relative difference between the log evidence and the sum of its increments. Engines add them in the same order, so
/// only a version that adds them differently rounds differently.
const ROUNDING: f64 = 1e-9;

/// A group, the kind of its run, and the run's engine.
pub(super) struct Consistency<'a> {
    pub(super) index: usize,
    pub(super) group: &'a Group,
    pub(super) kind: GroupKind,
    pub(super) engine: &'a str,
}

impl Consistency<'_> {
    /// Checks that an engine can have written every number.
    pub(super) fn check(&self) -> Result<(), RunError> {
        self.densities()?;
        self.history()?;
        self.local_masses()?;
        match self.kind {
            GroupKind::Islands => self.island(),
            GroupKind::Chains => self.chain(),
            GroupKind::Independent => self.independent(),
        }
    }

    fn wrong(&self, field: &'static str, found: String, allowed: &str) -> RunError {
        RunError::Value {
            group: self.index,
            field,
            found,
            allowed: allowed.to_owned(),
        }
    }

    fn number(
        &self,
        field: &'static str,
        found: f64,
        holds: bool,
        allowed: &str,
    ) -> Result<(), RunError> {
        let error = || self.wrong(field, found.to_string(), allowed);
        holds.then_some(()).ok_or_else(error)
    }

    fn densities(&self) -> Result<(), RunError> {
        let group = self.group;
        let lists = [
            ("log_prior", &group.log_prior),
            ("log_likelihood", &group.log_likelihood),
            ("log_weights", &group.log_weights),
            ("log_approximation", &group.log_approximation),
        ];
        for (name, list) in lists {
            if let Some(found) = list.iter().find(|x| !is_log(**x)) {
                return Err(self.wrong(name, found.to_string(), "a number below infinity"));
            }
        }
        // an island without evidence may have lost its particles at once
        let is_dead = group.log_evidence == Some(f64::NEG_INFINITY);
        let lost = group.positions.iter().find(|x| !x.is_finite() && !is_dead);
        lost.map_or(Ok(()), |found| {
            Err(self.wrong("positions", found.to_string(), "finite"))
        })
    }

    fn history(&self) -> Result<(), RunError> {
        let mut last = 0.0;
        for stage in &self.group.history {
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
            let is_lost = log_increment == f64::NEG_INFINITY && self.group.exchanges.is_some();
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

    fn island(&self) -> Result<(), RunError> {
        let group = self.group;
        let Some(log_evidence) = group.log_evidence else {
            return Ok(());
        };
        let allowed = "a number below infinity";
        self.number("log_evidence", log_evidence, is_log(log_evidence), allowed)?;
        let is_dead = log_evidence == f64::NEG_INFINITY;
        let is_complete = group
            .history
            .last()
            .is_some_and(|stage| stage.lambda == 1.0);
        if is_dead && !is_complete {
            // the island stopped where all its particles had density zero
            return Ok(());
        }
        if CLIMBING.contains(&self.engine) {
            let none = |list, of: &str| {
                let allowed = format!("not empty: {of}");
                Err(self.wrong(list, "empty".to_owned(), &allowed))
            };
            if group.history.is_empty() {
                return none("history", "an island with an evidence has temperatures");
            }
            if group.ancestors.is_empty() && !group.log_prior.is_empty() {
                return none("ancestors", "every particle of an island descends from one");
            }
        }
        if group.exchanges.is_some() {
            let found = "a list of swaps".to_owned();
            return Err(self.wrong("exchanges", found, "empty: islands have none"));
        }
        if let Some(controlled) = &group.controlled {
            let found = controlled.log_evidence;
            self.number(
                "controlled: log_evidence",
                found,
                found.is_finite(),
                "finite",
            )?;
            let (found, wanted) = (controlled.gains.len(), group.gains.len());
            if found != wanted {
                let found = format!("a list of {found}");
                return Err(self.wrong("controlled: gains", found, &format!("of {wanted}")));
            }
        }
        if group.history.is_empty() {
            return Ok(());
        }
        self.sum_of_increments(log_evidence)
    }

    /// The ellipsoids belong to islands and have the dimension of the positions.
    fn local_masses(&self) -> Result<(), RunError> {
        let group = self.group;
        let draws = group.log_prior.len().max(1);
        let dim = group.positions.len() / draws;
        let elements = group.draws.len() / draws;
        for mass in &group.local_masses {
            if self.kind != GroupKind::Islands || dim == 0 {
                let allowed = "empty: only islands with positions have some";
                return Err(self.wrong("local_masses", "a list".to_owned(), allowed));
            }
            let lists = [
                ("local_masses: mode", mass.mode.len(), dim),
                ("local_masses: values", mass.values.len(), elements),
                (
                    "local_masses: factor",
                    mass.factor.len(),
                    dim * (dim + 1) / 2,
                ),
            ];
            for (field, found, wanted) in lists {
                if found != wanted {
                    let found = format!("a list of {found}");
                    return Err(self.wrong(field, found, &format!("of {wanted}")));
                }
            }
            let is_finite = |x: f64| x.is_finite();
            let LocalMass {
                log_mass,
                radius,
                se,
                ..
            } = *mass;
            self.number(
                "local_masses: log_mass",
                log_mass,
                is_finite(log_mass),
                "finite",
            )?;
            let holds = is_finite(radius) && radius > 0.0;
            self.number("local_masses: radius", radius, holds, "finite and above 0")?;
            let holds = is_finite(se) && se >= 0.0;
            self.number("local_masses: se", se, holds, "finite and at least 0")?;
        }
        Ok(())
    }

    /// Independent draws have neither temperatures nor swaps.
    fn independent(&self) -> Result<(), RunError> {
        let group = self.group;
        if let Some(log_evidence) = group.log_evidence {
            let allowed = "a number below infinity";
            self.number("log_evidence", log_evidence, is_log(log_evidence), allowed)?;
        }
        let lists = [
            ("history", !group.history.is_empty()),
            ("exchanges", group.exchanges.is_some()),
            ("controlled", group.controlled.is_some()),
        ];
        let extra = lists.into_iter().find(|(_, is_there)| *is_there);
        extra.map_or(Ok(()), |(field, _)| {
            let allowed = "empty: independent draws have none";
            Err(self.wrong(field, "a list".to_owned(), allowed))
        })
    }

    /// The log evidence is the sum of the log increments of the history.
    fn sum_of_increments(&self, log_evidence: f64) -> Result<(), RunError> {
        let history = &self.group.history;
        let increments = || history.iter().map(|stage| stage.log_increment);
        let (sum, size): (f64, f64) = (increments().sum(), increments().map(f64::abs).sum());
        let close = (log_evidence - sum).abs() <= ROUNDING * (1.0 + size);
        let allowed = format!("{sum}, the sum of `log_increment` over its history");
        let holds = close || log_evidence == sum;
        self.number("log_evidence", log_evidence, holds, &allowed)
    }

    /// The swaps of a chain of parallel tempering, one for each pair of temperatures.
    fn exchanges(&self) -> Result<(), RunError> {
        let (Some(exchanges), Some(log_evidence)) =
            (&self.group.exchanges, self.group.log_evidence)
        else {
            return Ok(());
        };
        self.sum_of_increments(log_evidence)?;
        let (pairs, temperatures) = (exchanges.swap_acceptance.len(), self.group.history.len());
        let holds = pairs + 1 == temperatures;
        let allowed =
            format!("one number less than {temperatures}, the temperatures of its history");
        let found = || format!("a list of {pairs}");
        let field = "exchanges: swap_acceptance";
        holds
            .then_some(())
            .ok_or_else(|| self.wrong(field, found(), &allowed))?;
        exchanges.swap_acceptance.iter().try_for_each(|share| {
            let holds = (0.0..=1.0 + ROUNDING).contains(share);
            self.number(field, *share, holds, "from 0 to 1")
        })
    }

    fn chain(&self) -> Result<(), RunError> {
        let group = self.group;
        self.exchanges()?;
        if group.controlled.is_some() {
            return Err(self.wrong("controlled", "there".to_owned(), "empty: chains have none"));
        }
        if group.ancestors.is_empty() {
            return Ok(());
        }
        let found = format!("a list of {}", group.ancestors.len());
        Err(self.wrong("ancestors", found, "empty: chains have none"))
    }
}

/// Whether `x` can be the logarithm of a density, a weight or an evidence.
fn is_log(x: f64) -> bool {
    x < f64::INFINITY
}

#[cfg(test)]
mod tests {
    use crate::run::example::{approximation, chains, islands, stage, tempered};
    use crate::run::{Controlled, LocalMass, Run};

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
        let found = edited(|run| run.groups[1].log_evidence = Some(-1e3));
        assert_eq!(
            found,
            "group 1: `log_evidence` is -1000, must be -2.5, the sum of `log_increment` over its history"
        );
        for (value, text) in [(f64::INFINITY, "inf"), (f64::NAN, "NaN")] {
            let found = edited(|run| run.groups[0].log_evidence = Some(value));
            let wanted =
                format!("group 0: `log_evidence` is {text}, must be a number below infinity");
            assert_eq!(found, wanted);
        }
        let found = edited(|run| run.groups[0].log_evidence = Some(f64::NEG_INFINITY));
        assert!(found.starts_with("group 0: `log_evidence` is -inf"));
        let found = edited(|run| run.groups[0].log_evidence = None);
        assert_eq!(
            found,
            "group 0 has no log evidence, but the run is one of islands"
        );
    }

    #[test]
    fn control_variates_that_are_not_of_this_island() {
        let controlled = |log_evidence, families| {
            edited(move |run| {
                run.groups[1].controlled = Some(Controlled {
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
        let local_mass = |factor: usize, log_mass| {
            edited(move |run| {
                run.groups[1].local_masses = vec![LocalMass {
                    mode: vec![0.0; 3],
                    values: vec![0.0; 3],
                    factor: vec![1.0; factor],
                    radius: 2.0,
                    log_mass,
                    se: 0.1,
                }];
            })
        };
        assert_eq!(
            local_mass(5, -1.0),
            "group 1: `local_masses: factor` is a list of 5, must be of 6"
        );
        assert_eq!(
            local_mass(6, f64::NAN),
            "group 1: `local_masses: log_mass` is NaN, must be finite"
        );
    }

    #[test]
    fn an_island_without_history_or_ancestors() {
        assert_eq!(
            edited(|run| run.groups[0].history.clear()),
            "group 0: `history` is empty, must be not empty: an island with an evidence has temperatures"
        );
        assert_eq!(
            edited(|run| run.groups[1].ancestors.clear()),
            "group 1: `ancestors` is empty, must be not empty: every particle of an island descends from one"
        );
        let found = refusal(chains(1, 8), |run| run.groups[0].ancestors = vec![0; 8]);
        assert!(
            found.ends_with("must be empty: chains have none"),
            "{found}"
        );
    }

    #[test]
    fn numbers_that_no_engine_writes() {
        let stage = |change: fn(&mut crate::run::Stage)| {
            edited(|run| change(&mut run.groups[0].history[1]))
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
    fn independent_draws_with_what_they_cannot_have() {
        let edited = |change: fn(&mut crate::run::Group)| {
            refusal(approximation(8, 1.0), |run| change(&mut run.groups[0]))
        };
        assert_eq!(
            edited(|group| group.history.push(stage(1.0, 8))),
            "group 0: `history` is a list, must be empty: independent draws have none"
        );
        let found = edited(|group| group.log_approximation.truncate(7));
        assert!(
            found.contains("`log_approximation` has 7 numbers, must have 8"),
            "{found}"
        );
        let found = edited(|group| group.log_approximation[2] = f64::NAN);
        assert!(found.contains("`log_approximation` is NaN"), "{found}");
    }

    #[test]
    fn an_island_that_died_has_no_history() {
        let mut run = islands(&[-1.0, -2.5], 4);
        run.groups[0].log_evidence = Some(f64::NEG_INFINITY);
        run.groups[0].history.truncate(1);
        let text = serde_json::to_string(&run).expect("runs are JSON");
        assert!(Run::from_json(&text).is_ok());
    }

    #[test]
    fn swaps_that_are_not_those_of_the_temperatures() {
        let swaps = |change: fn(&mut crate::run::Exchanges)| {
            refusal(tempered(2, 8, 0.5, 9), |run| {
                change(run.groups[1].exchanges.as_mut().expect("it is tempered"));
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
        let found = refusal(tempered(2, 8, 0.5, 9), |run| {
            run.groups[0].log_evidence = Some(-1.0);
        });
        assert!(
            found.starts_with("group 0: `log_evidence` is -1, must be"),
            "{found}"
        );
        let found = edited(|run| run.groups[0].exchanges = Some(crate::run::Exchanges::default()));
        assert!(
            found.ends_with("must be empty: islands have none"),
            "{found}"
        );
    }
}
