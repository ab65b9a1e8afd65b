/// A step of the method of the middle.
#[must_use]
pub fn step<const N: usize>(f: impl Fn([Real; N]) -> [Real; N], z: [Real; N], dt: f64) -> [Real; N] {
    let k = f(z);
    let middle: Vec<Real> = (0..N).map(|i| z[i] + 0.5 * dt * k[i]).collect();
    let k = f([Real::from(0.0); N].map(|zero| zero + middle[0]));
    [0; N].map(|i: usize| z[i] + dt * k[i])
}
