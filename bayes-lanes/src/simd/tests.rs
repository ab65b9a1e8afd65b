//! Every instruction set of this processor, compared with plain arithmetic.

use super::{InstructionSet, LANES, Simd, Work, dispatch};

/// Numbers at the edges of the format, and ordinary ones.
const NUMBERS: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    2.5,
    -2.5,
    0.1,
    -3.7e10,
    4.4e-12,
    1e300,
    -1e300,
    1e-300,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    123_456_789.123,
];

/// Checks one pair of numbers in every lane.
struct Pair(f64, f64);

fn same(name: &str, level: InstructionSet, found: f64, want: f64, (a, b): (f64, f64)) {
    assert!(
        found.to_bits() == want.to_bits() || found.is_nan() && want.is_nan(),
        "{name} of {a:e} and {b:e} at {level}: {found:e}, want {want:e}"
    );
}

impl Work for Pair {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self(a, b) = self;
        let (x, y) = (S::splat(a), S::splat(b));
        let check = |name, found: S::Float, want: f64| {
            for lane in S::array(found) {
                same(name, S::INSTRUCTION_SET, lane, want, (a, b));
            }
        };
        check("add", S::add(x, y), a + b);
        check("sub", S::sub(x, y), a - b);
        check("mul", S::mul(x, y), a * b);
        check("div", S::div(x, y), a / b);
        check("neg", S::neg(x), -a);
        check("abs", S::abs(x), a.abs());
        check("copysign", S::copysign(x, y), a.copysign(b));
        check("sqrt", S::sqrt(x), a.sqrt());
        check("round", S::round(x), a.round_ties_even());
        check(
            "select lt",
            S::select(S::lt(x, y), x, y),
            if a < b { a } else { b },
        );
        check(
            "select le",
            S::select(S::le(x, y), x, y),
            if a <= b { a } else { b },
        );
        check(
            "select eq",
            S::select(S::eq(x, y), x, y),
            if a == b { a } else { b },
        );
        let product = if a == 0.0 { 0.0 } else { a * b };
        check("mul_or_zero", S::mul_or_zero(x, y), product);
        let (larger, smaller) = if a.is_nan() || b.is_nan() {
            (b, b)
        } else {
            (a.max(b), a.min(b))
        };
        if a != b {
            check("max", S::max(x, y), larger);
            check("min", S::min(x, y), smaller);
        }
        if a > 0.0 && a.is_finite() {
            let (m, e) = S::split_exponent(x);
            let (m, e) = (S::array(m)[3], S::array(e)[3]);
            assert!(
                (1.0..2.0).contains(&m),
                "mantissa {m} of {a:e} at {}",
                S::INSTRUCTION_SET
            );
            check(
                "split and scale",
                S::scale_exponent(S::splat(m), S::splat(e)),
                a,
            );
        }
    }
}

#[test]
fn arithmetic_is_that_of_plain_numbers_at_every_level() {
    for level in InstructionSet::available() {
        for a in NUMBERS {
            for b in NUMBERS {
                dispatch(level, Pair(a, b));
            }
        }
    }
}

/// Scales by a power of two.
struct Scale(f64, f64);

impl Work for Scale {
    type Output = [f64; LANES];
    #[inline(always)]
    fn run<S: Simd>(self) -> [f64; LANES] {
        S::array(S::scale_exponent(S::splat(self.0), S::splat(self.1)))
    }
}

#[test]
fn exponents_scale_with_a_single_rounding() {
    let cases = [
        (1.0, 1023.0, 2f64.powi(1023)),
        (1.0, 1024.0, f64::INFINITY),
        (1.5, -1074.0, 1e-323),
        (1.0, -1074.0, 5e-324),
        (1.0, -1075.0, 0.0),
        (1.999, -1075.0, 5e-324),
        (f64::MAX, -2097.0, 1e-323),
        (5e-324, 2097.0, 2f64.powi(1023)),
        (-3.0, 2.0, -12.0),
        (1.0, 2100.0, f64::INFINITY),
        (1.0, -2100.0, 0.0),
    ];
    for level in InstructionSet::available() {
        for (x, n, want) in cases {
            for lane in dispatch(level, Scale(x, n)) {
                same("scale_exponent", level, lane, want, (x, n));
            }
        }
    }
}

/// Powers of two.
struct Power(f64);

impl Work for Power {
    type Output = [f64; LANES];
    #[inline(always)]
    fn run<S: Simd>(self) -> [f64; LANES] {
        S::array(S::power_of_two(S::splat(self.0)))
    }
}

#[test]
fn powers_of_two_are_exact() {
    for level in InstructionSet::available() {
        for n in -1022..=1023 {
            let n = f64::from(n);
            for lane in dispatch(level, Power(n)) {
                same("power_of_two", level, lane, n.exp2(), (n, 0.0));
            }
        }
    }
}

/// Lanes keep their order.
struct Order;

impl Work for Order {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let lanes = std::array::from_fn(|i| i as f64 - 3.0);
        let x = S::load(&lanes);
        assert_eq!(S::array(x), lanes);
        assert_eq!(S::array(S::map(x, |x| 2.0 * x)), lanes.map(|x| 2.0 * x));
        let below = S::lt(x, S::splat(0.0));
        assert_eq!(
            S::array(S::select(below, S::splat(0.0), x)),
            lanes.map(|x| x.max(0.0))
        );
        assert!(S::any(below) && !S::any(S::lt(x, S::splat(-9.0))));
        let mut rows = [x; LANES];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = S::add(x, S::splat(10.0 * i as f64));
        }
        for (k, column) in S::transpose(rows).into_iter().enumerate() {
            let want = std::array::from_fn(|i| 10.0 * i as f64 + lanes[k]);
            assert_eq!(S::array(column), want);
        }
        let fused = S::array(S::mul_add(x, S::splat(2.0), S::splat(1.0)));
        assert_eq!(fused, lanes.map(|x| 2.0 * x + 1.0));
    }
}

#[test]
fn lanes_keep_their_order() {
    for level in InstructionSet::available() {
        dispatch(level, Order);
    }
}
