//! Where the trajectories of a run diverged.

use super::rhat;
use super::warning::divergences::{FALSE_ALARMS, FEWEST, others, scalars, standard_score, starts};
use super::warning::trajectories::total;
use crate::order;
use crate::run::Run;
use crate::text::short;
use crate::text::table::{self, Line};
use bayes_autodiff::special::norm_quantile;
use serde::Serialize;
use std::fmt;

/// The most places that are shown.
const SHOWN: usize = 8;

/// Where divergent trajectories started. Printing it shows a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DivergentPlaces {
    /// Number of divergent trajectories after the burn-in.
    pub divergent: u64,
    /// Number of all trajectories after the burn-in.
    pub trajectories: u64,
    /// Number of their starting points that are known.
    pub starts: usize,
    /// The elements in which the starting points differ from the posterior by more than chance, the clearest first.
    pub rows: Vec<DivergentPlace>,
}

/// An element in which the starting points of divergent trajectories differ from the posterior.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DivergentPlace {
    /// The element.
    pub element: String,
    /// The term of a formula whose scale it is.
    pub term: Option<String>,
    /// The element's mean over the starting points.
    pub there: f64,
    /// The element's posterior mean.
    pub mean: f64,
    /// The difference of both, in standard errors of the ranks of as many draws.
    pub errors: f64,
}

impl Run {
    /// Where trajectories diverged: the elements in which their starting points differ from the posterior by more than chance. `None` if none
    /// diverged. Coordinates that a formula hides are left out.
    #[must_use]
    pub fn divergent_places(&self) -> Option<DivergentPlaces> {
        let (divergent, trajectories) = total(self, |t| t.divergent);
        let starts = starts(self);
        (divergent > 0).then(|| DivergentPlaces {
            divergent,
            trajectories,
            starts: starts.len(),
            rows: match starts.len() < FEWEST {
                true => Vec::new(),
                false => places(self, &starts),
            },
        })
    }
}

fn places(run: &Run, starts: &[&[f64]]) -> Vec<DivergentPlace> {
    let names = run.layout.element_names();
    let recipe = run.recipe.as_ref();
    let scales = recipe.map_or(&[][..], |recipe| &recipe.scales);
    let scalars = scalars(run);
    let others = others(run, &scalars);
    let mut rows = Vec::new();
    for candidates in [scalars, others] {
        // half of the false alarms for each of both (Bonferroni)
        let limit = norm_quantile(1.0 - 0.25 * FALSE_ALARMS / candidates.len().max(1) as f64);
        for element in candidates {
            let there: Vec<f64> = starts.iter().map(|start| start[element]).collect();
            // also false for NaN
            let errors = standard_score(run, element, starts);
            if there.iter().all(|x| x.is_finite()) && errors > limit {
                let term = scales.iter().find(|scale| scale.scale == names[element]);
                rows.push(DivergentPlace {
                    element: names[element].clone(),
                    term: term.map(|scale| scale.term.clone()),
                    there: rhat::mean(&there),
                    mean: rhat::mean(&run.column(element).concat()),
                    errors,
                });
            }
        }
    }
    order::descending_by(rows, |row| row.errors)
}

impl fmt::Display for DivergentPlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            divergent,
            trajectories,
            starts,
            rows,
        } = self;
        write!(
            f,
            "{divergent} of {trajectories} trajectories between draws diverged"
        )?;
        if *starts < FEWEST {
            return writeln!(f, ", too few to tell their places from chance");
        }
        if rows.is_empty() {
            return writeln!(
                f,
                "; no quantity differs from the posterior at their starting points by more than chance"
            );
        }
        writeln!(
            f,
            "; at their starting points these differ from the posterior:"
        )?;
        let line = |row: &DivergentPlace| {
            let term = row.term.as_ref();
            Line::Cells(vec![
                row.element.clone(),
                short(row.there),
                short(row.mean),
                format!("{:.1}", row.errors),
                term.map_or_else(String::new, |term| format!("the scale of {term}")),
            ])
        };
        let mut lines: Vec<Line> = rows.iter().take(SHOWN).map(line).collect();
        if rows.len() > SHOWN {
            lines.push(Line::Words(format!("... and {} more", rows.len() - SHOWN)));
        }
        table::write(
            f,
            &["", "mean there", "posterior mean", "errors", ""],
            &lines,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::warning::testing::{healthy_trajectories, with_trajectories};
    use crate::model::{Recipe, TermScale};
    use crate::run::Run;
    use crate::run::example::of_chain;

    /// Chains of `y ~ x + (1 | g)` with so many divergences, where the first element is `there`.
    fn diverged(times: u64, there: f64) -> Run {
        let mut run = with_trajectories(&healthy_trajectories());
        run.recipe = Some(Recipe {
            title: "y ~ x + (1 | g)".to_owned(),
            hidden: vec!["beta".to_owned()],
            scales: vec![TermScale {
                term: "(1 | g)".to_owned(),
                scale: "mu".to_owned(),
            }],
            ..Recipe::default()
        });
        let trajectories = of_chain(&mut run.groups[2]).trajectories.as_mut();
        let trajectories = trajectories.expect("there are some");
        trajectories.divergent = times;
        trajectories.divergent_starts = (0..times).flat_map(|_| [there, -9.0, 0.0]).collect();
        run
    }

    #[test]
    fn divergences_are_placed_in_the_words_of_the_formula() {
        let run = with_trajectories(&healthy_trajectories());
        assert_eq!(run.divergent_places(), None);
        let found = diverged(8, -2.5).divergent_places().expect("some diverged");
        // the coordinates `beta` are hidden
        assert_eq!(found.rows.len(), 1);
        let text = found.to_string();
        assert!(
            text.starts_with(
                "8 of 2000 trajectories between draws diverged; at their starting points"
            ),
            "{text}"
        );
        let row = text.lines().find(|line| line.starts_with("mu"));
        let row = row.unwrap_or_else(|| panic!("{text}"));
        assert!(
            row.contains("-2.500") && row.contains("the scale of (1 | g)"),
            "{text}"
        );
    }

    #[test]
    fn a_place_that_chance_explains_is_none() {
        let few = diverged(4, -2.5).divergent_places().expect("some diverged");
        assert!(few.to_string().contains("too few"), "{few}");
        let run = with_trajectories(&healthy_trajectories());
        let median = super::rhat::mean(&run.column(0).concat());
        let same = diverged(8, median).divergent_places();
        let same = same.expect("some diverged").to_string();
        assert!(same.contains("no quantity differs"), "{same}");
    }
}
