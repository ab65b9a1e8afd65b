//! What a kernel is fitted to.

/// The states of a population.
#[derive(Clone, Copy, Debug)]
pub struct Population<'a> {
    /// `[states, dim]`, row-major.
    pub positions: &'a [f64],
    /// Gradients of the log target at the positions, `[states, dim]`; empty where they are not known
    /// ([`Kernel::fits_gradients`](super::Kernel::fits_gradients)).
    pub gradients: &'a [f64],
    /// The chain of each state, `[states]`, whose states are in its order; empty where the states are not of chains.
    pub chains: &'a [usize],
}

impl<'a> Population<'a> {
    /// Positions, `[states, dim]`, whose gradients are not known.
    #[must_use]
    pub fn of_positions(positions: &'a [f64]) -> Self {
        Self {
            positions,
            gradients: &[],
            chains: &[],
        }
    }
}
