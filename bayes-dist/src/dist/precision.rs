//! Precision matrices of fields on maps and grids.

use super::{Entry, Neighbours};
use bayes_autodiff::fault::{is_caught, refuse};
use bayes_autodiff::{Mode, PlainValue, Real, SparseMatrix, SparsePencil};

impl Neighbours {
    /// The precision of a conditional autoregression, `Q = tau (D - rho W)`: `D` has the number of neighbours of each place, `W` has 1
    /// for neighbours. Given all others, a place is normal about `rho` times the mean of its neighbours (Besag 1974).
    ///
    /// ```text
    /// let field = sample(GaussianField::new(0.0, map.car(tau, rho)));
    /// ```
    ///
    /// `tau` is above 0, and `rho` from 0 to below 1; it may be somewhat below 0 too. At 1 the field has no density:
    /// [`Icar`](super::Icar) is its limit.
    ///
    /// # Panics
    /// With a [`Fault::Argument`](bayes_autodiff::fault::Fault) that names `tau` or `rho`, while a model is validated, if `tau` is not above 0 or `rho` is not below 1; a
    /// random value may be rounded to 0 or 1.
    #[must_use]
    pub fn car<M: Mode>(&self, tau: impl Entry<M>, rho: impl Entry<M>) -> SparseMatrix<M> {
        refuse_impossible("Neighbours::car", tau, rho);
        let (tau, rho) = (tau.real(), rho.real());
        let beside = -(tau * rho);
        let precision = self.pattern().matrix(|i, j| match i == j {
            true => tau * self.degree(i),
            false => beside,
        });
        let [pencil, _] = self.pencils();
        by_laplacian(precision, pencil, tau, rho)
    }

    /// The precision of Leroux, Lei and Breslow (2000), `Q = tau (rho (D - W) + (1 - rho) I)`: independent places for `rho` 0, and towards
    /// [`Icar`](super::Icar) for `rho` near 1.
    ///
    /// `tau` is above 0, and `rho` from 0 to below 1.
    ///
    /// # Panics
    /// As [`Neighbours::car`].
    #[must_use]
    pub fn leroux<M: Mode>(&self, tau: impl Entry<M>, rho: impl Entry<M>) -> SparseMatrix<M> {
        refuse_impossible("Neighbours::leroux", tau, rho);
        let (tau, rho) = (tau.real(), rho.real());
        let beside = -(tau * rho);
        let own: Real<M> = tau * (1.0 - rho);
        let precision = self.pattern().matrix(|i, j| match i == j {
            true => own - beside * self.degree(i),
            false => beside,
        });
        let [_, pencil] = self.pencils();
        by_laplacian(precision, pencil, tau, rho)
    }
}

/// `tau (rho L + (1 - rho) A)` with the Laplacian `L`, for the pencil `A + x L`.
#[inline(always)]
fn by_laplacian<M: Mode>(
    precision: SparseMatrix<M>,
    pencil: &SparsePencil,
    tau: Real<M>,
    rho: Real<M>,
) -> SparseMatrix<M> {
    let rest = 1.0 - rho;
    let shift = (tau.ln() + rest.ln()) * precision.nrows() as f64;
    precision.by_pencil(pencil, rho / rest, 1.0, shift)
}

/// Refuses values that no map allows, while the model is validated: read elsewhere, random values would leave the model without a trace. A
/// random value may be rounded to the boundary of its support, so it is refused beyond the boundary only. What one map allows and another
/// does not, and a field at the boundary, the factorisation finds.
#[inline(always)]
fn refuse_impossible<M: Mode, T: Entry<M>, R: Entry<M>>(function: &'static str, tau: T, rho: R) {
    if !is_caught() {
        return;
    }
    let tau = tau.real().plain_value();
    if tau < 0.0 || (T::DATA && (tau.is_nan() || tau == 0.0)) {
        refuse(function, "tau", tau, "above 0");
    }
    let rho = rho.real().plain_value();
    if rho > 1.0 || (R::DATA && (rho.is_nan() || rho == 1.0)) {
        refuse(
            function,
            "rho",
            rho,
            "below 1, where the field has no density (`Icar` is its limit)",
        );
    }
}
