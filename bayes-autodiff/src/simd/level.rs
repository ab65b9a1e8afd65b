//! The instruction sets, and the single function that enters code compiled for one of them.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};
use super::{Portable, Simd};
use crate::mode::Task;
use std::fmt;
use std::str::FromStr;

/// An instruction set. The last bits of a result may differ between two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Instructions that every processor has.
    Portable,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 with F, DQ, BW and VL.
    Avx512,
}

impl Level {
    /// Every level, from the slowest to the fastest.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The fastest level of this processor.
    #[must_use]
    pub fn detect() -> Self {
        Self::ALL
            .into_iter()
            .rfind(|level| level.is_available())
            .unwrap_or(Self::Portable)
    }

    /// Whether this processor has the instructions.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// `portable`, `avx2` or `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|level| level.name() == name);
        known
            .ok_or_else(|| format!("`{name}` is no instruction set: want portable, avx2 or avx512"))
    }
}

/// Work that is compiled once for each instruction set.
pub trait Work {
    /// The result.
    type Output;
    /// The work. It must be `#[inline(always)]`, and so must the functions that its hot loops call.
    fn run<S: Simd>(self) -> Self::Output;
}

/// A [`Task`] as [`Work`]; its types already contain the instruction set.
pub(crate) struct Called<T>(pub(crate) T);

impl<T: Task> Work for Called<T> {
    type Output = T::Output;
    #[inline(always)]
    fn run<S: Simd>(self) -> T::Output {
        self.0.run()
    }
}

/// Runs `task`, which is inlined into its caller. If even a single operation is a call ([`Portable`] on x86-64), the task is
/// a call too.
///
/// Its closure must be `#[inline(always)]`, or it may have no SIMD instructions.
#[inline(always)]
pub(crate) fn in_place<S: Simd, T>(task: impl FnOnce() -> T) -> T {
    if const { cfg!(target_arch = "x86_64") && matches!(S::LEVEL, Level::Portable) } {
        called(task)
    } else {
        task()
    }
}

#[inline(never)]
fn called<T>(task: impl FnOnce() -> T) -> T {
    task()
}

/// Runs `work` with the instructions of `level`.
///
/// # Panics
/// If the processor does not have them.
#[inline]
pub fn dispatch<W: Work>(level: Level, work: W) -> W::Output {
    assert!(level.is_available(), "this processor does not have {level}");
    match level {
        Level::Portable => work.run::<Portable>(),
        // SAFETY: the processor has the instructions, as was just seen.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { with_avx2(work) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { with_avx512(work) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => unreachable!("not available"),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn with_avx512<W: Work>(work: W) -> W::Output {
    work.run::<Avx512>()
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn names_are_read_back() {
        for level in Level::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!("sse9".parse::<Level>().is_err());
        assert!(Level::detect().is_available());
    }
}
