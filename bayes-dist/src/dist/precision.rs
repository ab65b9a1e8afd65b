//! Precision matrices of fields on maps and grids.

use super::{Entry, Neighbours};
use bayes_autodiff::fault::{Fault, is_caught, raise};
use bayes_autodiff::{Mode, PlainValue, Real, SparseMatrix};

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
    /// With a [`Fault::Argument`] that names `tau` or `rho`, while a model is validated, if `tau` is not above 0 or `rho` is not below 1.
    #[must_use]
    pub fn car<M: Mode>(&self, tau: impl Entry<M>, rho: impl Entry<M>) -> SparseMatrix<M> {
        let (tau, rho) = (tau.real(), rho.real());
        refuse_impossible("Neighbours::car", tau, rho);
        let beside = -(tau * rho);
        self.pattern().matrix(|i, j| match i == j {
            true => tau * self.degree(i),
            false => beside,
        })
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
        let (tau, rho) = (tau.real(), rho.real());
        refuse_impossible("Neighbours::leroux", tau, rho);
        let beside = -(tau * rho);
        let own: Real<M> = tau * (1.0 - rho);
        self.pattern().matrix(|i, j| match i == j {
            true => own - beside * self.degree(i),
            false => beside,
        })
    }
}

/// Refuses values that no map allows, while the model is validated: read elsewhere, random values would leave the model without a trace. What
/// one map allows and another does not, the factorisation finds.
#[inline(always)]
fn refuse_impossible<M: Mode>(function: &'static str, tau: Real<M>, rho: Real<M>) {
    if !is_caught() {
        return;
    }
    let (tau, rho) = (tau.plain_value(), rho.plain_value());
    if tau <= 0.0 {
        refuse(function, "tau", tau, "above 0");
    }
    if rho >= 1.0 {
        refuse(
            function,
            "rho",
            rho,
            "below 1, where the field has no density (`Icar` is its limit)",
        );
    }
}

#[cold]
#[inline(never)]
fn refuse(function: &'static str, argument: &'static str, value: f64, allowed: &'static str) -> ! {
    raise(Fault::Argument {
        function,
        argument,
        value: value.to_string(),
        allowed,
    })
}
