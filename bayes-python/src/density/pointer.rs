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
pub(crate) struct Single {
    function: OfOne,
    /// What keeps the function alive.
    _owner: Py<PyAny>,
}

/// Both log densities of a block as C functions.
pub(crate) struct Joint {
    values: OfBlock,
    gradients: OfBlock,
    /// What keeps the functions alive.
    _owner: Py<PyAny>,
}

impl Single {
    /// The function at this address; `None` for the address 0.
    ///
    /// # Safety
    /// Any other address is that of a function of the type [`OfOne`], which lives as long as `owner`, reads and writes `dim` numbers at each of its pointers,
    /// and may be called by several threads at once, without the interpreter's lock.
    pub(crate) unsafe fn at(address: usize, owner: Py<PyAny>) -> Option<Self> {
        (address != 0).then(|| Self {
            // SAFETY: the caller promises that it is such a function
            function: unsafe { std::mem::transmute::<usize, OfOne>(address) },
            _owner: owner,
        })
    }

    /// The log density at `x`; fills its gradient, as long as `x`. NaN where the function has left a part of the gradient as it was, or NaN: a callback
    /// that raises an exception returns an arbitrary number.
    pub(crate) fn call(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(
            x.len(),
            gradient.len(),
            "a gradient is as long as its position"
        );
        gradient.fill(f64::NAN);
        // SAFETY: both pointers are valid for `dim` numbers, which is what the function reads and writes
        let value = unsafe { (self.function)(x.len() as i64, x.as_ptr(), gradient.as_mut_ptr()) };
        if !gradient.iter().any(|slope| slope.is_nan()) {
            return value;
        }
        gradient.fill(0.0);
        // outside of the support a gradient has no meaning
        match value == f64::NEG_INFINITY {
            true => value,
            false => f64::NAN,
        }
    }
}

impl Joint {
    /// The functions at these addresses, of values and of gradients too; `None` if an address is 0.
    ///
    /// # Safety
    /// Other addresses are those of functions of the type [`OfBlock`], which live as long as `owner`, read and write as many numbers as that says, and may
    /// be called by several threads at once, without the interpreter's lock.
    pub(crate) unsafe fn at(values: usize, gradients: usize, owner: Py<PyAny>) -> Option<Self> {
        if values == 0 || gradients == 0 {
            return None;
        }
        // SAFETY: the caller promises that they are such functions
        let function = |address| unsafe { std::mem::transmute::<usize, OfBlock>(address) };
        Some(Self {
            values: function(values),
            gradients: function(gradients),
            _owner: owner,
        })
    }

    /// Fills both log densities, and with weights the gradient.
    pub(crate) fn call(&self, weights: Option<[f64; 2]>, block: &mut Block<'_>) {
        let n = block.log_prior.len();
        let is_whole = block.log_likelihood.len() == n
            && block.positions.len() == n * block.dim
            && block.gradient.len() == n * block.dim;
        assert!(is_whole, "the arrays of a block fit together");
        let function = match weights {
            Some(_) => self.gradients,
            None => self.values,
        };
        // what the function leaves as it is must not look like an answer
        block.log_prior.fill(f64::NAN);
        block.log_likelihood.fill(f64::NAN);
        if weights.is_some() {
            block.gradient.fill(f64::NAN);
        }
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
