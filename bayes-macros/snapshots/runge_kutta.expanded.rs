/// A step of the method of the middle.
#[must_use]
pub fn step<const N: usize, __M: ::bayes::__private::Mode>(
    f: impl Fn([::bayes::__private::Real<__M>; N]) -> [::bayes::__private::Real<__M>; N],
    z: [::bayes::__private::Real<__M>; N],
    dt: f64,
) -> [::bayes::__private::Real<__M>; N] {
    #[allow(unused_imports)]
    use ::bayes::__private::{Checked as _, Unchecked as _};
    let k = f(z);
    let middle: Vec<::bayes::__private::Real<__M>> = (0..N)
        .map(|i| z[::bayes::__private::site(&z, i, "z", 5).in_range()] + 0.5 * dt * k[i])
        .collect();
    let k = f(
        [::bayes::__private::Real::<__M>::from(0.0); N].map(|zero| zero + middle[0]),
    );
    [0; N]
        .map(|i: usize| {
            z[::bayes::__private::site(&z, i, "z", 7).in_range()] + dt * k[i]
        })
}
