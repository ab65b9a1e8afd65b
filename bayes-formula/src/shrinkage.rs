//! Priors that shrink all coefficients together: the regularised horseshoe and R2D2.

use crate::class::Class;
use crate::defaults::Priors;
use crate::design::Design;
use crate::monotonic::Shares;
use crate::scale::Scales;
use crate::syntax::{Argument, Kind, Node, parse};
use bayes::FormulaError;
use bayes::dist::{Horseshoe, Iid, Univariate};
use bayes::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A prior of all coefficients together, most of which it shrinks towards 0: `b ~ horseshoe(..)` or `b ~ R2D2(..)`. Coefficients are
/// measured in standard deviations of their columns, and with the identity link in those of the response too.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shrinkage {
    kind: ShrinkageKind,
    parameters: [f64; 5],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum ShrinkageKind {
    Horseshoe,
    R2D2,
}

impl ShrinkageKind {
    const ALL: [Self; 2] = [Self::Horseshoe, Self::R2D2];

    fn name(self) -> &'static str {
        match self {
            Self::Horseshoe => "horseshoe",
            Self::R2D2 => "R2D2",
        }
    }

    /// The names of the parameters with their defaults (brms).
    fn parameters(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Horseshoe => &[
                ("df", 1.0),
                ("scale_global", 1.0),
                ("df_global", 1.0),
                ("scale_slab", 2.0),
                ("df_slab", 4.0),
            ],
            Self::R2D2 => &[("mean_R2", 0.5), ("prec_R2", 2.0), ("cons_D2", 0.5)],
        }
    }
}

impl Shrinkage {
    /// The regularised horseshoe (Piironen & Vehtari 2017, equation 2.8): a coefficient is `Normal(0, s)` with
    /// `s² = τ² λ² c² / (c² + τ² λ²)`, `τ ~ HalfCauchy(scale_global)`, `λ ~ HalfCauchy(1)` for each coefficient and
    /// `c² ~ InverseGamma(2, 8)`. For about `p` coefficients away from 0 among `k` in `n` rows take `scale_global = p / ((k - p) √n)`
    /// (equation 3.12). Degrees of freedom and the slab are set by [`read`](Self::read).
    #[must_use]
    pub fn horseshoe(scale_global: f64) -> Self {
        Self {
            kind: ShrinkageKind::Horseshoe,
            parameters: [1.0, scale_global, 1.0, 2.0, 4.0],
        }
    }

    /// R2D2 (Zhang, Naughton, Bondell & Reich 2022): `R² ~ Beta(mean prec, (1 - mean) prec)`, and the explained variance is divided among the
    /// coefficients by `Dirichlet(cons)`. With the identity link the explained variance is `R²` times the variance of the response,
    /// otherwise `R² / (1 - R²)`.
    #[must_use]
    pub fn r2d2(mean: f64, prec: f64, cons: f64) -> Self {
        Self {
            kind: ShrinkageKind::R2D2,
            parameters: [mean, prec, cons, 0.0, 0.0],
        }
    }

    /// Whether a text begins with the name of such a prior.
    pub(crate) fn is_meant(text: &str) -> bool {
        let name = text.split('(').next().unwrap_or("").trim();
        ShrinkageKind::ALL.iter().any(|kind| kind.name() == name)
    }

    /// Reads `horseshoe(scale_global = 0.1)` or `R2D2(mean_R2 = 0.3)`; parameters may lack their names, and have defaults.
    ///
    /// # Errors
    /// The mistake and its place.
    pub fn read(text: &str) -> Result<Self, FormulaError> {
        let node = parse(text)?;
        let wrong = |node: &Node, message: String| FormulaError {
            formula: text.to_owned(),
            at: node.at.clone(),
            message,
        };
        let (function, arguments): (&str, &[Argument]) = match &node.kind {
            Kind::Call {
                function,
                arguments,
            } => (function, arguments),
            Kind::Name(name) => (name, &[]),
            _ => ("", &[]),
        };
        let kind = ShrinkageKind::ALL
            .into_iter()
            .find(|kind| kind.name() == function);
        let Some(kind) = kind else {
            let message = "such a prior is `horseshoe(scale_global = 1)` or `R2D2(mean_R2 = 0.5)`";
            return Err(wrong(&node, message.to_owned()));
        };
        let known = kind.parameters();
        let mut parameters = [0.0; 5];
        parameters
            .iter_mut()
            .zip(known)
            .for_each(|(own, (_, default))| *own = *default);
        for (k, Argument { name, value }) in arguments.iter().enumerate() {
            let place = match name {
                Some(name) => known.iter().position(|(known, _)| known == name),
                None => (k < known.len()).then_some(k),
            };
            let number = match &value.kind {
                Kind::Number(number) if *number > 0.0 => Some(*number),
                _ => None,
            };
            let (Some(place), Some(number)) = (place, number) else {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let message = format!("`{function}` takes {}: numbers above 0", names.join(", "));
                return Err(wrong(value, message));
            };
            parameters[place] = number;
        }
        let read = Self { kind, parameters };
        match read.check() {
            Ok(()) => Ok(read),
            Err(message) => Err(wrong(&node, message)),
        }
    }

    /// Checks the values of the parameters.
    pub(crate) fn check(self) -> Result<(), String> {
        let count = self.kind.parameters().len();
        let own = &self.parameters[..count];
        if let Some(k) = own.iter().position(|x| !(x.is_finite() && *x > 0.0)) {
            let (name, _) = self.kind.parameters()[k];
            return Err(format!(
                "`{name}` is {}; it must be a finite number above 0",
                own[k]
            ));
        }
        match self.kind {
            ShrinkageKind::R2D2 if own[0] >= 1.0 => Err(format!(
                "`mean_R2` is {}; it must lie between 0 and 1",
                own[0]
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn is_horseshoe(self) -> bool {
        self.kind == ShrinkageKind::Horseshoe
    }

    pub(crate) fn is_r2d2(self) -> bool {
        self.kind == ShrinkageKind::R2D2
    }
}

impl Priors {
    /// The shrunk coefficients, if their prior is such a one.
    pub(crate) fn shrunk_by(&self, is_such: fn(Shrinkage) -> bool) -> Option<&Shrunk> {
        self.shrunk.as_ref().filter(|shrunk| is_such(shrunk.prior))
    }

    /// The coefficients of a horseshoe, with degrees of freedom and scale of the half Student's t of the global scale, and shape and scale of
    /// the inverse gamma of the slab's variance in units of its scale.
    pub(crate) fn horseshoe(&self) -> impl Iterator<Item = (&Shrunk, [[f64; 2]; 2])> {
        let shrunk = self.shrunk_by(Shrinkage::is_horseshoe).into_iter();
        shrunk.map(|shrunk| {
            let [_, scale, df, _, df_slab] = shrunk.prior.parameters;
            (shrunk, [[df, scale], [0.5 * df_slab, 0.5 * df_slab]])
        })
    }

    /// The prior of the local scales of a horseshoe.
    pub(crate) fn local(&self) -> Iid<HalfScale, usize> {
        let shrunk = self.shrunk_by(Shrinkage::is_horseshoe);
        let df = shrunk.map_or(1.0, |shrunk| shrunk.prior.parameters[0]);
        HalfStudentT::new(df, 1.0).iid(shrunk.map_or(0, |shrunk| shrunk.of.len()))
    }

    /// The coefficients of R2D2, with the prior of R².
    pub(crate) fn r2d2(&self) -> impl Iterator<Item = (&Shrunk, [f64; 2])> {
        let shrunk = self.shrunk_by(Shrinkage::is_r2d2).into_iter();
        shrunk.map(|shrunk| {
            let [mean, prec, ..] = shrunk.prior.parameters;
            (shrunk, [mean * prec, (1.0 - mean) * prec])
        })
    }

    /// The prior of the shares of R2D2.
    pub(crate) fn shares(&self) -> Shares {
        let shrunk = self.shrunk_by(Shrinkage::is_r2d2);
        Shares {
            lengths: shrunk.iter().map(|shrunk| shrunk.of.len()).collect(),
            concentration: shrunk.map_or(1.0, |shrunk| shrunk.prior.parameters[2]),
        }
    }

    /// Sets a prior that shrinks all coefficients of the response together.
    pub(crate) fn shrink(&mut self, prior: Shrinkage, design: &Design) -> Result<(), String> {
        prior.check()?;
        if design.has_several() {
            return Err(format!(
                "{prior} shrinks the coefficients of one response, and here are several; give their coefficients priors such as normal(0, 1)"
            ));
        }
        let lines = Class::Coefficient.lines(design).into_iter().enumerate();
        let own = &design.first().lines;
        let is_own = |(_, line): &(usize, usize)| own[*line].of.is_response();
        let of: Vec<usize> = lines.filter(is_own).map(|(k, _)| k).collect();
        if of.len() < 2 {
            return Err(format!("{prior} needs at least two coefficients"));
        }
        let scales = Scales::of(design);
        self.shrunk = Some(Shrunk {
            prior,
            units: of
                .iter()
                .map(|k| scales.units[*k] / scales.columns[*k])
                .collect(),
            has_scale: scales.has_unit,
            of,
        });
        Ok(())
    }

    /// Takes coefficients out of the ones that are shrunk together.
    pub(crate) fn release(&mut self, places: &[usize]) {
        let Some(mut shrunk) = self.shrunk.take() else {
            return;
        };
        let kept = shrunk.of.iter().zip(&shrunk.units);
        let kept = kept.filter(|(k, _)| !places.contains(k));
        (shrunk.of, shrunk.units) = kept.map(|(k, unit)| (*k, *unit)).unzip();
        // shares of one coefficient are no shares
        self.shrunk = (shrunk.of.len() > 1).then_some(shrunk);
    }
}

/// Half of a Student's t.
type HalfScale = Univariate<HalfStudentT, (f64, f64), 2>;

impl fmt::Display for Shrinkage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = self.kind.parameters().iter().zip(self.parameters);
        let all: Vec<String> = parameters
            .map(|((name, _), value)| format!("{name} = {value}"))
            .collect();
        write!(f, "{}({})", self.kind.name(), all.join(", "))
    }
}

/// Some coefficients with one prior that shrinks them together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shrunk {
    pub(crate) prior: Shrinkage,
    /// The numbers of the coefficients, in increasing order.
    pub(crate) of: Vec<usize>,
    /// The unit of each of these coefficients: a standard deviation of the response, or 1, over one of the column.
    pub(crate) units: Vec<f64>,
    /// Whether the unit of the response is its standard deviation.
    pub(crate) has_scale: bool,
}

impl Shrunk {
    /// The scales of a horseshoe.
    pub(crate) fn horseshoe<M: Mode>(
        &self,
        global: Real<M>,
        slab: Real<M>,
        local: &Vector<M>,
    ) -> Vector<M> {
        let slab_scale = self.prior.parameters[3];
        let of = Horseshoe::new(global).regularised(slab * slab_scale.powi(2));
        self.in_units(&of.scales(local))
    }

    /// The scales of R2D2.
    pub(crate) fn r2d2<M: Mode>(&self, r2: Real<M>, shares: &Vector<M>) -> Vector<M> {
        let explained = match self.has_scale {
            true => r2,
            false => r2 / (1.0 - r2),
        };
        // the root of a share that underflows has a slope
        let scale = |share: Real<M>| (share * explained + f64::MIN_POSITIVE).sqrt();
        self.in_units(&shares.map(scale))
    }

    fn in_units<M: Mode>(&self, scales: &Vector<M>) -> Vector<M> {
        scales.component_mul(&Vector::constant(&self.units))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        let read = |text: &str| Shrinkage::read(text).map(|one| one.to_string());
        let wanted =
            "horseshoe(df = 1, scale_global = 0.1, df_global = 1, scale_slab = 2, df_slab = 4)";
        assert_eq!(read("horseshoe(1, 0.1)").as_deref(), Ok(wanted));
        assert_eq!(read("horseshoe(scale_global = 0.1)").as_deref(), Ok(wanted));
        assert_eq!(Shrinkage::read(wanted), Ok(Shrinkage::horseshoe(0.1)));
        assert_eq!(
            Shrinkage::read("R2D2()"),
            Ok(Shrinkage::r2d2(0.5, 2.0, 0.5))
        );
        let refusals = [
            ("horseshoe(scale = 1)", "`horseshoe` takes df, scale_global"),
            ("horseshoe(-1)", "numbers above 0"),
            (
                "R2D2(mean_R2 = 2)",
                "`mean_R2` is 2; it must lie between 0 and 1",
            ),
        ];
        for (text, wanted) in refusals {
            let error = Shrinkage::read(text).expect_err("it is none").message;
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
