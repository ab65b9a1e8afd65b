//! The settings of kernels that programs know by name.

use super::{KERNELS, Kernel, Mass};

/// The settings of a kernel that a program may change without the kernel's type, each with its place; `None` for a setting that the kernel
/// does not have. [`Kernel::validate`] checks the values.
#[derive(Debug, Default)]
pub struct Adjustable<'a> {
    /// The target acceptance of a step size, of kernels that tune one.
    pub target_acceptance: Option<&'a mut f64>,
    /// The mass matrix.
    pub mass: Option<&'a mut Mass>,
    /// The maximum tree depth, of kernels that double trajectories.
    pub max_depth: Option<&'a mut u32>,
}

/// The names of the kernels whose settings have this property, in the order of the table.
///
/// ```
/// let with_depth = bayes_kernel::kernel::names_with(|own| own.max_depth.is_some());
/// assert_eq!(with_depth, ["nuts", "walnuts"]);
/// ```
#[must_use]
pub fn names_with(has: impl Fn(Adjustable<'_>) -> bool) -> Vec<&'static str> {
    let with = |(_, make): &&(_, super::Make)| has(make().adjustable());
    KERNELS.iter().filter(with).map(|(name, _)| *name).collect()
}
