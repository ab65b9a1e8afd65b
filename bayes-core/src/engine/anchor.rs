//! The prior of an engine run: the model's own, or one anchored at fits.

use super::fit::map::same_quantities;
use crate::density::{Anchored, LogDensity};
use crate::error::Error;
use crate::model::fingerprint::Fingerprint;
use crate::model::{GaussianPrior, Layout, Model};
use crate::run::Fit;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// The prior of an engine: [`OwnPrior`] or [`AnchoredPrior`].
pub trait PriorChoice: Clone + Debug + Send + Sync {}

/// A choice of the prior that suits a model.
pub trait SuitsPriorOf<Mo>: PriorChoice {}

/// The prior that is written in the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnPrior;

impl PriorChoice for OwnPrior {}

impl<Mo> SuitsPriorOf<Mo> for OwnPrior {}

/// How the scale s of an anchored prior changes the model's prior.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScaleMode {
    /// It multiplies the variances (the authors' code).
    #[default]
    Variance,
    /// It multiplies the standard deviations (a figure of the paper).
    StdDev,
}

/// A prior `N(point, s V)` around the point of a fit, V the variances of the model's Gaussian prior; the model's own prior at s = 1.
#[derive(Clone, Debug)]
pub struct AnchoredPrior {
    anchors: Vec<Anchor>,
    scale: f64,
    mode: ScaleMode,
}

/// The position where a fit ended, and its model.
#[derive(Clone, Debug)]
struct Anchor {
    model: String,
    layout: Layout,
    position: Vec<f64>,
}

impl PriorChoice for AnchoredPrior {}

impl<Mo: Model + GaussianPrior> SuitsPriorOf<Mo> for AnchoredPrior {}

impl AnchoredPrior {
    pub(super) fn new<'f>(fits: impl IntoIterator<Item = &'f Fit>, scale: f64) -> Self {
        let anchor = |fit: &Fit| Anchor {
            model: fit.model.clone(),
            layout: fit.layout.clone(),
            position: fit.position().to_vec(),
        };
        Self {
            anchors: fits.into_iter().map(anchor).collect(),
            scale,
            mode: ScaleMode::default(),
        }
    }

    pub(super) fn mode(self, mode: ScaleMode) -> Self {
        Self { mode, ..self }
    }

    /// Adds the settings of this prior to the settings stored with a run.
    pub(super) fn describe(&self, settings: &mut BTreeMap<String, String>) {
        let (scale, mode, fits) = (self.scale, self.mode, self.anchors.len());
        settings.insert("anchor_scale".to_owned(), format!("{scale:?}"));
        settings.insert("anchor_scale_mode".to_owned(), format!("{mode:?}"));
        settings.insert("anchors".to_owned(), fits.to_string());
    }

    /// The densities around each anchor; none at s = 1, where the density is the model's own.
    ///
    /// # Errors
    /// [`Error::Setting`] for a scale outside (0, 1] or no anchor; [`Error::Fit`] for an anchor of another model, or a prior that is not
    /// Gaussian.
    fn densities<'d>(&self, density: &'d dyn LogDensity) -> Result<Vec<Anchored<'d>>, Error> {
        let s = self.scale;
        Error::setting("anchor", s, s > 0.0 && s <= 1.0, "above 0 and at most 1")?;
        let fits = self.anchors.len();
        Error::setting("anchors", fits, fits >= 1, "at least 1 fit")?;
        let description = density.describe();
        let own = (description.name.as_str(), &description.layout);
        for anchor in &self.anchors {
            same_quantities(own, (&anchor.model, &anchor.layout))?;
        }
        if s == 1.0 {
            return Ok(Vec::new());
        }
        let factor = match self.mode {
            ScaleMode::Variance => s.sqrt(),
            ScaleMode::StdDev => s,
        };
        let coordinates = self.anchors.iter().flat_map(|anchor| &anchor.position);
        let words = [density.quantities().fingerprint(), factor.to_bits()];
        let words = words.into_iter().chain(coordinates.map(|x| x.to_bits()));
        let fingerprint = Fingerprint::of(words);
        let anchored = |anchor: &Anchor| {
            let anchored = Anchored::new(density, &anchor.position, factor)?;
            Ok(anchored.with_fingerprint(fingerprint))
        };
        self.anchors.iter().map(anchored).collect()
    }
}

/// Calls `run` with the densities of an engine with these anchors or with the model's prior: one for all groups, or one for each anchor.
pub(super) fn with_prior<T>(
    anchors: Option<&AnchoredPrior>,
    density: &dyn LogDensity,
    run: impl FnOnce(&[&dyn LogDensity]) -> Result<T, Error>,
) -> Result<T, Error> {
    let Some(anchors) = anchors else {
        return run(&[density]);
    };
    let anchored = anchors.densities(density)?;
    if anchored.is_empty() {
        return run(&[density]);
    }
    let densities: Vec<&dyn LogDensity> = anchored.iter().map(|d| d as &dyn LogDensity).collect();
    run(&densities)
}
