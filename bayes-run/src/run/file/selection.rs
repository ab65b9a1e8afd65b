//! Some of the quantities of a run.

use crate::model::{Layout, Variable};
use crate::run::{Group, Run, RunError};

/// The quantities that are kept of each group.
pub struct Selection {
    chosen: Vec<Variable>,
    /// Number of values of a whole draw.
    width: usize,
}

impl Selection {
    /// Quantities of a run by name.
    ///
    /// # Errors
    /// [`RunError::UnknownName`].
    pub fn of<N: AsRef<str>>(
        run: &Run,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, RunError> {
        let names = names.into_iter();
        let chosen = names.map(|name| run.variable(name.as_ref()).cloned());
        Ok(Self {
            chosen: chosen.collect::<Result<Vec<Variable>, RunError>>()?,
            width: run.layout.elements(),
        })
    }

    /// Whether no quantity is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The layout of the selected quantities, without coordinates.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let mut offset = 0;
        let moved = |variable: &Variable| {
            let moved = Variable {
                offset,
                ..variable.clone()
            };
            offset += variable.shape.elements();
            moved
        };
        Layout {
            variables: self.chosen.iter().map(moved).collect(),
            dim: 0,
        }
    }

    /// A group with the selected quantities only, without positions and the numbers that are
    /// compared with positions.
    #[must_use]
    pub fn of_group(&self, mut group: Group) -> Group {
        group.draws = self.values(&group.draws);
        group.positions = Vec::new();
        for values in group.origin.draws_mut() {
            *values = self.values(values);
        }
        group
    }

    fn values(&self, draws: &[f64]) -> Vec<f64> {
        let mut values = Vec::new();
        for row in draws.chunks_exact(self.width.max(1)) {
            for variable in &self.chosen {
                values.extend_from_slice(&row[variable.range()]);
            }
        }
        values
    }
}
