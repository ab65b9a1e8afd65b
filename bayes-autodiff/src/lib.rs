//! The number types of `bayes`.
//!
//! Model code is generic over a [`Mode`]: the same code computes values ([`Value`]), gradients ([`Dual`]) and Hessians ([`Dual2`]).
//! [`Real`] is a scalar in a mode; [`Vector`] and [`Matrix`] are its containers, and [`Complex`] is a pair of scalars. Elementary
//! functions are defined once, in [`function`], each with its value and derivatives; every mode applies the chain rule to them.
//! [`gradient`] runs a whole program in the mode that the caller needs; [`check`] compares derivatives with finite differences.
//!
//! ```
//! use bayes_autodiff::gradient::{Program, gradient};
//! use bayes_autodiff::{Mode, Real};
//!
//! /// A standard normal prior and one observation 2.0 with unit variance.
//! struct Posterior;
//!
//! impl Program for Posterior {
//!     fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
//!         [-0.5 * x[0].square(), -0.5 * (2.0 - x[0]).square()]
//!     }
//! }
//!
//! let mut slope = [0.0];
//! let [log_prior, log_likelihood] = gradient(&Posterior, &[1.5], [1.0, 0.5], &mut slope);
//! assert_eq!((log_prior, log_likelihood), (-1.125, -0.125));
//! assert_eq!(slope, [-1.5 + 0.5 * 0.5]);
//! ```

pub mod batch;
mod buffer;
pub mod check;
mod complex;
mod dependence;
mod dual;
pub mod fault;
pub mod function;
pub mod gradient;
mod incomplete;
mod lanes;
mod matrix;
mod mode;
#[cfg(feature = "networks")]
pub mod network;
#[cfg(not(feature = "networks"))]
#[path = "network/absent.rs"]
pub mod network;
mod real;
mod sparse;
pub mod trace;
mod value;
mod vector;

pub use bayes_lanes::simd::Mask;
#[doc(inline)]
pub use bayes_lanes::{simd, special};
pub use buffer::Buffer;
pub use complex::{Complex, Complex64, ComplexMatrix, ComplexVector};
pub use dependence::Dependence;
pub use dual::{Dual, Dual2};
pub use matrix::{Matrix, MatrixFunction, RightHandSide, contiguous};
pub use mode::{Mode, Task};
pub use real::{PlainValue, Real, SingleParticle};
pub use sparse::{SparseFactor, SparseMatrix, SparsePattern, SparsePencil, WrongPivot};
pub use value::Value;
pub use vector::{Dot, RealSlice, Vector, dot, log_sum_exp, out_of_range};
