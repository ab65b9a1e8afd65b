//! Stan programs in libraries of BridgeStan, whose C functions are called without the interpreter.

#![allow(unsafe_code)]

use pyo3::prelude::*;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `bs_log_density_gradient` of BridgeStan 2: of the model, whether constants are dropped, whether the Jacobian is in it, the position, the value, the
/// gradient, and what went wrong. 0 if nothing did.
type Gradient = unsafe extern "C" fn(
    *const c_void,
    bool,
    bool,
    *const f64,
    *mut f64,
    *mut f64,
    *mut *mut c_char,
) -> c_int;

/// `bs_log_density`: the same without the gradient.
type Value = unsafe extern "C" fn(
    *const c_void,
    bool,
    bool,
    *const f64,
    *mut f64,
    *mut *mut c_char,
) -> c_int;

/// `bs_param_constrain`: of the model, whether transformed parameters and generated quantities are in it, the position, the parameters, a generator of
/// random numbers, and what went wrong. 0 if nothing did.
type Constrain = unsafe extern "C" fn(
    *const c_void,
    bool,
    bool,
    *const f64,
    *mut f64,
    *mut c_void,
    *mut *mut c_char,
) -> c_int;

/// `bs_free_error_msg`.
type Free = unsafe extern "C" fn(*mut c_char);

/// `bs_model_construct`: of the data as JSON, the seed of random numbers of the data, and what went wrong. Null if something did.
type Construct = unsafe extern "C" fn(*const c_char, c_uint, *mut *mut c_char) -> *mut c_void;

/// `bs_model_destruct`.
type Destruct = unsafe extern "C" fn(*mut c_void);

/// The addresses of a model and of the functions of its library: of the value, of the gradient, of the parameters, and of what frees messages.
pub(crate) type Addresses = (usize, usize, usize, usize, usize);

/// One program of a library without threads is called at a time, of whatever library: their stacks of Stan's derivatives are one.
static UNTHREADED: Mutex<()> = Mutex::new(());

/// The log density of a Stan program with its data, on coordinates without constraints.
pub(crate) struct Program {
    model: usize,
    value: Value,
    gradient: Gradient,
    constrain: Constrain,
    free: Free,
    /// Whether the library was compiled with STAN_THREADS.
    is_threaded: bool,
    calls: AtomicU64,
    refusals: AtomicU64,
    /// The words of the first refusal.
    first: Mutex<Option<String>>,
    /// What keeps the model and the library alive.
    _owner: Py<PyAny>,
}

impl Program {
    /// The program at these addresses; `None` if one is 0.
    ///
    /// # Safety
    /// The others are those of a model and of the functions of these types in its library, which live as long as `owner`; several threads may call them
    /// at once if `is_threaded`.
    pub(crate) unsafe fn at(
        (model, value, gradient, constrain, free): Addresses,
        is_threaded: bool,
        owner: Py<PyAny>,
    ) -> Option<Self> {
        if [model, value, gradient, constrain, free].contains(&0) {
            return None;
        }
        // SAFETY: the caller promises that they are such functions
        let (value, gradient, constrain, free) = unsafe {
            (
                std::mem::transmute::<usize, Value>(value),
                std::mem::transmute::<usize, Gradient>(gradient),
                std::mem::transmute::<usize, Constrain>(constrain),
                std::mem::transmute::<usize, Free>(free),
            )
        };
        Some(Self {
            model,
            value,
            gradient,
            constrain,
            free,
            is_threaded,
            calls: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
            first: Mutex::new(None),
            _owner: owner,
        })
    }

    /// The log density at `x`, `[dim]`, with the Jacobian of the constraints and all constants, and its gradient if there is room, `[dim]`. A position that
    /// the program refuses, as by `reject`, has the density 0, as in Stan.
    pub(crate) fn call(&self, x: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let model = self.model as *const c_void;
        let (mut value, mut words) = (f64::NAN, std::ptr::null_mut());
        let alone = self.alone();
        let code = match gradient {
            None => {
                // SAFETY: the position has as many numbers as the model has coordinates, which `_stan.py` asked it for
                unsafe { (self.value)(model, false, true, x.as_ptr(), &mut value, &mut words) }
            }
            Some(gradient) => {
                assert_eq!(
                    x.len(),
                    gradient.len(),
                    "a gradient is as long as its position"
                );
                gradient.fill(0.0);
                let slopes = gradient.as_mut_ptr();
                // SAFETY: as above, and the gradient is as long as the position
                unsafe {
                    (self.gradient)(
                        model,
                        false,
                        true,
                        x.as_ptr(),
                        &mut value,
                        slopes,
                        &mut words,
                    )
                }
            }
        };
        drop(alone);
        self.calls.fetch_add(1, Ordering::Relaxed);
        if code == 0 {
            return value;
        }
        self.refuse(words);
        f64::NEG_INFINITY
    }

    /// The parameters and transformed parameters at `x`, `[dim]`, in the order of Stan, for which `found` has the room.
    ///
    /// # Errors
    /// The words of the program.
    pub(crate) fn constrain(&self, x: &[f64], found: &mut [f64]) -> Result<(), String> {
        let mut words = std::ptr::null_mut();
        let alone = self.alone();
        // SAFETY: the position has as many numbers as the model has coordinates, and there is room for as many as it has parameters, of both of which
        // `_stan.py` asked it; without generated quantities no random numbers are drawn
        let code = unsafe {
            (self.constrain)(
                self.model as *const c_void,
                true,
                false,
                x.as_ptr(),
                found.as_mut_ptr(),
                std::ptr::null_mut(),
                &mut words,
            )
        };
        drop(alone);
        match code {
            0 => Ok(()),
            _ => Err(self.text(words).unwrap_or_default()),
        }
    }

    /// Keeps others out while the library without threads is entered.
    fn alone(&self) -> Option<MutexGuard<'static, ()>> {
        (!self.is_threaded).then(enter)
    }

    /// The text of a message of the library, which is freed.
    fn text(&self, words: *mut c_char) -> Option<String> {
        // SAFETY: the message is one of the library whose function this is
        unsafe { text(self.free, words) }
    }

    /// Counts a refusal, and keeps the words of the first.
    fn refuse(&self, words: *mut c_char) {
        let found = self.text(words);
        self.refusals.fetch_add(1, Ordering::Relaxed);
        if let Ok(mut first) = self.first.lock() {
            first.get_or_insert_with(|| found.unwrap_or_default());
        }
    }

    /// The numbers of calls and of refusals, and the words of the first refusal.
    pub(crate) fn refusals(&self) -> (u64, u64, Option<String>) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let first = self.first.lock().ok().and_then(|first| first.clone());
        (count(&self.calls), count(&self.refusals), first)
    }
}

/// The model of a program with its data at the address of `bs_model_construct`, as its own address.
///
/// The block `transformed data` may solve differential equations, which takes derivatives, and only the model says whether its library has threads: no
/// library without threads is entered meanwhile.
///
/// # Errors
/// The words of the program.
///
/// # Safety
/// The addresses are those of `bs_model_construct` and `bs_free_error_msg` of one library.
pub(crate) unsafe fn construct(
    (construct, free): (usize, usize),
    data: &CString,
    seed: u32,
) -> Result<usize, Option<String>> {
    let mut words = std::ptr::null_mut();
    // SAFETY: the caller promises that they are such functions; the data end with 0
    unsafe {
        let construct = std::mem::transmute::<usize, Construct>(construct);
        let free = std::mem::transmute::<usize, Free>(free);
        let alone = enter();
        let model = construct(data.as_ptr(), seed, &mut words);
        drop(alone);
        match model.is_null() {
            true => Err(text(free, words)),
            false => Ok(model as usize),
        }
    }
}

/// Frees a model; no library without threads is entered meanwhile.
///
/// # Safety
/// The addresses are those of `bs_model_destruct` and of a model of its library, which nobody uses any more.
pub(crate) unsafe fn destruct(destruct: usize, model: usize) {
    let _alone = enter();
    // SAFETY: the caller promises that it is such a function
    unsafe { std::mem::transmute::<usize, Destruct>(destruct)(model as *mut c_void) }
}

fn enter() -> MutexGuard<'static, ()> {
    UNTHREADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of a message, which is freed.
///
/// # Safety
/// The message is null or one of the library of `free`: a text that ends with 0, and was not freed.
unsafe fn text(free: Free, words: *mut c_char) -> Option<String> {
    (!words.is_null()).then(|| {
        // SAFETY: the caller promises it
        unsafe {
            let text = CStr::from_ptr(words).to_string_lossy().trim().to_owned();
            free(words);
            text
        }
    })
}
