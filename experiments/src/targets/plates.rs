//! Plates of Crowder (1978): numbers of germinated seeds and of all seeds, for two kinds of seeds and two root extracts.

/// Number of germinated seeds.
pub const GERMINATED: [u64; 21] = [
    10, 23, 23, 26, 17, 5, 53, 55, 32, 46, 10, 8, 10, 8, 23, 0, 3, 22, 15, 32, 3,
];
/// Number of seeds of the plate.
pub const OF: [u64; 21] = [
    39, 62, 81, 51, 39, 6, 74, 72, 51, 79, 13, 16, 30, 28, 45, 4, 12, 41, 30, 51, 7,
];
/// 1 for bean seeds.
pub const BEAN: [f64; 21] = [
    0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,
];
/// 1 for the cucumber extract.
pub const EXTRACT: [f64; 21] = [
    0., 0., 0., 0., 0., 1., 1., 1., 1., 1., 1., 0., 0., 0., 0., 0., 1., 1., 1., 1., 1.,
];
