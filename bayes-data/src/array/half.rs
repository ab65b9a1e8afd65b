//! Floating-point numbers of two bytes (IEEE 754, binary16). They are only read, so a crate for their arithmetic is not needed.

use num_traits::{AsPrimitive, FromBytes};

/// The bits of a number: a sign, five bits of exponent, ten of the fraction.
#[derive(Clone, Copy)]
pub(super) struct Half(u16);

impl FromBytes for Half {
    type Bytes = [u8; 2];

    fn from_be_bytes(bytes: &[u8; 2]) -> Self {
        Self(u16::from_be_bytes(*bytes))
    }

    fn from_le_bytes(bytes: &[u8; 2]) -> Self {
        Self(u16::from_le_bytes(*bytes))
    }
}

impl AsPrimitive<f64> for Half {
    fn as_(self) -> f64 {
        let fraction = f64::from(self.0 & 0x3ff);
        let size = match i32::from(self.0 >> 10 & 0x1f) {
            // below the smallest normal number, 2⁻¹⁴
            0 => fraction * 2.0_f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            exponent => (1024.0 + fraction) * 2.0_f64.powi(exponent - 25),
        };
        match self.0 >> 15 {
            0 => size,
            _ => -size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Half;
    use num_traits::AsPrimitive;

    /// The standard's values: zeros, the least and the largest subnormal number, the least normal one, 1 and its neighbour, a third,
    /// the largest number, infinities, and a NaN.
    #[test]
    fn the_bits_of_a_half_are_the_numbers_of_ieee_754() {
        let cases = [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x03ff, 6.097_555_160_522_461e-5),
            (0x0400, 6.103_515_625e-5),
            (0x3c00, 1.0),
            (0x3c01, 1.000_976_562_5),
            (0x3555, 0.333_251_953_125),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ];
        for (bits, value) in cases {
            let read: f64 = Half(bits).as_();
            assert_eq!(read.to_bits(), f64::to_bits(value), "{bits:#06x}");
        }
        let nan: f64 = Half(0x7e00).as_();
        assert!(nan.is_nan());
    }
}
