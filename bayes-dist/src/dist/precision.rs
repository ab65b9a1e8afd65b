//! Precision matrices of fields on maps and grids.

use super::{Entry, Neighbours};
use bayes_autodiff::{Mode, Real, SparseMatrix};

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
    #[must_use]
    pub fn car<M: Mode>(&self, tau: impl Entry<M>, rho: impl Entry<M>) -> SparseMatrix<M> {
        let tau = tau.real();
        let beside = -(tau * rho.real());
        self.pattern().matrix(|i, j| match i == j {
            true => tau * self.degree(i),
            false => beside,
        })
    }

    /// The precision of Leroux, Lei and Breslow (2000), `Q = tau (rho (D - W) + (1 - rho) I)`: independent places for `rho` 0, and towards
    /// [`Icar`](super::Icar) for `rho` near 1.
    ///
    /// `tau` is above 0, and `rho` from 0 to below 1.
    #[must_use]
    pub fn leroux<M: Mode>(&self, tau: impl Entry<M>, rho: impl Entry<M>) -> SparseMatrix<M> {
        let (tau, rho) = (tau.real(), rho.real());
        let beside = -(tau * rho);
        let own: Real<M> = tau * (1.0 - rho);
        self.pattern().matrix(|i, j| match i == j {
            true => own - beside * self.degree(i),
            false => beside,
        })
    }
}
