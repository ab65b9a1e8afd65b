//! Runs whose components are sorted by one of their quantities.

use super::{Run, RunError};
use crate::dist::Shape;
use crate::model::Variable;
use crate::text::count;

impl Run {
    /// The same run with the components of each draw sorted, so that the elements of `key` in this draw increase. The elements of `key`
    /// and of the quantities in `with` change places together; matrices move row by row.
    ///
    /// Only their numbers tell the components of a mixture apart, and the numbers change places within chains and between chains. If one
    /// quantity separates the components, its order turns the numbers into labels. Then the summary, with its errors and R-hat, warnings,
    /// pictures and reports are about components. Where components overlap, so do the labels. `.ordered()` in the model imposes the same
    /// order before sampling.
    ///
    /// ```text
    /// let run = run.relabelled("mu", ["weights", "sigma"])?;
    /// println!("{}", run.summary().only(["mu", "weights"])?);
    /// ```
    ///
    /// Draws keep their weights, positions and statistics. Predictions do not depend on labels and equal those of the original run. The
    /// setting `relabelled_by` records the relabelling.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] for a name that no quantity has; [`RunError::Components`] if `key` is neither a vector nor a matrix of
    /// one column, or another quantity has a different number of elements or rows.
    pub fn relabelled<'a>(
        &self,
        key: &str,
        with: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, RunError> {
        let key = self.variable(key)?;
        let (Shape::Vector(components) | Shape::Matrix(components, 1)) = key.shape else {
            let reason = "it is no vector, whose elements have an order".to_owned();
            return Err(refusal(key, key, reason));
        };
        let mut moved = vec![key];
        for name in with {
            let variable = self.variable(name)?;
            let found = match variable.shape {
                Shape::Scalar => 1,
                Shape::Vector(elements) => elements,
                Shape::Matrix(rows, _) => rows,
            };
            if found != components {
                let remedy = match (found, components) {
                    (1, 2) => SHARE,
                    _ => "",
                };
                let found = count(found as u64, "component");
                let reason = format!("it has {found}, not {components}{remedy}");
                return Err(refusal(variable, key, reason));
            }
            if !moved.iter().any(|other| other.name == variable.name) {
                moved.push(variable);
            }
        }
        let mut run = self.clone();
        let width = self.layout.elements();
        for group in &mut run.groups {
            relabel(&mut group.draws, width, &moved, components);
            for values in group.origin.draws_mut() {
                relabel(values, width, &moved, components);
            }
        }
        let setting = "relabelled_by".to_owned();
        run.settings.insert(setting, key.name.clone());
        Ok(run)
    }
}

/// The remedy for the share of the first of two components, of which the other share is not sampled.
const SHARE: &str = "; if it is the share of one of two components, sample both in the model, such as `Dirichlet::new([a, b])` for `Beta::new(a, b)`, and \
     give the name of this vector";

fn refusal(variable: &Variable, key: &Variable, reason: String) -> RunError {
    RunError::Components {
        name: variable.name.clone(),
        key: key.name.clone(),
        reason,
    }
}

/// Orders the components of each draw, of `width` values, by the first of the variables.
fn relabel(draws: &mut [f64], width: usize, moved: &[&Variable], components: usize) {
    let mut order: Vec<usize> = (0..components).collect();
    for draw in draws.chunks_exact_mut(width) {
        let key = &draw[moved[0].range()];
        // equal elements stay in the order of their numbers
        order.sort_by(|a, b| key[*a].total_cmp(&key[*b]).then(a.cmp(b)));
        for variable in moved {
            let old = draw[variable.range()].to_vec();
            let row = old.len() / components;
            let rows = draw[variable.range()].chunks_exact_mut(row.max(1));
            for (new, place) in rows.zip(&order) {
                new.copy_from_slice(&old[place * row..(place + 1) * row]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dist::Shape;
    use crate::model::Layout;
    use crate::run::Run;
    use crate::run::example::{chains, normals, of_chain, variable};

    /// `mu` of two components at -2 and 2, `sigma`, and a matrix with a row for each component. The labels of all three are swapped in
    /// chain 1.
    fn mixture() -> Run {
        let mut run = chains(2, 200);
        run.layout = Layout {
            variables: vec![
                variable("tau", Shape::Scalar, 0),
                variable("mu", Shape::Vector(2), 1),
                variable("sigma", Shape::Vector(2), 3),
                variable("beta", Shape::Matrix(2, 2), 5),
            ],
            dim: 9,
        };
        for (c, group) in run.groups.iter_mut().enumerate() {
            let noise = normals(50 + c as u64, 200);
            let draw = |z: &f64| {
                let mut parts = [(-2.0, 0.5, [10.0, 11.0]), (2.0, 1.5, [20.0, 21.0])];
                if c == 1 {
                    parts.reverse();
                }
                let [a, b] = parts;
                let z = 0.1 * z;
                let beta = [a.2, b.2].concat();
                [vec![9.0, a.0 + z, b.0 + z, a.1 + z, b.1 + z], beta].concat()
            };
            group.draws = noise.iter().flat_map(draw).collect();
            of_chain(group).trajectories = None;
        }
        run
    }

    #[test]
    fn chains_that_differ_in_labels_agree_after_relabelling() {
        let run = mixture();
        let r_hat = |run: &Run, name: &str| run.summary().row(name).expect("it is there").r_hat;
        // the ranks of two chains that do not overlap have an R-hat of at most 1.9
        assert!(r_hat(&run, "mu[0]") > 1.5 && r_hat(&run, "sigma[1]") > 1.5);
        let again = run
            .relabelled("mu", ["sigma", "beta"])
            .expect("two of each");
        for (name, wanted) in [("mu[0]", -2.0), ("mu[1]", 2.0), ("sigma[0]", 0.5)] {
            let summary = again.summary();
            let row = summary.row(name).expect("it is there");
            assert!((row.mean - wanted).abs() < 0.05, "{row:?}");
            assert!(
                row.r_hat < 1.05 && row.mcse > 0.0 && row.ess_bulk > 100.0,
                "{row:?}"
            );
        }
        // rows of a matrix move as a whole
        let beta = again.draws("beta").expect("it is there");
        assert!(beta.rows().all(|row| row == [10.0, 11.0, 20.0, 21.0]));
        assert_eq!(again.draws("tau"), run.draws("tau"));
        assert_eq!(again.settings["relabelled_by"], "mu");
        assert_eq!(again.draw_weights(), run.draw_weights());
        // a matrix of one column is as good as a vector
        let mut column = run;
        column.layout.variables[1].shape = Shape::Matrix(2, 1);
        let column = column.relabelled("mu", ["sigma", "beta"]);
        let column = column.expect("two rows");
        assert_eq!(column.draws("beta"), again.draws("beta"));
    }

    #[test]
    fn quantities_that_are_not_named_keep_their_order() {
        let run = mixture();
        let again = run.relabelled("mu", []).expect("two components");
        assert_eq!(again.draws("sigma"), run.draws("sigma"));
        assert_ne!(again.draws("mu"), run.draws("mu"));
    }

    #[test]
    fn quantities_of_other_sizes_are_refused() {
        let message = |key: &str, with: &str| {
            let refused = mixture().relabelled(key, [with]);
            refused.expect_err("it does not fit").to_string()
        };
        assert_eq!(
            message("mu", "tau"),
            "`tau` cannot be relabelled by `mu`: it has 1 component, not 2; if it is the share of one of two components, sample both in the \
             model, such as `Dirichlet::new([a, b])` for `Beta::new(a, b)`, and give the name of this vector"
        );
        assert_eq!(
            message("tau", "mu"),
            "`tau` cannot be relabelled by `tau`: it is no vector, whose elements have an order"
        );
        assert!(message("mu", "sigm").contains("did you mean `sigma`?"));
    }
}
