//! C functions that are called without the interpreter, such as those of numba.

#![allow(unsafe_code)]

use bayes::density::Block;
use pyo3::prelude::*;

/// `double f(int64_t dim, const double *x, double *gradient)` returns the log density at `x`, `[dim]`, and fills its gradient, `[dim]`.
type OfOne = unsafe extern "C" fn(i64, *const f64, *mut f64) -> f64;

/// `void f(int64_t n, int64_t dim, const double *x, double *weights, double *log_prior, double *log_likelihood, double *gradient)` fills both log
/// densities, `[n]`, at `x`, `[n, dim]`. One with gradients fills those of `weights[0] * log_prior + weights[1] * log_likelihood` too, `[n, dim]`.
type OfBlock = unsafe extern "C" fn(i64, i64, *const f64, *const f64, *mut f64, *mut f64, *mut f64);

/// A log density as a C function, which any thread may call at any time.
#[derive(Clone, Copy)]
pub(crate) struct Single(OfOne);

/// Both log densities of a block as C functions.
#[derive(Clone, Copy)]
pub(crate) struct Joint {
    values: OfBlock,
    gradients: OfBlock,
}

impl Single {
    /// The function at this address, whose owner must outlive it; `None` for the address 0.
    pub(crate) fn at(address: usize) -> Option<Self> {
        // SAFETY: the Python part passes addresses of numba's and ctypes' functions whose signature it has compared with this one
        (address != 0).then(|| Self(unsafe { std::mem::transmute::<usize, OfOne>(address) }))
    }

    /// The log density at `x`; fills its gradient, as long as `x`.
    pub(crate) fn call(self, x: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(
            x.len(),
            gradient.len(),
            "a gradient is as long as its position"
        );
        // SAFETY: both pointers are valid for `dim` numbers, which is what the function reads and writes
        unsafe { (self.0)(x.len() as i64, x.as_ptr(), gradient.as_mut_ptr()) }
    }
}

impl Joint {
    /// The functions at these addresses, whose owner must outlive them; `None` for the address 0.
    pub(crate) fn at(values: usize, gradients: usize) -> Option<Self> {
        if values == 0 || gradients == 0 {
            return None;
        }
        // SAFETY: the Python part passes addresses of functions that it compiled with this signature
        let function = |address| unsafe { std::mem::transmute::<usize, OfBlock>(address) };
        Some(Self {
            values: function(values),
            gradients: function(gradients),
        })
    }

    /// Fills both log densities, and with weights the gradient.
    pub(crate) fn call(self, weights: Option<[f64; 2]>, block: &mut Block<'_>) {
        let n = block.log_prior.len();
        let is_whole = block.log_likelihood.len() == n
            && block.positions.len() == n * block.dim
            && block.gradient.len() == n * block.dim;
        assert!(is_whole, "the arrays of a block fit together");
        let function = match weights {
            Some(_) => self.gradients,
            None => self.values,
        };
        // SAFETY: the pointers are valid for as many numbers as the function reads and writes, which was compared above
        unsafe {
            function(
                n as i64,
                block.dim as i64,
                block.positions.as_ptr(),
                weights.unwrap_or([1.0; 2]).as_ptr(),
                block.log_prior.as_mut_ptr(),
                block.log_likelihood.as_mut_ptr(),
                block.gradient.as_mut_ptr(),
            );
        }
    }
}

/// What keeps compiled functions alive.
pub(crate) type Owner = Py<PyAny>;
