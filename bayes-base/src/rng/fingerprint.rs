//! Which random numbers a program draws.

use super::{Key, Purpose};
use rand::RngExt as _;
use rand_distr::{Beta, Binomial, Distribution as _, Exp1, Gamma, Poisson, StandardNormal};
use std::sync::LazyLock;

/// A hash of numbers that this program draws, 8 hexadecimal digits. A version of `rand`, `chacha20` or `rand_distr` that draws
/// others gives another one, and `cargo` may choose it for a program of the same source. The numbers are rounded to single precision, so
/// that the last bit of a system's logarithm does not count.
pub fn fingerprint() -> &'static str {
    static FINGERPRINT: LazyLock<String> = LazyLock::new(|| of(DRAWS));
    &FINGERPRINT
}

/// So many of each distribution that rare paths, as the tail of the normal one, are among them.
const DRAWS: usize = 512;

fn of(draws: usize) -> String {
    let mut stream = Key::new(1, Purpose::Validation).stream();
    let mut hash = crc32fast::Hasher::new();
    let mut add = |value: f64| hash.update(&(value as f32).to_le_bytes());
    for draw in 0..draws {
        // on both sides of 1, where methods change
        let shape = 0.25 + (draw % 8) as f64 / 2.0;
        add(stream.random());
        add(stream.random_range(0..=draw) as f64);
        add(StandardNormal.sample(&mut stream));
        add(Exp1.sample(&mut stream));
        add(Gamma::new(shape, 1.0)
            .expect("both are positive")
            .sample(&mut stream));
        add(Beta::new(shape, 2.0)
            .expect("both are positive")
            .sample(&mut stream));
        add(Poisson::new(6.0 * shape)
            .expect("it is positive")
            .sample(&mut stream));
        let binomial = Binomial::new(draw as u64, 0.3);
        add(binomial.expect("it is a probability").sample(&mut stream) as f64);
    }
    format!("{:08x}", hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::{DRAWS, fingerprint, of};

    #[test]
    fn it_tells_one_series_of_numbers_from_another() {
        assert_eq!(fingerprint(), of(DRAWS));
        assert_ne!(fingerprint(), of(DRAWS - 1));
        assert_eq!(fingerprint().len(), 8);
    }
}
