//! Fingerprint of a model with its data.

use super::compiled::Compiled;
use super::validate::some_numbers;
use super::{DataArgument, Model, Statement};

/// A hash of a model's name, statements and data, and of the numbers that it computes: the same on every machine, and different for another
/// text or other data, except for collisions with probability 2⁻⁶⁴.
///
/// The numbers are those that statements draw, keep or add to the density, at two draws of the prior and a point near 0, to five digits. Constants
/// and functions that the model names count by them, as do data of types that the library does not know, such as a struct.
#[must_use]
pub fn fingerprint<Mo: Model>(model: &Mo) -> u64 {
    of_compiled(model)
}

/// [`fingerprint`] of any model.
pub fn of_compiled(model: &dyn Compiled) -> u64 {
    let mut hash = Fingerprint::default();
    hash.text(model.name());
    hash.known(model.statements(), &model.data());
    let numbers = some_numbers(model);
    let sizes = numbers.iter().map(|x| x.abs()).filter(|x| x.is_finite());
    let noise = NOISE * sizes.fold(0.0, f64::max);
    for number in numbers {
        hash.word(rounded(number, noise));
    }
    hash.0
}

/// Beside the largest number of a model, a number below this share of it may be what rounding left of a difference.
const NOISE: f64 = 1e-12;

/// A number to five digits as a word, the same where machines round differently; below `noise` it is 0.
fn rounded(number: f64, noise: f64) -> u64 {
    /// Digits in base two that are left out, of 52.
    const DROPPED: u32 = 35;
    match number {
        x if x.is_nan() => u64::MAX,
        x if x.abs() <= noise => 0,
        x => (x.to_bits() + (1 << (DROPPED - 1))) >> DROPPED,
    }
}

/// [`fingerprint`] with the text of the model. `None` if the text is unknown, or data are of a type that the library does not know, because
/// such models may differ.
pub fn of_known(model: &dyn Compiled) -> Option<u64> {
    let known = identity(model.source(), model.statements(), &model.data())?;
    Some(Fingerprint::of([known, of_compiled(model)].into_iter()))
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
    use super::{Fingerprint, fingerprint, of_known};
    use crate::density::{Posterior, Quantities};
    use crate::dist::Normal;
    use crate::model::example::statement;
    use crate::model::{Interpreter, Model, Statement, StatementKind};
    use bayes_autodiff::{Mode, Real};

    /// A model whose text names two constants.
    struct Scaled {
        wide: f64,
        noise: f64,
    }

    impl Model for Scaled {
        fn name(&self) -> &'static str {
            "scaled"
        }
        fn file(&self) -> &'static str {
            file!()
        }
        fn source(&self) -> &'static str {
            "fn scaled() { let mu = sample(Normal::new(0.0, WIDE)); observe(1.5, Normal::new(mu, NOISE)); }"
        }
        fn statements(&self) -> &'static [Statement] {
            const ALL: [Statement; 2] = [
                statement(StatementKind::Sample, "mu"),
                statement(StatementKind::Observe, "y"),
            ];
            &ALL
        }
        fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
            let mu: Real<M> = interpreter.at(0).sample(Normal::new(0.0, self.wide));
            let y = Normal::new(mu, self.noise);
            interpreter.at(1).observe_under(y, 1.5);
        }
    }

    /// Would detect a hash of the text alone, for which these are one model.
    #[test]
    fn constants_that_a_model_names_count() {
        let hashes = |wide, noise| {
            let model = Scaled { wide, noise };
            let posterior = Posterior::new(&model, 1).expect("it is a model");
            let identity = posterior.identity().expect("its text is known");
            let known = of_known(&model).expect("its text is known");
            [identity, known, fingerprint(&model)]
        };
        let first = hashes(1.0, 2.0);
        assert_eq!(hashes(1.0, 2.0), first);
        for other in [hashes(2.0, 2.0), hashes(1.0, 1.0), hashes(1.000_1, 2.0)] {
            for (a, b) in first.iter().zip(other) {
                assert_ne!(*a, b);
            }
        }
        assert_eq!(hashes(1.0_f64.next_up(), 2.0)[1..], first[1..]);
    }

    /// Would detect a rounding that keeps last digits, or drops the fifth.
    #[test]
    fn numbers_count_to_five_digits() {
        let of = |x: f64| super::rounded(x, 1e-12);
        for x in [0.123_456, -7.3e8, 1e-5, 2.5, 1e300] {
            assert_eq!(of(x), of(x.next_up()), "{x}");
            assert_ne!(of(x), of(x * 1.000_02), "{x}");
            assert_ne!(of(x), of(-x), "{x}");
        }
        assert_eq!(of(1e-17), of(-3e-17));
        assert_eq!(of(f64::NAN), of(-f64::NAN));
    }

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
