//! Choices of a mutator, all from the seed that the fuzzer gives.

/// A xorshift generator (Marsaglia 2003): quality does not matter here, repeatability does.
pub struct Dice(u64);

impl Dice {
    /// The choices that belong to `seed`.
    pub fn new(seed: u32) -> Self {
        Self(u64::from(seed) << 1 | 1)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as usize).checked_rem(n).unwrap_or(0)
    }

    /// One of `choices`.
    pub fn one_of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}
