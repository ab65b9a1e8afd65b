//! The instruction sets, and the single function that enters code compiled for one of them.

#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512};
use super::{Portable, Simd, processor};
use std::fmt;
use std::str::FromStr;

/// An instruction set. The last bits of a result may differ between two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionSet {
    /// Instructions that every processor has.
    Portable,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512 with F, DQ, BW and VL.
    Avx512,
}

impl InstructionSet {
    /// Every level, from the slowest to the fastest.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The fastest level that is available.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// The levels that are available, from the slowest to the fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    /// Whether this processor has the instructions and this crate is compiled for them.
    ///
    /// The crate is compiled for every level, unless the environment variable `BAYES_INSTRUCTION_SETS` lists some at compile time
    /// (`native`, `portable`, `avx2`, `avx512`, separated by commas); `native` is the fastest level of the compiling processor.
    #[must_use]
    pub fn is_available(self) -> bool {
        self.is_compiled() && self.has_instructions()
    }

    /// Whether models are compiled for this level; the build script decides.
    pub const fn is_compiled(self) -> bool {
        match self {
            Self::Portable => cfg!(bayes_instruction_set = "portable"),
            Self::Avx2 => cfg!(bayes_instruction_set = "avx2"),
            Self::Avx512 => cfg!(bayes_instruction_set = "avx512"),
        }
    }

    /// Whether this processor has the instructions.
    fn has_instructions(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Avx2 => processor::has_avx2(),
            Self::Avx512 => processor::has_avx512(),
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

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for InstructionSet {
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

/// Runs `work` with the instructions of `level`.
///
/// # Panics
/// If the processor does not have the instructions, or this program was not compiled for them.
#[inline]
pub fn dispatch<W: Work>(level: InstructionSet, work: W) -> W::Output {
    assert!(
        level.is_available(),
        "this processor does not have {level}, or the program was not compiled for it"
    );
    // a branch that its type excludes is not compiled, nor are the functions that it calls
    if const { InstructionSet::Portable.is_compiled() } && level == InstructionSet::Portable {
        return work.run::<Portable>();
    }
    #[cfg(target_arch = "x86_64")]
    if const { InstructionSet::Avx2.is_compiled() } && level == InstructionSet::Avx2 {
        // SAFETY: the processor has the instructions, as just checked.
        return unsafe { with_avx2(work) };
    }
    #[cfg(target_arch = "x86_64")]
    if const { InstructionSet::Avx512.is_compiled() } && level == InstructionSet::Avx512 {
        // SAFETY: as above.
        return unsafe { with_avx512(work) };
    }
    unreachable!("what is available is compiled")
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
    use super::InstructionSet;

    #[test]
    fn names_are_read_back() {
        for level in InstructionSet::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!("sse9".parse::<InstructionSet>().is_err());
        assert!(InstructionSet::detect().is_available());
    }
}
