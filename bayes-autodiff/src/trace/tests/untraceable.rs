//! Programs that have no trace.

use super::*;

/// Looks at a value to decide what to do.
struct Steered;

impl Program for Steered {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let y = if x[0].plain_value() > 0.0 {
            x[0]
        } else {
            -x[0]
        };
        [y, y]
    }
}

/// Does something different every time.
struct Restless(std::sync::atomic::AtomicUsize);

impl Program for Restless {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let turn = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        [x[0] * turn as f64, x[0]]
    }
}

/// More operations than a trace can have.
struct Long;

impl Program for Long {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut y = x[0];
        for _ in 0..1 << 19 {
            y = y.sin();
        }
        [y, y]
    }
}

#[test]
fn what_has_no_trace_says_why() {
    let at: [&[f64]; 2] = [&[1.0], &[2.0]];
    let reason = |result: Result<Trace<'_>, Untraceable>| result.expect_err("it has no trace");
    assert_eq!(
        reason(Trace::record(&Steered, &[], &at)),
        Untraceable::Steered { statement: None }
    );
    let apart: [&[f64]; 2] = [&[1.0], &[-1.0]];
    assert_eq!(
        reason(Trace::record(&Steered, &[], &apart)),
        Untraceable::Differs { statement: None }
    );
    assert_eq!(
        reason(Trace::record(&Restless(0.into()), &[], &at)),
        Untraceable::Differs { statement: None }
    );
    assert_eq!(reason(Trace::record(&Long, &[], &at)), Untraceable::TooLong);
}

/// Meant to detect: a recording for one position that stops where a trace does, at a value that the program looks at, or after many
/// operations.
#[test]
fn what_has_no_trace_is_recorded_at_each_position() {
    let mut slope = [0.0];
    for x in [1.5, -0.5] {
        let densities =
            AtPosition::record(&Steered, &[], &[x]).gradient(&[x], [1.0, 0.5], &mut slope);
        assert_eq!((densities, slope), ([x.abs(); 2], [1.5 * x.signum()]));
    }
    let recorded = AtPosition::record(&Long, &[], &[1.0]);
    let want = recorded.gradient(&[1.0], [1.0, 0.0], &mut slope);
    assert_eq!(want, crate::gradient::value(&Long, &[1.0]));
    assert!(slope[0].is_finite());
}

/// More operations than a recording for one position can have.
struct Longer;

impl Program for Longer {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let y = (0..1 << 20).fold(x[0], |y, _| y + 1.0);
        [y, y]
    }
}

/// Meant to detect: a recording at each position without a bound on its memory.
#[test]
#[should_panic(expected = "too many to record at each position")]
fn a_recording_for_one_position_has_a_bound() {
    let _ = AtPosition::record(&Longer, &[], &[1.0]);
}
