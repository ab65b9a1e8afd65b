//! Timings of several candidates in turn, so that a busy machine slows all of them equally.
//!
//! If the system provides it, the time is the processor time of this thread, so other processes
//! do not count.

use std::time::{Duration, Instant};

/// Length of one reading: long compared with the clock's resolution, short compared with the time between interruptions.
const SLICE: Duration = Duration::from_micros(500);

/// The minimum number of readings of each candidate.
const ROUNDS: usize = 9;

/// The clock to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Processor time of this thread.
    Thread,
    /// Wall-clock time, for work of several threads.
    Wall,
}

impl Clock {
    /// Seconds that `work` takes, with its result.
    pub fn time<T>(self, work: impl FnOnce() -> T) -> (f64, T) {
        let (start, thread) = (Instant::now(), thread_seconds());
        let made = work();
        let wall = start.elapsed().as_secs_f64();
        let seconds = match (self, thread, thread_seconds()) {
            (Self::Thread, Some(before), Some(after)) => after - before,
            _ => wall,
        };
        (seconds, made)
    }
}

/// The processor seconds of this thread so far.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn thread_seconds() -> Option<f64> {
    const THREAD: i32 = 3;
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    let mut time = Time {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the function of the C library that std links writes the two numbers of a `timespec`, which have this
    // layout on 64-bit Linux.
    let status = unsafe { clock_gettime(THREAD, &raw mut time) };
    (status == 0).then_some(time.seconds as f64 + time.nanoseconds as f64 * 1e-9)
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn thread_seconds() -> Option<f64> {
    None
}

/// Seconds for one call, reading by reading.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

/// A ratio of two times with the quartiles of the ratios of readings taken side by side.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// Ratio of the best readings.
    pub value: f64,
    /// Lower and upper quartile.
    pub spread: [f64; 2],
}

/// Reads A B C A B C ... until `budget` is over.
pub fn interleave(contestants: &mut [&mut dyn FnMut()], budget: Duration) -> Vec<Times> {
    interleave_by(Clock::Thread, contestants, budget)
}

/// [`interleave`] with a choice of the clock.
pub fn interleave_by(
    clock: Clock,
    contestants: &mut [&mut dyn FnMut()],
    budget: Duration,
) -> Vec<Times> {
    let calls: Vec<u32> = contestants.iter_mut().map(|c| calls(&mut **c)).collect();
    let mut times = vec![Times(Vec::new()); contestants.len()];
    let start = Instant::now();
    while times[0].0.len() < ROUNDS || start.elapsed() < budget {
        for ((contestant, calls), times) in contestants.iter_mut().zip(&calls).zip(&mut times) {
            let (seconds, ()) = clock.time(|| (0..*calls).for_each(|_| contestant()));
            times.0.push(seconds / f64::from(*calls));
        }
    }
    times
}

/// Number of calls that fill a slice, after a warm-up.
fn calls(contestant: &mut dyn FnMut()) -> u32 {
    contestant();
    let start = Instant::now();
    contestant();
    let once = start.elapsed().max(Duration::from_nanos(20));
    (SLICE.as_nanos() / once.as_nanos()).clamp(1, 100_000) as u32
}

impl Times {
    /// The fastest reading, with the least interference.
    pub fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The ratio of the time of `self` to the time of `other`.
    pub fn over(&self, other: &Self) -> Ratio {
        let pairs = self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect();
        Ratio {
            value: self.best() / other.best(),
            spread: quartiles(pairs),
        }
    }
}

impl Ratio {
    /// A ratio from repeated measurements of it: their median and quartiles.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self {
            value: values[values.len() / 2],
            spread: quartiles(values),
        }
    }

    /// The ratio times a constant.
    pub fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            spread: self.spread.map(|s| s * factor),
        }
    }
}

fn quartiles(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let at = |quarter: usize| values[(values.len() - 1) * quarter / 4];
    [at(1), at(3)]
}
