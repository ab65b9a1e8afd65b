//! Chains: trajectories diverged.

use super::Message;
use super::trajectories::total;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat;
use crate::run::Run;
use crate::text::short;
use serde::{Deserialize, Serialize};

/// Trajectories diverged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergences {
    /// Number of such trajectories after the burn-in.
    pub divergent: u64,
    /// Number of all trajectories after the burn-in.
    pub trajectories: u64,
    /// Where they started, if an element stands out.
    pub region: Option<Region>,
}

/// Where divergent trajectories started: the element in which their starting points differ most from the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The element.
    pub element: String,
    /// Its mean over the starting points.
    pub there: f64,
    /// Its posterior mean.
    pub mean: f64,
}

/// Warns of any divergence: it marks a region that the chains could not enter.
pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<Divergences> {
    let (divergent, trajectories) = total(run, |t| t.divergent);
    let width = run.layout.elements();
    let starts: Vec<&[f64]> = run
        .groups
        .iter()
        .filter_map(|group| group.trajectories.as_ref())
        .flat_map(|t| t.divergent_starts.chunks_exact(width.max(1)))
        .collect();
    (divergent > 0).then(|| Divergences {
        divergent,
        trajectories,
        region: region(run, elements, &starts),
    })
}

impl Message for Divergences {
    fn problem(&self) -> String {
        let Self {
            divergent,
            trajectories,
            region,
        } = self;
        let place = |region: &Region| {
            let (there, mean) = (short(region.there), short(region.mean));
            format!(
                ": at their starting points `{}` averages {there} (posterior mean {mean})",
                region.element
            )
        };
        let place = region.as_ref().map_or_else(String::new, place);
        format!("{divergent} of {trajectories} trajectories diverged{place}")
    }

    fn remedy(&self) -> &'static str {
        if self.region.is_some() {
            "Part of the posterior near these points may be missing. Raise the kernel's `target_acceptance`. Where a \
             random scale multiplies many quantities, as in group effects, write them in the non-centred \
             parametrisation. Or use `Inference::tempering()`, whose chains enter such places from the prior, which must \
             be proper. `run.divergences(name)` gives the starting points of divergent trajectories."
        } else {
            "Part of the posterior may be missing. Raise the kernel's `target_acceptance`. Where a random scale \
             multiplies many quantities, as in group effects, write them in the non-centred parametrisation. Or use \
             `Inference::tempering()`, whose chains enter such places from the prior, which must be proper."
        }
    }
}

/// The element in which the starting points of divergent trajectories differ most from the posterior, if there is one.
fn region(run: &Run, elements: &[ColumnDiagnostics], starts: &[&[f64]]) -> Option<Region> {
    // the element whose mean over the starting points is farthest from its posterior mean, in posterior standard deviations
    let outlier = (0..run.layout.elements()).map(|element| {
        let column = run.column(element).concat();
        let there: Vec<f64> = starts.iter().map(|start| start[element]).collect();
        let (mean, there) = (rhat::mean(&column), rhat::mean(&there));
        let distance = (there - mean).abs() / rhat::variance(&column).sqrt();
        (distance, element, there, mean)
    });
    let (_, element, there, mean) = outlier
        .filter(|(distance, ..)| distance.is_finite())
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Region {
        element: elements[element].name.clone(),
        there,
        mean,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::{
        assert_warned, healthy_trajectories, with_trajectories,
    };

    #[test]
    fn divergences_are_told_without_their_place() {
        let mut run = with_trajectories(&healthy_trajectories());
        run.groups[2]
            .trajectories
            .as_mut()
            .expect("there are some")
            .divergent = 2;
        assert_warned(
            &run,
            "2 of 2000 trajectories diverged. Part of the posterior may be missing. Raise the kernel's \
         `target_acceptance`. Where a random scale multiplies many quantities, as in group effects, write them in the \
         non-centred parametrisation. Or use `Inference::tempering()`, whose chains enter such places from the prior, which must \
         be proper.",
        );
    }

    #[test]
    fn divergences_are_told_with_their_place() {
        let mut run = with_trajectories(&healthy_trajectories());
        let trajectories = run.groups[2].trajectories.as_mut().expect("there are some");
        trajectories.divergent = 2;
        trajectories.divergent_starts = vec![0.1, -3.0, 0.0, -0.1, -4.0, 0.0];
        let mean = rhat::mean(&run.column(1).concat());
        assert_warned(
            &run,
            &format!(
                "2 of 2000 trajectories diverged: at their starting points `beta[0]` averages -3.500 \
             (posterior mean {}). Part of the posterior near these points may be missing. Raise the kernel's \
             `target_acceptance`. Where a random scale multiplies many quantities, as in group effects, write them \
             in the non-centred parametrisation. Or use `Inference::tempering()`, whose chains enter such places from the prior, which \
             must be proper. `run.divergences(name)` gives the starting points of divergent trajectories.",
                short(mean)
            ),
        );
        assert_eq!(run.divergences("beta"), Ok(vec![-3.0, 0.0, -4.0, 0.0]));
        assert_eq!(run.divergences("mu"), Ok(vec![0.1, -0.1]));
    }
}
