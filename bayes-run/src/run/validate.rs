//! Checks that a run read from a file is consistent, so that every query works.

use super::consistency::Consistency;
use super::{Group, Layout, PARTS, Run, RunError};
use crate::dist::Shape;

impl Run {
    /// Checks the properties on which the other methods of a run rely, and which engines guarantee.
    ///
    /// # Errors
    /// [`RunError::Layout`] if quantities overlap, leave gaps or are too large for the address space;
    /// [`RunError::NoGroups`], [`RunError::NoDraws`], [`RunError::Ragged`] and [`RunError::Length`] if draws are missing or
    /// incomplete, [`RunError::Kind`] for a group of another kind, [`RunError::Evidence`] if islands have no evidence,
    /// [`RunError::Value`] for numbers that no engine writes.
    pub(crate) fn validate(&self) -> Result<(), RunError> {
        let elements = values_of(&self.layout)?;
        if self.groups.is_empty() {
            return Err(RunError::NoGroups);
        }
        for (i, group) in self.groups.iter().enumerate() {
            whole_draws(i, group, elements)?;
        }
        let mut groups = self.groups.iter().enumerate();
        groups.try_for_each(|(i, group)| self.intact_group(i, group, elements))?;
        self.validate_modes()
    }

    /// The modes of all islands have as many coordinates. Positions do not tell how many where quantities were selected.
    pub(super) fn validate_modes(&self) -> Result<(), RunError> {
        let mut dim = None;
        for (i, group) in self.groups.iter().enumerate() {
            let masses = group
                .island()
                .map_or(&[][..], |island| &island.local_masses);
            for mass in masses {
                let found = mass.mode.len();
                let wanted = *dim.get_or_insert(found);
                if found != wanted {
                    return Err(RunError::Length {
                        group: i,
                        list: "local_masses: mode",
                        found,
                        wanted,
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks the group with number `i` of its file, as [`validate`](Self::validate) does.
    pub(super) fn validate_group(&self, i: usize, group: &Group) -> Result<(), RunError> {
        let elements = values_of(&self.layout)?;
        whole_draws(i, group, elements)?;
        self.intact_group(i, group, elements)
    }

    /// The group is of the kind of the run, and every list has an entry per draw.
    fn intact_group(&self, i: usize, group: &Group, elements: usize) -> Result<(), RunError> {
        let found = group.origin.kind();
        if found != self.kind {
            return Err(RunError::Kind {
                group: i,
                found: found.plural(),
                wanted: self.kind.plural(),
            });
        }
        let at = Consistency {
            index: i,
            group,
            engine: &self.engine,
            is_of_parts: self.settings.contains_key(PARTS),
        };
        let draws = group.log_prior.len();
        if elements > 0 {
            at.length("log_prior", draws, group.len(elements))?;
        }
        let positions = draws.saturating_mul(self.layout.dim);
        at.length("positions", group.positions.len(), positions)?;
        at.length("log_likelihood", group.log_likelihood.len(), draws)?;
        let mut lengths = group.statistics.lengths();
        lengths.try_for_each(|length| at.length("statistics", length, draws))?;
        at.check()
    }
}

/// A group has whole draws of `elements` elements.
fn whole_draws(group: usize, of: &Group, elements: usize) -> Result<(), RunError> {
    let values = of.draws.len();
    if values == 0 && elements > 0 {
        return Err(RunError::NoDraws { group });
    }
    if !values.is_multiple_of(elements.max(1)) {
        return Err(RunError::Ragged {
            group,
            values,
            elements,
        });
    }
    Ok(())
}

/// The number of values of a draw, if every quantity begins where the previous one ends.
pub(super) fn values_of(layout: &Layout) -> Result<usize, RunError> {
    let mut end = 0_usize;
    for variable in &layout.variables {
        let wrong = |allowed| RunError::Layout {
            name: variable.name.clone(),
            offset: variable.offset,
            allowed,
        };
        if variable.offset != end {
            return Err(wrong(format!("{end}, where the previous quantity ends")));
        }
        end = elements(variable.shape)
            .and_then(|elements| end.checked_add(elements))
            .ok_or_else(|| wrong("such that it ends within the address space".to_owned()))?;
    }
    Ok(end)
}

/// [`Shape::elements`] with a check for overflow.
fn elements(shape: Shape) -> Option<usize> {
    match shape {
        Shape::Matrix(rows, columns) => rows.checked_mul(columns),
        small => Some(small.elements()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::{chains, islands, tempered};

    fn refusal(change: impl Fn(&mut Run)) -> String {
        let mut run = islands(&[-1.0, -2.0], 4);
        change(&mut run);
        let mut text = Vec::new();
        run.to_json(&mut text).expect("memory takes all");
        let text = String::from_utf8(text).expect("JSON is text");
        let error = Run::from_json(&text).expect_err("the run is not intact");
        error.to_string()
    }

    #[test]
    fn runs_of_engines_are_intact() {
        assert_eq!(islands(&[-1.0], 4).validate(), Ok(()));
        assert_eq!(chains(3, 1).validate(), Ok(()));
        assert_eq!(tempered(3, 1, 0.5, 9).validate(), Ok(()));
        let mut run = chains(1, 2);
        run.layout = Layout::default();
        run.groups[0].draws.clear();
        // models without random quantities have dimension 0
        run.groups[0].positions.clear();
        assert_eq!(run.validate(), Ok(()));
    }

    #[test]
    fn quantities_that_overlap_are_named() {
        assert_eq!(
            refusal(|run| run.layout.variables[1].offset = 7),
            "`beta` begins at value 7 of a draw, must be 1, where the previous quantity ends"
        );
    }

    #[test]
    fn shapes_beyond_memory_are_refused() {
        let huge = [Shape::Vector(usize::MAX), Shape::Matrix(1 << 32, 1 << 32)];
        for shape in huge {
            assert_eq!(
                refusal(|run| run.layout.variables[1].shape = shape),
                "`beta` begins at value 1 of a draw, must be such that it ends within the address space"
            );
        }
        // the layout fits into the address space, and there is no draw to contradict it
        assert_eq!(
            refusal(|run| {
                run.layout.variables[1].shape = Shape::Vector(1 << 60);
                run.groups[1].draws.clear();
                run.groups[0].draws.clear();
            }),
            "group 0 has no draws"
        );
    }

    #[test]
    fn missing_draws_are_counted() {
        assert_eq!(
            refusal(|run| run.groups[1].draws.clear()),
            "group 1 has no draws"
        );
        assert_eq!(
            refusal(|run| run.groups.clear()),
            "the run has no islands and no chains"
        );
    }
}
