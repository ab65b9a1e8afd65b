//! The log probability of a choice in every row: a log softmax, fused with the passes of the network.

use super::Rows;
use crate::function::{Exp, Function, Ln};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{LANES, Simd};

/// `output[chosen] - ln Σ e^output` in every row; `chosen` gives the choice of a row. Minus infinity if there is no such output.
#[derive(Clone, Copy, Debug)]
pub struct Choices<F>(pub F);

impl<F: Fn(usize) -> usize> Rows for Choices<F> {
    #[inline(always)]
    fn value<M: Mode>(&mut self, row: usize, outputs: &[Real<M>]) -> Real<M> {
        match outputs.get((self.0)(row)) {
            Some(chosen) => *chosen - M::log_sum_exp(outputs),
            None => Real::constant(f64::NEG_INFINITY),
        }
    }

    #[inline(always)]
    fn term<S: Simd>(
        &mut self,
        row: usize,
        outputs: &[[f64; LANES]],
        slopes: Option<&mut [[f64; LANES]]>,
    ) -> S::Float {
        let chosen = (self.0)(row);
        if chosen >= outputs.len() {
            return S::splat(f64::NEG_INFINITY);
        }
        let mut largest = S::load(&outputs[0]);
        for output in outputs {
            largest = S::max(largest, S::load(output));
        }
        let mut sum = S::splat(0.0);
        if let Some(slopes) = slopes {
            for k in 0..outputs.len() {
                let share = Exp::lanes::<S>(S::sub(S::load(&outputs[k]), largest));
                sum = S::add(sum, share);
                S::store(share, &mut slopes[k]);
            }
            let scale = S::div(S::splat(-1.0), sum);
            for (k, slope) in slopes.iter_mut().enumerate() {
                let own = S::splat(f64::from(u8::from(k == chosen)));
                S::store(S::mul_add(S::load(slope), scale, own), slope);
            }
        } else {
            for output in outputs {
                let share = Exp::lanes::<S>(S::sub(S::load(output), largest));
                sum = S::add(sum, share);
            }
        }
        let above = S::sub(S::load(&outputs[chosen]), largest);
        S::sub(above, Ln::lanes::<S>(sum))
    }
}
