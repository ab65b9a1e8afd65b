//! The deviance by the difference of its arguments, where their doubles have lost it: value, slopes and curvature against
//! references, and eight lanes against one.

use bayes_autodiff::function::{Binary, Deviance, DevianceApart, Ternary};
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};

/// `[x, apart]` and the value, the slopes in `x` and `apart`, and the curvature `xx, xd, dd`, with 60 digits of mpmath rounded to
/// doubles.
const NEAR: [([f64; 2], [f64; 6]); 7] = [
    (
        [3.7e14, -4.0],
        [
            2.1621621621621777e-14,
            -5.843681519357279e-29,
            -1.0810810810810928e-14,
            3.1587467672201737e-43,
            2.921840759678661e-29,
            2.702702702702761e-15,
        ],
    ),
    (
        [1e18, 35.0],
        [6.125e-16, -6.125e-34, 3.5e-17, 1.225e-51, -3.5e-35, 1e-18],
    ),
    ([1e300, -3.0], [4.5e-300, 0.0, -3e-300, 0.0, 0.0, 1e-300]),
    (
        [2.5, 0.25],
        [
            0.01172455048918785,
            -0.004401088895233951,
            0.09090909090909091,
            0.003305785123966942,
            -0.03305785123966942,
            0.3305785123966942,
        ],
    ),
    (
        [2.5, -0.375],
        [
            0.031297323744437285,
            -0.013951658737519204,
            -0.17647058823529413,
            0.01245674740484429,
            0.08304498269896193,
            0.5536332179930796,
        ],
    ),
    (
        [1000.0, 1e-9],
        [
            4.999999999996668e-22,
            -4.999999999993334e-25,
            9.99999999999e-13,
            9.99999999998e-28,
            -9.99999999998e-16,
            0.000999999999998,
        ],
    ),
    (
        [7.0, 1.0],
        [
            0.06528025162834164,
            -0.008531392624522623,
            0.125,
            0.002232142857142857,
            -0.015625,
            0.109375,
        ],
    ),
];

fn close(got: f64, wanted: f64) -> bool {
    (got - wanted).abs() <= 1e-13 * wanted.abs()
}

#[test]
fn digits_that_the_arguments_lost_are_kept() {
    for ([x, apart], [value, in_x, in_apart, xx, xd, dd]) in NEAR {
        let (got, slopes, curvature) = DevianceApart::second(x, x + apart, apart);
        let pairs = [
            (got, value),
            (slopes[0], in_x),
            (slopes[2], in_apart),
            (curvature[0][0], xx),
            (curvature[0][2], xd),
            (curvature[2][2], dd),
        ];
        for (got, wanted) in pairs {
            assert!(close(got, wanted), "{x}, {apart}: {got:e}, want {wanted:e}");
        }
        assert_eq!([slopes[1], curvature[1][1], curvature[0][1]], [0.0; 3]);
    }
}

#[test]
fn far_arguments_have_the_plain_deviance() {
    for (x, m) in [(0.0, 3.0), (3.0, 1e-200), (1e-9, 5.0), (4.0, 9.0)] {
        let (value, [in_x, in_m]) = Deviance::first(x, m);
        let got = DevianceApart::first(x, m, m - x);
        assert_eq!(got, (value, [in_x, in_m, 0.0]), "{x}, {m}");
    }
}

/// Eight arguments.
struct Eight([[f64; LANES]; 3]);

impl Work for Eight {
    type Output = [[f64; LANES]; 4];
    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let [x, m, apart] = self.0.map(|lanes| S::load(&lanes));
        let (value, [in_x, in_m, in_apart]) = DevianceApart::lanes_first::<S>(x, m, apart);
        [value, in_x, in_m, in_apart].map(S::array)
    }
}

#[test]
fn lanes_agree_with_one_by_one() {
    let x = [3.7e14, 1e18, 2.5, 1000.0, 7.0, 4.0, 1e300, 0.5];
    let apart = [-4.0, 35.0, -0.375, 1e-9, 1.0, 0.25, -3.0, 0.01];
    let with_far = [-4.0, 35.0, -0.375, 1e-9, 30.0, 5.0, -3.0, -0.499];
    for apart in [apart, with_far] {
        let m: [f64; LANES] = std::array::from_fn(|i| x[i] + apart[i]);
        let lanes = dispatch(InstructionSet::detect(), Eight([x, m, apart]));
        for i in 0..LANES {
            let (value, slopes) = DevianceApart::first(x[i], m[i], apart[i]);
            let wanted = [value, slopes[0], slopes[1], slopes[2]];
            for k in 0..4 {
                let error = (lanes[k][i] - wanted[k]).abs();
                assert!(
                    error <= 1e-14 * wanted[k].abs(),
                    "{i}, {k}: {} want {}",
                    lanes[k][i],
                    wanted[k]
                );
            }
        }
    }
}
