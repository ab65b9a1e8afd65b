//! Plates of Crowder (1978): seeds that germinated, of so many, of one of two kinds, with one of two extracts of roots.

/// Seeds that germinated.
pub const GERMINATED: [u64; 21] = [
    10, 23, 23, 26, 17, 5, 53, 55, 32, 46, 10, 8, 10, 8, 23, 0, 3, 22, 15, 32, 3,
];
/// Seeds of the plate.
pub const OF: [u64; 21] = [
    39, 62, 81, 51, 39, 6, 74, 72, 51, 79, 13, 16, 30, 28, 45, 4, 12, 41, 30, 51, 7,
];
/// Whether they were beans.
pub const BEAN: [f64; 21] = [
    0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.,
];
/// Whether the extract was that of cucumbers.
pub const EXTRACT: [f64; 21] = [
    0., 0., 0., 0., 0., 1., 1., 1., 1., 1., 1., 0., 0., 0., 0., 0., 1., 1., 1., 1., 1.,
];
