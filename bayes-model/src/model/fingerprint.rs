//! Fingerprint of a model with its data.

use super::compiled::Compiled;
use super::validate::some_numbers;
use super::{DataArgument, Model, Statement};

/// A hash of a model's name, statements and data: the same on every machine, and different for another text or other data, except for
/// collisions with probability 2⁻⁶⁴.
///
/// Data of types that the library does not know, such as a struct, count by the numbers that the model computes from them: at two
/// draws of the prior and a point near 0, to five digits.
#[must_use]
pub fn fingerprint<Mo: Model>(model: &Mo) -> u64 {
    of_compiled(model)
}

/// [`fingerprint`] of any model.
pub fn of_compiled(model: &dyn Compiled) -> u64 {
    let mut hash = Fingerprint(of_known_data(model));
    if model.data().iter().any(is_unknown) {
        for number in some_numbers(model) {
            // machines round differently
            hash.text(&format!("{number:.4e}"));
        }
    }
    hash.0
}

/// A hash of a model's name, statements and the data of types that the library knows.
pub fn of_known_data(model: &dyn Model) -> u64 {
    let mut hash = Fingerprint::default();
    hash.text(model.name());
    hash.known(model.statements(), &model.data());
    hash.0
}

/// A hash of a model's text and data; `None` if one of them is unknown.
pub(super) fn identity(
    source: &str,
    statements: &[Statement],
    data: &[DataArgument],
) -> Option<u64> {
    if source.is_empty() || data.iter().any(is_unknown) {
        return None;
    }
    let mut hash = Fingerprint::default();
    hash.text(source);
    hash.known(statements, data);
    Some(hash.0)
}

/// Whether the library does not know the elements of an argument.
fn is_unknown(argument: &DataArgument) -> bool {
    argument.length.is_none() && argument.fingerprint == 0
}

/// FNV-1a (Fowler, Noll and Vo 1991) on words of 64 bits, with a rotation after each so that high bits affect low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds a word.
    pub(super) fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(29);
    }

    /// Adds statements and data.
    fn known(&mut self, statements: &[Statement], data: &[DataArgument]) {
        statements
            .iter()
            .for_each(|statement| self.text(statement.text));
        for argument in data {
            self.text(argument.name);
            self.word(argument.length.map_or(u64::MAX, |length| length as u64));
            self.word(argument.fingerprint);
        }
    }

    /// Adds a text and its length.
    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
    }

    /// The hash of some words.
    pub fn of(words: impl Iterator<Item = u64>) -> u64 {
        let mut hash = Self::default();
        words.for_each(|word| hash.word(word));
        hash.0
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn order_length_and_every_bit_count() {
        let of = |words: &[u64]| Fingerprint::of(words.iter().copied());
        let all = [of(&[]), of(&[0]), of(&[0, 0]), of(&[1, 0]), of(&[0, 1])];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b), "{i}");
        }
        let x = 1.5_f64.to_bits();
        for bit in 0..64 {
            assert_ne!(of(&[x]), of(&[x ^ (1 << bit)]), "{bit}");
        }
    }
}
