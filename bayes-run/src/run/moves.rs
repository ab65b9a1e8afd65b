//! What moved the states of a run.

use super::{GroupKind, Run, Stage};

impl Run {
    /// What moved the states: the name of the kernel, or `random_walk` where particles walked in place of its trajectories, as they do in one
    /// or two coordinates; `random_walk and hmc` if they did at some temperatures only.
    #[must_use]
    pub fn moves(&self) -> String {
        let stages = self.groups.iter().flat_map(|group| group.history());
        // levels of nested sampling and chains note no trajectories
        let tempered: Vec<&Stage> = stages.filter(|stage| stage.level.is_none()).collect();
        if self.kernel != "hmc" || self.kind != GroupKind::Islands || tempered.is_empty() {
            return self.kernel.clone();
        }
        let walked = tempered.iter().filter(|stage| stage.leapfrog_steps == 0);
        match walked.count() {
            0 => self.kernel.clone(),
            all if all == tempered.len() => WALK.to_owned(),
            _ => format!("{WALK} and {}", self.kernel),
        }
    }
}

/// The kernel of the walks.
const WALK: &str = "random_walk";

#[cfg(test)]
mod tests {
    use crate::run::example::{islands, of_island};

    /// Would detect the kernel's name, whatever the particles did.
    #[test]
    fn particles_that_walked_are_not_moved_by_trajectories() {
        let mut run = islands(&[-3.0; 2], 16);
        assert_eq!(run.moves(), "hmc");
        let stages = of_island(&mut run.groups[0]).history.len();
        for (group, walked) in [(0, stages), (1, 1)] {
            let history = &mut of_island(&mut run.groups[group]).history;
            for stage in history.iter_mut().take(walked) {
                stage.leapfrog_steps = 0;
            }
        }
        assert_eq!(run.moves(), "random_walk and hmc");
        for stage in &mut of_island(&mut run.groups[1]).history {
            stage.leapfrog_steps = 0;
        }
        assert_eq!(run.moves(), "random_walk");
        let text = run.to_string();
        assert!(
            text.starts_with("line: psmc with random_walk moves, "),
            "{text}"
        );
        // nested sampling notes no trajectories
        for group in &mut run.groups {
            for stage in &mut of_island(group).history {
                stage.level = Some(0.0);
            }
        }
        assert_eq!(run.moves(), "hmc");
    }
}
