//! Energies of Hamiltonian chains.

use super::Plots;
use crate::axis::Axis;
use crate::columns::{is_chains, source};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::{Sorted, View};
use crate::label::number;
use crate::mark::{Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::{Group, PictureError};

/// Below this E-BFMI, a chain explores the energies too slowly (Betancourt 2016).
const LOW: f64 = 0.3;

impl Plots<'_> {
    /// The distribution of the energy of a Hamiltonian chain, compared with the distribution of its changes from draw to draw
    /// (Betancourt 2016). If the changes are much narrower, the chain moves slowly between low and high densities, and misses tails.
    ///
    /// # Errors
    /// [`PictureError::Lacks`] for a run without trajectories, such as a run of particles; [`PictureError::TooFew`] for chains of
    /// fewer than two draws.
    pub fn energy(&self) -> Result<Figure, Error> {
        let chains: Vec<&[f64]> = self
            .run
            .groups
            .iter()
            .map(|g| g.statistics.energy.as_slice())
            .collect();
        if !is_chains(self.run) || chains.iter().all(|chain| chain.is_empty()) {
            return Err(self.lacks(
                "energy",
                "the energies of Hamiltonian chains",
                "use `Inference::nuts()` or `hmc()`; for particles `ladder()` shows how they moved",
            ));
        }
        let centred = chains.iter().flat_map(|chain| {
            let mean = chain.iter().sum::<f64>() / chain.len().max(1) as f64;
            chain.iter().map(move |energy| energy - mean)
        });
        let changes = chains
            .iter()
            .flat_map(|chain| chain.windows(2).map(|pair| pair[1] - pair[0]));
        let sorted = |values: Vec<f64>| Sorted::new(&values, &vec![1.0; values.len()]);
        let [Some(energies), Some(changes)] =
            [sorted(centred.collect()), sorted(changes.collect())]
        else {
            return Err(PictureError::TooFew {
                picture: "energy",
                what: "draws in each chain",
                needed: 2,
                found: self.run.draws_per_group(),
            }
            .into());
        };
        let view = View::of(&energies).with(View::of(&changes));
        let curves = [&energies, &changes].map(|s| view.density(s).unwrap_or_default());
        let height = curves
            .iter()
            .flatten()
            .map(|point| point[1])
            .fold(0.0, f64::max);
        let mut panel = Panel::new(
            "",
            Axis::linear("energy, in nats from the mean of its chain", view.ends, 6).without_grid(),
            Axis::bare("density", [0.0, 1.05 * height]),
        )
        .size(680.0, 320.0);
        for (k, curve) in curves.into_iter().enumerate() {
            let area = curve.iter().map(|[x, y]| [*x, 0.0, *y]).collect();
            panel.draw(Style::series(k).opacity(0.2), Shape::Band(area));
            panel.draw(Style::series(k).width(2.0), Shape::Line(curve));
        }
        Ok(Figure::new("Energy")
            .note(source(self.run))
            .note(self.e_bfmi())
            .in_columns(vec![panel], 1)
            .key(Symbol::Line, Style::series(0).width(2.0), "energy")
            .key(
                Symbol::Line,
                Style::series(1).width(2.0),
                "its change from draw to draw",
            ))
    }

    /// E-BFMI in words; empty if unknown.
    fn e_bfmi(&self) -> String {
        let known = self.run.groups.iter().filter_map(Group::trajectories);
        let least = known.map(|t| t.e_bfmi).fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            return String::new();
        }
        let judgement = if least < LOW {
            "below 0.3: the tails may be missing; reparametrise the model"
        } else {
            "above 0.3, as it should be"
        };
        format!(
            "The least E-BFMI of a chain is {}, {judgement}.",
            number(least)
        )
    }
}
