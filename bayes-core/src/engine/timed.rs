//! A density that is no longer evaluated when the time of a run is over.
//!
//! The phases of a run look at the clock at their ends: after a temperature, or a window of the burn-in. One phase may take longer than
//! the whole limit: a temperature with hundreds of moves, the search for an improper posterior, the outputs of draws. So the density
//! itself looks at the clock. From the deadline on it is zero everywhere, without work, and the present phase ends at once. The clock
//! remembers that the density was cut, and all results since its last question are thrown away.

use super::budget::is_past;
use crate::density::{Block, Description, LogDensity, Prior, Quantities, RoundedPrior, Solutions};
use crate::error::Error;
use crate::model::NonFiniteTerm;
use crate::run::Run;
use nalgebra::DMatrix;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The deadline of a run, and whether a density was cut because of it.
#[derive(Debug, Default)]
pub(super) struct Clock {
    deadline: Option<Instant>,
    /// The end of the limit, and the time that the last comparisons of a run may take.
    end: Option<(Instant, Duration)>,
    /// When the last comparisons end, once they have begun.
    closing: OnceLock<Option<Instant>>,
    has_cut: AtomicBool,
    is_off: AtomicBool,
}

impl Clock {
    /// A clock with this deadline; `None` for a run without a limit.
    pub(super) fn new(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            ..Self::default()
        }
    }

    /// The same clock for a run with this end, whose last comparisons may take this time after it.
    pub(super) fn ending(self, end: Option<Instant>, spare: Duration) -> Self {
        let end = end.map(|end| (end, spare));
        Self { end, ..self }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.deadline.is_some()
    }

    /// Whether the deadline is over, and the clock still runs.
    pub(super) fn is_late(&self) -> bool {
        !self.is_off.load(Ordering::Acquire) && is_past(self.deadline)
    }

    /// The time until the deadline; `None` without a limit.
    pub(super) fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Ends the limit: what follows is computed as without it.
    pub(super) fn switch_off(&self) {
        self.is_off.store(true, Ordering::Release);
    }

    /// Whether a density was cut. What was computed before this is false is right, also if the deadline is over.
    pub(super) fn has_cut(&self) -> bool {
        self.has_cut.load(Ordering::Acquire)
    }

    /// What an error of a phase is: the cut, if a density was cut before it and it is the error of a search or a start, which find nothing in a
    /// density of zero. A full disk, or a folder that cannot be read, has other causes.
    ///
    /// Call it as soon as the phase has ended. What it leaves as it is happened before any cut, and stays an error whatever is cut later in
    /// other islands; a phase that ends after a cut is unfinished.
    pub(super) fn judged(&self, error: Error) -> Error {
        let is_of_zero = matches!(
            error,
            Error::Start { .. }
                | Error::StartAt { .. }
                | Error::NoFiniteDraw { .. }
                | Error::Ladder { .. }
                | Error::Resolution { .. }
                | Error::Improper { .. }
                | Error::Approximation { .. }
                | Error::Stopped { .. }
        );
        match is_of_zero && self.has_cut() {
            true => Error::Cut,
            false => error,
        }
    }

    /// Whether a run ends with this error because its time is over: a phase was cut, or no group is finished.
    pub(super) fn ended(&self, error: &Error) -> bool {
        match error {
            Error::Cut => true,
            Error::Stopped { .. } => self.has_cut() || self.is_late(),
            _ => false,
        }
    }

    /// The run of what is finished. Its last comparisons, such as the gradient's with differences, take dozens of evaluations: they have a
    /// time of their own, and if it cuts one of them all are unknown, which the run says.
    pub(super) fn close(&self, make: impl FnOnce() -> Run) -> Run {
        let now = Instant::now();
        let closing = self.end;
        // a limit of centuries is none
        let closing = closing.and_then(|(end, spare)| now.max(end).checked_add(spare));
        let _ = self.closing.set(closing);
        self.has_cut.store(false, Ordering::Release);
        let run = make();
        match self.has_cut() {
            true => Run {
                gradient_fault: None,
                equations: Vec::new(),
                products: Vec::new(),
                not_compared: true,
                ..run
            },
            false => run,
        }
    }

    /// [`close`](Self::close) for a run on this density, which this clock cuts if it is limited.
    pub(super) fn close_over(
        &self,
        density: &dyn LogDensity,
        make: impl FnOnce(&dyn LogDensity) -> Run,
    ) -> Run {
        self.over(&[density], |timed| self.close(|| make(timed[0])))
    }

    /// Calls `run` with these densities, which this clock cuts if it is limited.
    pub(super) fn over<T>(
        &self,
        densities: &[&dyn LogDensity],
        run: impl FnOnce(&[&dyn LogDensity]) -> T,
    ) -> T {
        if !self.is_limited() {
            return run(densities);
        }
        let timed = densities.iter().map(|density| Timed::new(*density, self));
        let timed: Vec<Timed<'_, &dyn LogDensity>> = timed.collect();
        let timed: Vec<&dyn LogDensity> = timed.iter().map(|d| d as &dyn LogDensity).collect();
        run(&timed)
    }

    /// Whether work is skipped from now on.
    fn cuts(&self) -> bool {
        let is_over = match self.closing.get() {
            Some(closing) => is_past(*closing),
            None => self.is_late(),
        };
        if is_over {
            self.has_cut.store(true, Ordering::Release);
        }
        is_over
    }
}

/// Number of outputs between two looks at the clock: as many as fill the lanes of a processor.
const PIECE: usize = 8;

/// A density with a deadline; `D` is a reference, or a box, of the density.
pub(super) struct Timed<'a, D> {
    inner: D,
    clock: &'a Clock,
    /// Number of values of an output.
    elements: usize,
}

impl<'a, D: Deref<Target = dyn LogDensity + 'a>> Timed<'a, D> {
    pub(super) fn new(inner: D, clock: &'a Clock) -> Self {
        let elements = inner.describe().layout.elements();
        Self {
            inner,
            clock,
            elements,
        }
    }
}

/// A density of zero.
fn fill(block: &mut Block<'_>) {
    block.log_prior.fill(f64::NEG_INFINITY);
    block.log_likelihood.fill(f64::NEG_INFINITY);
}

impl<'a, D: Deref<Target = dyn LogDensity + 'a> + Sync> LogDensity for Timed<'a, D> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        match self.clock.cuts() {
            true => fill(block),
            false => self.inner.evaluate(block),
        }
    }

    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        if self.clock.cuts() {
            block.gradient.fill(0.0);
            return fill(block);
        }
        self.inner.evaluate_gradient(weights, block);
    }

    fn hessian(&self, position: &[f64]) -> DMatrix<f64> {
        let dim = position.len();
        match self.clock.cuts() {
            true => DMatrix::from_element(dim, dim, f64::NAN),
            false => self.inner.hessian(position),
        }
    }

    fn prior(&self) -> Option<&dyn Prior> {
        self.inner.prior()
    }

    fn legs(&self) -> Vec<Box<dyn LogDensity + '_>> {
        let timed = |leg| Box::new(Timed::new(leg, self.clock)) as Box<dyn LogDensity>;
        self.inner.legs().into_iter().map(timed).collect()
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }

    fn block_size(&self) -> usize {
        self.inner.block_size()
    }
}

impl<'a, D: Deref<Target = dyn LogDensity + 'a> + Sync> Quantities for Timed<'a, D> {
    fn inner(&self) -> Option<&dyn Quantities> {
        Some(self.inner.quantities())
    }

    fn describe(&self) -> Option<Description> {
        self.inner.quantities().describe()
    }

    fn fingerprint(&self) -> u64 {
        self.inner.quantities().fingerprint()
    }

    fn identity(&self) -> Option<u64> {
        self.inner.quantities().identity()
    }

    fn rounded_priors(&self) -> Vec<RoundedPrior> {
        self.inner.quantities().rounded_priors()
    }

    fn output(&self, position: &[f64]) -> Vec<f64> {
        match self.clock.cuts() {
            true => vec![0.0; self.elements],
            false => self.inner.quantities().output(position),
        }
    }

    fn outputs(&self, positions: &[f64], dim: usize) -> Vec<f64> {
        let pieces = positions.chunks((PIECE * dim).max(1));
        let of_piece = |piece: &[f64]| match self.clock.cuts() {
            true => vec![0.0; piece.len() / dim.max(1) * self.elements],
            false => self.inner.quantities().outputs(piece, dim),
        };
        pieces.flat_map(of_piece).collect()
    }

    fn solutions(&self, position: &[f64]) -> Solutions {
        match self.clock.cuts() {
            true => Solutions::default(),
            false => self.inner.quantities().solutions(position),
        }
    }

    fn non_finite_terms(&self, position: &[f64], values: [f64; 2]) -> Vec<NonFiniteTerm> {
        match self.clock.cuts() {
            true => Vec::new(),
            false => self.inner.quantities().non_finite_terms(position, values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{GradientFault, Particles};
    use crate::engine::budget::Budget;
    use crate::run::example::islands;

    struct Normal;

    impl LogDensity for Normal {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -0.5 * x[0] * x[0]]);
        }
    }

    fn evaluated(density: &dyn LogDensity) -> f64 {
        let mut one = Particles::new(1, 1);
        density.evaluate(&mut one.block());
        one.log_likelihood[0]
    }

    fn start_error() -> Error {
        let density: &dyn LogDensity = &Normal;
        density.start_error(&[0.0], 100)
    }

    /// A run whose comparisons find a fault of the gradient.
    fn compared(density: &dyn LogDensity) -> Run {
        let value = evaluated(density);
        Run {
            gradient_fault: Some(GradientFault {
                met: 9,
                of: 10,
                gradient: value,
                difference: 4.0,
            }),
            ..islands(&[-3.0; 4], 64)
        }
    }

    /// Would detect a run that says nothing of comparisons that were cut: a wrong gradient was silent.
    #[test]
    fn a_run_says_that_its_comparisons_were_cut() {
        let now = Some(Instant::now());
        let clock = Clock::new(now).ending(now, Duration::ZERO);
        let run = clock.close_over(&Normal, compared);
        assert!(run.not_compared && run.gradient_fault.is_none());
        let texts: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
        assert!(
            texts.iter().any(|text| text.contains("unknown")),
            "{texts:?}"
        );
        let spare = Duration::from_secs(3600);
        let run = Clock::new(now)
            .ending(now, spare)
            .close_over(&Normal, compared);
        assert!(!run.not_compared && run.gradient_fault.is_some());
    }

    /// Would detect a panic at the end of a run with a limit that is no time of the clock.
    #[test]
    fn a_limit_of_centuries_is_none() {
        for seconds in [8_000_000_000_000_000_000, u64::MAX] {
            let start = Instant::now();
            let budget = Budget {
                time: Some(Duration::from_secs(seconds)),
                gradients: None,
            };
            let clock = budget.clock(start, budget.deadline(start));
            let run = clock.close_over(&Normal, compared);
            assert!(run.gradient_fault.is_some());
        }
    }

    /// Would detect the error of one island that is taken for the cut of another, later or at the same moment.
    #[test]
    fn an_error_before_the_cut_stays_an_error() {
        let clock = Clock::new(Some(Instant::now()));
        let before = clock.judged(start_error());
        let cut = clock.over(&[&Normal], |timed| evaluated(timed[0]));
        assert_eq!(cut, f64::NEG_INFINITY);
        assert_eq!(before, start_error());
        assert!(!clock.ended(&before));
        assert_eq!(clock.judged(start_error()), Error::Cut);
        assert!(clock.ended(&Error::Cut));
        let disk = Error::Write {
            message: "no space".to_owned(),
        };
        assert_eq!(clock.judged(disk.clone()), disk);
    }
}
