//! The rows of the published tables ("Comparison of parallel SMC and MCMC for Bayesian deep learning", tables 2 to 5 and 7 to 14). Serial
//! chains, the chains of table 10 (29,960 epochs) and islands of 8 in table 4 are left out.

use super::data::Subject;
use super::unit::Path;
use serde::Serialize;

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Sampler {
    /// An island of N particles with M moves at each temperature.
    Smc,
    /// N chains that keep their state after B moves.
    Chains,
}

/// A row of a table.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Row {
    pub sampler: Sampler,
    pub path: Path,
    /// N.
    pub particles: usize,
    /// M, or the burn-in B of chains.
    pub moves: usize,
    #[serde(skip)]
    pub published: &'static [Published],
    /// Published epochs, where they are printed.
    #[serde(skip)]
    pub epochs: Option<f64>,
}

impl Row {
    pub fn label(&self) -> String {
        let path = self.path.name();
        let (sampler, moves) = match self.sampler {
            Sampler::Smc => ("smc", format!("M={}", self.moves)),
            Sampler::Chains => ("hmc", format!("B={}", self.moves)),
        };
        format!("{sampler} {path} {moves} N={}", self.particles)
    }

    /// The largest number of units published together.
    pub fn most(&self) -> usize {
        self.published
            .iter()
            .map(|found| found.0)
            .max()
            .unwrap_or(1)
    }
}

/// P, the accuracy in percent, the mean negative log likelihood of a test row, and, if printed, the epistemic and the total entropy.
pub type Published = (usize, f64, f64, Option<[f64; 2]>);

const fn smc(
    path: Path,
    moves: usize,
    particles: usize,
    epochs: Option<f64>,
    published: &'static [Published],
) -> Row {
    Row {
        sampler: Sampler::Smc,
        path,
        particles,
        moves,
        published,
        epochs,
    }
}

/// 32 chains, as many as an island has particles.
const fn hmc(
    path: Path,
    burn_in: usize,
    epochs: Option<f64>,
    published: &'static [Published],
) -> Row {
    Row {
        sampler: Sampler::Chains,
        path,
        particles: 32,
        moves: burn_in,
        published,
        epochs,
    }
}

/// Rows for a quick check; the first one for digits only.
pub const QUICK: [Row; 3] = [
    smc(Path::AtLeast(0.02), 2, 8, None, &UNPUBLISHED),
    smc(Path::Step, 2, 8, None, &UNPUBLISHED),
    hmc(Path::Step, 5, None, &UNPUBLISHED),
];

const UNPUBLISHED: [Published; 2] = [(1, f64::NAN, f64::NAN, None), (2, f64::NAN, f64::NAN, None)];

/// The rows of a subject, table by table.
pub fn rows(subject: Subject) -> &'static [Row] {
    match subject {
        Subject::Digits => &DIGITS,
        Subject::Reviews => &REVIEWS,
        Subject::Photographs => &PHOTOGRAPHS,
    }
}

const DIGITS: [Row; 24] = [
    // table 11
    smc(
        Path::Step,
        1,
        32,
        Some(35.75),
        &[
            (1, 71.06, 1.134, Some([2.297e-2, 1.731])),
            (2, 72.54, 1.175, Some([7.094e-2, 1.843])),
            (4, 74.30, 1.162, Some([9.372e-2, 1.864])),
            (8, 74.80, 1.166, Some([1.065e-1, 1.887])),
        ],
    ),
    hmc(
        Path::Step,
        40,
        Some(40.0),
        &[
            (1, 73.80, 1.373, Some([1.190e-1, 2.071])),
            (8, 73.66, 1.367, Some([1.192e-1, 2.067])),
        ],
    ),
    smc(
        Path::Step,
        5,
        32,
        Some(204.87),
        &[
            (1, 76.92, 0.8253, Some([5.001e-2, 1.344])),
            (2, 79.14, 0.7875, Some([7.465e-2, 1.353])),
            (4, 80.24, 0.7721, Some([8.466e-2, 1.358])),
            (8, 79.62, 0.7628, Some([9.134e-2, 1.363])),
        ],
    ),
    hmc(
        Path::Step,
        200,
        Some(200.0),
        &[
            (1, 79.44, 0.7949, Some([9.410e-2, 1.430])),
            (8, 79.86, 0.7882, Some([9.758e-2, 1.425])),
        ],
    ),
    smc(
        Path::Step,
        10,
        32,
        Some(433.5),
        &[
            (1, 80.14, 0.7024, Some([6.296e-2, 1.174])),
            (2, 80.92, 0.6794, Some([8.635e-2, 1.194])),
            (4, 81.50, 0.6671, Some([9.641e-2, 1.205])),
            (8, 81.62, 0.6601, Some([1.016e-1, 1.206])),
        ],
    ),
    hmc(
        Path::Step,
        400,
        Some(400.0),
        &[
            (1, 81.72, 0.6834, Some([9.652e-2, 1.257])),
            (8, 81.74, 0.6804, Some([1.006e-1, 1.258])),
        ],
    ),
    smc(
        Path::Step,
        20,
        32,
        Some(892.0),
        &[
            (1, 82.56, 0.6145, Some([8.650e-2, 1.070])),
            (2, 83.02, 0.6064, Some([9.833e-2, 1.088])),
            (4, 82.72, 0.6002, Some([1.055e-1, 1.093])),
            (8, 82.92, 0.5938, Some([1.105e-1, 1.094])),
        ],
    ),
    hmc(
        Path::Step,
        800,
        Some(800.0),
        &[
            (1, 83.06, 0.6080, Some([1.065e-1, 1.128])),
            (8, 83.00, 0.6044, Some([1.101e-1, 1.132])),
        ],
    ),
    // table 7
    smc(
        Path::AtLeast(0.1),
        1,
        16,
        Some(514.6),
        &[
            (1, 85.00, 0.4744, Some([1.398e-1, 0.7992])),
            (2, 84.84, 0.4708, Some([1.522e-1, 0.8156])),
        ],
    ),
    smc(
        Path::AtLeast(0.1),
        1,
        32,
        Some(669.3),
        &[
            (1, 84.88, 0.4676, Some([1.494e-1, 0.8028])),
            (2, 84.94, 0.4654, Some([1.538e-1, 0.8085])),
            (4, 85.14, 0.4626, Some([1.566e-1, 0.8067])),
            (8, 85.26, 0.4600, Some([1.586e-1, 0.8066])),
            (16, 85.30, 0.4609, Some([1.653e-1, 0.8215])),
            (32, 85.40, 0.4597, Some([1.631e-1, 0.8167])),
        ],
    ),
    smc(
        Path::AtLeast(0.1),
        1,
        128,
        Some(759.2),
        &[(1, 85.40, 0.4578, Some([1.538e-1, 0.7916]))],
    ),
    smc(
        Path::AtLeast(0.1),
        1,
        256,
        Some(813.4),
        &[(1, 85.36, 0.4545, Some([1.592e-1, 0.7870]))],
    ),
    smc(
        Path::AtLeast(0.1),
        1,
        512,
        Some(836.0),
        &[(1, 85.42, 0.4548, Some([1.595e-1, 0.7845]))],
    ),
    smc(
        Path::AtLeast(0.1),
        1,
        1024,
        Some(834.0),
        &[(1, 85.42, 0.4546, Some([1.604e-1, 0.7877]))],
    ),
    // tables 3, 5 and 8
    smc(
        Path::AtLeast(0.005),
        20,
        32,
        Some(906.0),
        &[
            (1, 82.12, 0.6166, None),
            (2, 82.69, 0.6010, None),
            (4, 82.98, 0.5950, None),
            (8, 83.02, 0.5906, None),
        ],
    ),
    hmc(
        Path::AtLeast(0.005),
        900,
        Some(902.55),
        &[
            (1, 83.16, 0.5961, None),
            (2, 83.28, 0.5934, None),
            (4, 83.22, 0.5923, None),
        ],
    ),
    smc(
        Path::AtLeast(0.005),
        20,
        64,
        None,
        &[(1, 82.39, 0.5966, None), (2, 82.85, 0.5847, None)],
    ),
    smc(
        Path::AtLeast(0.005),
        20,
        16,
        None,
        &[
            (2, 81.63, 0.6270, None),
            (4, 81.91, 0.6209, None),
            (8, 82.64, 0.6144, None),
        ],
    ),
    smc(
        Path::AtLeast(0.005),
        20,
        8,
        None,
        &[
            (4, 81.47, 0.6552, None),
            (8, 81.69, 0.6470, None),
            (16, 81.97, 0.6463, None),
        ],
    ),
    // tables 4, 5 and 9
    smc(
        Path::AtLeast(0.02),
        20,
        32,
        Some(2040.0),
        &[
            (1, 84.93, 0.4800, None),
            (2, 84.83, 0.4758, None),
            (4, 84.98, 0.4756, None),
            (8, 85.15, 0.4749, None),
        ],
    ),
    hmc(
        Path::AtLeast(0.02),
        900,
        Some(4637.0),
        &[
            (1, 85.30, 0.4558, None),
            (2, 85.43, 0.4540, None),
            (4, 85.38, 0.4532, None),
        ],
    ),
    smc(
        Path::AtLeast(0.02),
        20,
        64,
        None,
        &[(1, 85.11, 0.4679, None), (2, 85.22, 0.4692, None)],
    ),
    smc(
        Path::AtLeast(0.02),
        20,
        16,
        None,
        &[
            (2, 84.63, 0.4918, None),
            (4, 84.85, 0.4886, None),
            (8, 84.92, 0.4851, None),
        ],
    ),
    // tables 2, 5 and 10
    smc(
        Path::AtLeast(0.1),
        20,
        32,
        Some(1.651e4),
        &[
            (1, 85.53, 0.4509, None),
            (2, 85.42, 0.4494, None),
            (4, 85.50, 0.4475, None),
            (8, 85.50, 0.4471, None),
        ],
    ),
];

const REVIEWS: [Row; 9] = [
    // table 14
    smc(
        Path::Step,
        1,
        32,
        Some(39.55),
        &[
            (1, 79.15, 0.6240, Some([8.420e-5, 0.6857])),
            (2, 81.21, 0.6196, Some([9.448e-4, 0.6857])),
            (4, 82.52, 0.6152, Some([1.538e-3, 0.6853])),
            (8, 82.90, 0.6116, Some([1.860e-3, 0.6848])),
        ],
    ),
    hmc(
        Path::Step,
        45,
        Some(45.0),
        &[
            (1, 82.47, 0.6380, Some([1.598e-3, 0.6894])),
            (8, 82.79, 0.6372, Some([1.679e-3, 0.6893])),
        ],
    ),
    smc(
        Path::Step,
        5,
        32,
        Some(358.1),
        &[
            (1, 86.15, 0.3480, Some([6.250e-4, 0.4507])),
            (2, 86.28, 0.3467, Some([2.803e-3, 0.4545])),
            (4, 86.40, 0.3462, Some([3.914e-3, 0.4561])),
            (8, 86.43, 0.3463, Some([4.434e-3, 0.4573])),
        ],
    ),
    hmc(
        Path::Step,
        225,
        Some(225.0),
        &[
            (1, 85.64, 0.3792, Some([5.858e-3, 0.5102])),
            (8, 85.70, 0.3788, Some([5.884e-3, 0.5102])),
        ],
    ),
    smc(
        Path::Step,
        10,
        32,
        Some(718.5),
        &[
            (1, 86.96, 0.3241, Some([1.142e-3, 0.4139])),
            (2, 87.18, 0.3218, Some([2.840e-3, 0.4146])),
            (4, 87.24, 0.3206, Some([3.728e-3, 0.4149])),
            (8, 87.26, 0.3205, Some([4.159e-3, 0.4162])),
        ],
    ),
    hmc(
        Path::Step,
        450,
        Some(450.0),
        &[
            (1, 87.11, 0.3238, Some([4.581e-3, 0.4192])),
            (8, 87.13, 0.3235, Some([4.707e-3, 0.4190])),
        ],
    ),
    smc(
        Path::Step,
        20,
        32,
        Some(1495.0),
        &[
            (1, 87.76, 0.3066, Some([1.496e-3, 0.3890])),
            (2, 87.83, 0.3056, Some([2.960e-3, 0.3910])),
            // the paper prints 3.637e-1 for the epistemic entropy of P = 4
            (4, 87.83, 0.3050, Some([3.637e-3, 0.3922])),
            (8, 87.89, 0.3046, Some([3.934e-3, 0.3917])),
        ],
    ),
    hmc(
        Path::Step,
        900,
        Some(900.0),
        &[
            (1, 87.99, 0.3006, Some([4.039e-3, 0.3833])),
            (8, 88.00, 0.3008, Some([4.159e-3, 0.3841])),
        ],
    ),
    // table 12
    smc(
        Path::AtLeast(0.1),
        1,
        32,
        Some(1.021e4),
        &[
            (1, 88.60, 0.2856, Some([2.904e-3, 0.3601])),
            (2, 88.67, 0.2852, Some([3.658e-3, 0.3619])),
            (4, 88.71, 0.2849, Some([4.181e-3, 0.3623])),
            (8, 88.72, 0.2846, Some([4.368e-3, 0.3627])),
        ],
    ),
];

/// Table 13.
const PHOTOGRAPHS: [Row; 2] = [
    hmc(
        Path::Step,
        550,
        Some(550.0),
        &[
            (1, 73.48, 1.341, Some([1.002e-2, 1.915])),
            (2, 73.50, 1.344, Some([9.885e-3, 1.916])),
            (4, 73.51, 1.347, Some([9.207e-3, 1.918])),
        ],
    ),
    smc(
        Path::Step,
        5,
        32,
        Some(651.5),
        &[
            (1, 76.84, 1.085, Some([3.535e-4, 1.669])),
            (2, 77.03, 1.074, Some([1.779e-3, 1.660])),
            (4, 76.87, 1.088, Some([2.884e-3, 1.676])),
            (8, 77.02, 1.087, Some([3.386e-3, 1.677])),
        ],
    ),
];
