//! Draws by name: views of single draws, columns, and all draws of a quantity.

#[cfg(doc)]
use super::Trajectories;
use super::{Group, Run, RunError};
use crate::model::{Layout, Variable};

/// One draw of a run, with its values by name.
#[derive(Clone, Copy, Debug)]
pub struct DrawView<'a> {
    layout: &'a Layout,
    values: &'a [f64],
}

impl<'a> DrawView<'a> {
    /// The value of a scalar quantity.
    ///
    /// # Panics
    /// If no quantity has this name or it is not a scalar; the message lists the names.
    #[must_use]
    pub fn scalar(&self, name: &str) -> f64 {
        match self.vector(name) {
            [value] => *value,
            many => panic!(
                "`{name}` has {} elements; use `vector(\"{name}\")`",
                many.len()
            ),
        }
    }

    /// The elements of a quantity, a matrix row by row.
    ///
    /// # Panics
    /// If no quantity has this name; the message lists the names.
    #[must_use]
    pub fn vector(&self, name: &str) -> &'a [f64] {
        // Models have few names, so a scan is faster than a hash map, and nothing is built per draw.
        match self.layout.find(name) {
            Some(variable) => &self.values[variable.range()],
            None => panic!("{}", RunError::unknown_name(name, self.layout.names())),
        }
    }

    /// All values in the order of the layout.
    #[must_use]
    pub fn values(&self) -> &'a [f64] {
        self.values
    }
}

/// All draws of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    /// Weight of each draw; they sum to 1.
    pub weights: Vec<f64>,
    /// Values, `[draws, elements]` row-major.
    pub values: Vec<f64>,
    /// Number of elements of the quantity.
    pub elements: usize,
    /// Number of draws of each island or chain; the draws lie one group after another.
    pub groups: Vec<usize>,
}

impl Draws {
    /// The draws one by one, each with its elements.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.elements.max(1))
    }

    /// The same draws with the elements of each draw reordered, so that the elements of `key` in the same draw increase.
    ///
    /// [`Run::relabelled`] reorders a whole run, with its summary and pictures. This method is for draws that are not part of a run, such
    /// as the results of [`Run::generate`].
    ///
    /// # Errors
    /// [`RunError::Relabelled`] if `key` has another number of elements or draws.
    pub fn relabelled(&self, key: &Self) -> Result<Self, RunError> {
        let size = |draws: &Self| [draws.weights.len(), draws.elements];
        if size(self) != size(key) {
            return Err(RunError::Relabelled {
                draws: size(self),
                key: size(key),
            });
        }
        let mut values = Vec::with_capacity(self.values.len());
        let mut order: Vec<usize> = (0..self.elements).collect();
        for (row, key) in self.rows().zip(key.rows()) {
            order.sort_by(|a, b| key[*a].total_cmp(&key[*b]));
            values.extend(order.iter().map(|place| row[*place]));
        }
        Ok(Self {
            values,
            ..self.clone()
        })
    }
}

impl Group {
    /// The draws one by one, each of `elements` values.
    pub fn rows(&self, elements: usize) -> impl Iterator<Item = &[f64]> {
        self.draws.chunks_exact(elements.max(1))
    }

    /// Number of draws, each of `elements` values.
    #[must_use]
    pub fn len(&self, elements: usize) -> usize {
        self.draws.len() / elements.max(1)
    }
}

impl Run {
    /// Number of draws of all groups together.
    #[must_use]
    pub fn total_draws(&self) -> usize {
        self.groups
            .iter()
            .map(|group| group.len(self.layout.elements()))
            .sum()
    }

    /// Draws of the smallest group.
    #[must_use]
    pub fn draws_per_group(&self) -> usize {
        let elements = self.layout.elements();
        self.groups
            .iter()
            .map(|group| group.len(elements))
            .min()
            .unwrap_or(0)
    }

    /// Particles N of the smallest island: its draws divided by the states that were kept of each particle. For chains, the draws of the
    /// shortest chain.
    #[must_use]
    pub fn particles_per_group(&self) -> usize {
        let particles = |group: &Group| group.history().last().map(|stage| stage.particles);
        let islands = self.groups.iter().filter(|_| !self.is_chains());
        let fewest = islands.filter_map(particles).min();
        fewest.unwrap_or_else(|| self.draws_per_group())
    }

    /// The quantity called `name`.
    ///
    /// # Errors
    /// [`RunError::UnknownName`], with the names that exist; [`RunError::Generated`] for a quantity of `generate`, which
    /// [`Run::predict`] draws.
    pub fn variable(&self, name: &str) -> Result<&Variable, RunError> {
        self.layout.find(name).ok_or_else(|| {
            let mut statements = self.statements.iter();
            match statements.any(|statement| statement.generates(name)) {
                true => RunError::Generated {
                    name: name.to_owned(),
                },
                false => RunError::unknown_name(name, self.layout.names()),
            }
        })
    }

    /// Values of a quantity where divergent trajectories started, `[divergences, elements]` row-major, chain by chain. Only the first 100
    /// of each chain are kept ([`Trajectories::KEPT`]); [`Trajectories::divergent`] counts them all.
    ///
    /// # Errors
    /// [`RunError::UnknownName`], with the names that exist.
    pub fn divergences(&self, name: &str) -> Result<Vec<f64>, RunError> {
        let range = self.variable(name)?.range();
        let width = self.layout.elements().max(1);
        let starts = self.groups.iter().filter_map(Group::trajectories);
        Ok(starts
            .flat_map(|t| t.divergent_starts.chunks_exact(width))
            .flat_map(|start| start[range.clone()].to_vec())
            .collect())
    }

    /// The draws of one of the groups, with their values by name.
    pub(crate) fn views<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = DrawView<'a>> {
        let layout = &self.layout;
        let rows = group.rows(layout.elements());
        rows.map(move |values| DrawView { layout, values })
    }

    /// A function of the draws, group by group.
    pub fn map_draws(&self, function: impl Fn(DrawView<'_>) -> f64) -> Vec<Vec<f64>> {
        let elements = self.layout.elements();
        let view = |values| {
            function(DrawView {
                layout: &self.layout,
                values,
            })
        };
        self.groups
            .iter()
            .map(|group| group.rows(elements).map(view).collect())
            .collect()
    }

    /// One element of the draws, group by group.
    pub(crate) fn column(&self, element: usize) -> Vec<Vec<f64>> {
        self.map_draws(|draw| draw.values[element])
    }

    /// All draws of a quantity with their weights.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] if the model has no such quantity.
    pub fn draws(&self, name: &str) -> Result<Draws, RunError> {
        let range = self.variable(name)?.range();
        let elements = self.layout.elements();
        let rows = self.groups.iter().flat_map(|group| group.rows(elements));
        Ok(Draws {
            weights: self.draw_weights(),
            values: rows.flat_map(|row| &row[range.clone()]).copied().collect(),
            elements: range.len(),
            groups: self.group_sizes(),
        })
    }

    /// Number of draws of each group.
    #[must_use]
    pub fn group_sizes(&self) -> Vec<usize> {
        let elements = self.layout.elements();
        self.groups
            .iter()
            .map(|group| group.len(elements))
            .collect()
    }

    /// Weight of every draw, group after group; they sum to 1.
    #[must_use]
    pub fn draw_weights(&self) -> Vec<f64> {
        let elements = self.layout.elements();
        let groups = self.groups.iter().zip(self.weights().0);
        let share = |(group, weight): (&Group, f64)| {
            let within = group.weights(group.len(elements)).0;
            within.into_iter().map(move |share| weight * share)
        };
        groups.flat_map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example;

    #[test]
    fn draws_are_found_by_name() {
        let run = example::islands(&[0.0, 3f64.ln()], 2);
        let draws = run.draws("beta").expect("the example has beta");
        assert_eq!(draws.elements, 2);
        assert_eq!(draws.rows().count(), 4);
        let group = &run.groups[1].draws;
        assert_eq!(draws.rows().nth(2), Some(&group[1..3]));
        for (weight, expected) in draws.weights.iter().zip([0.125, 0.125, 0.375, 0.375]) {
            assert!((weight - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn draws_are_relabelled_by_the_order_of_a_key() {
        let run = example::islands(&[0.0, 3f64.ln()], 2);
        let beta = run.draws("beta").expect("the example has beta");
        let falling = super::Draws {
            values: beta.values.iter().map(|x| -x).collect(),
            ..beta.clone()
        };
        let (up, down) = (beta.relabelled(&beta), beta.relabelled(&falling));
        let (up, down) = (up.expect("alike"), down.expect("alike"));
        assert_eq!(up.weights, beta.weights);
        for ((up, down), row) in up.rows().zip(down.rows()).zip(beta.rows()) {
            let [low, high] = [row[0].min(row[1]), row[0].max(row[1])];
            assert_eq!((up, down), (&[low, high][..], &[high, low][..]));
        }
        let mu = run.draws("mu").expect("the example has mu");
        assert_eq!(
            beta.relabelled(&mu)
                .expect_err("mu has one element")
                .to_string(),
            "4 draws of 2 elements cannot be relabelled by 4 draws of 1 element"
        );
    }

    #[test]
    fn a_view_reads_scalars_and_vectors() {
        let run = example::islands(&[0.0], 3);
        let sums = run.map_draws(|d| d.scalar("mu") + d.vector("beta").iter().sum::<f64>());
        let first = &run.groups[0].draws[..3];
        assert_eq!(sums[0][0], first[0] + (first[1] + first[2]));
        assert_eq!(sums[0].len(), 3);
    }

    #[test]
    fn an_unknown_name_is_a_typed_error() {
        let error = example::islands(&[0.0], 2)
            .draws("betta")
            .expect_err("no betta");
        assert_eq!(
            error.to_string(),
            "no quantity is called `betta`, did you mean `beta`?; the model has `mu`, `beta`"
        );
    }

    #[test]
    #[should_panic(expected = "`beta` has 2 elements; use `vector(\"beta\")`")]
    fn a_vector_is_not_a_scalar() {
        let _ = example::islands(&[0.0], 2).map_draws(|draw| draw.scalar("beta"));
    }
}
