//! Every distribution by its constructors: the macro's catalogue and `bayes::dist` agree.

#![deny(warnings)]

use bayes::prelude::*;

#[model]
fn continuous(y: &[f64], covariance: &DMatrix<f64>) {
    let a = sample(Beta::new(1.0, 1.0));
    let b = sample(Cauchy::new(0.0, 1.0));
    let c = sample(Dirichlet::new([1.0, 1.0, 1.0]));
    let d = sample(Exponential::new(1.0));
    let e = sample(Gamma::new(1.0, 1.0));
    let f = sample(HalfCauchy::new(1.0));
    let g = sample(HalfNormal::new(1.0));
    let h = sample(InverseGamma::new(1.0, 1.0));
    let i = sample(Laplace::new(0.0, 1.0));
    let j = sample(LogNormal::new(0.0, 1.0));
    let k = sample(Mixture::new(
        [0.2, 0.8],
        (Normal::new(a, 1.0), Normal::new(b, d)),
    ));
    let l = sample(MultivariateNormal::new([0.0, 0.0], covariance));
    let m = sample(MultivariateNormal::from_cholesky([0.0, 0.0], covariance));
    let n = sample(Normal::new(0.0, 1.0).iid((2, 3)));
    let o = sample(StudentT::new(4.0, 0.0, 1.0));
    let p = sample(Uniform::new(0.0, 1.0));
    let q = sample(Normal::new(0.0, 1.0).iid(3).ordered());
    let r = sample(Flat::new());
    let s = sample(Flat::above(0.0).iid(2));
    let t = sample(Flat::below(r));
    let u = sample(Flat::between(t, r));
    let v = sample(ChiSquared::new(1.0));
    let w = sample(Gumbel::new(0.0, v));
    let x = sample(HalfStudentT::new(v, 1.0));
    let z = sample(Logistic::new(w, x));
    let aa = sample(Pareto::new(x, 1.0));
    let ab = sample(SkewNormal::new(z, aa, 1.0));
    let ac = sample(VonMises::new(0.0, v));
    let ad = sample(Weibull::new(1.0, aa));
    let sum = ab
        + ac
        + ad
        + u
        + s[0]
        + c[0]
        + d
        + e
        + f
        + g
        + h
        + i
        + j
        + k
        + l[0]
        + m[1]
        + n[(0, 1)]
        + o
        + p
        + q[2];
    observe(y, Normal::new(sum, 1.0));
}

#[model]
fn structured(y: &[f64], x: &DMatrix<f64>, eye: &DMatrix<f64>) {
    let a = sample(Autoregressive::stationary([0.5, 0.2], 1.0, 4).mean(1.0));
    let b = sample(Autoregressive::conditional(0.5, 1.0, [0.0], 4));
    let c = sample(GaussianProcess::new(0.0, Matern52::new(1.0, 2.0), x));
    let d = sample(GaussianRandomWalk::new(Normal::new(0.0, 1.0), 0.1, 4).drift(0.5));
    let e = sample(InverseWishart::new(4.0, eye));
    let f = sample(LKJ::new(3, 2.0));
    let g = sample(LKJCholesky::new(3, 2.0));
    let h = sample(MultivariateStudentT::new(4.0, 0.0, eye));
    let i = sample(MultivariateStudentT::from_cholesky(4.0, [0.0, 0.0], eye));
    let j = sample(UniformSphere::new(3));
    let k = sample(Wishart::new(4.0, eye));
    let sum = a[0]
        + b[0]
        + c[0]
        + d[0]
        + e[(0, 1)]
        + f[(1, 0)]
        + g[(1, 0)]
        + h[0]
        + i[0]
        + j[2]
        + k[(0, 0)];
    observe(y, Normal::new(sum, 1.0));
}

#[model]
fn discrete(y: &[u64]) {
    let a = sample(Bernoulli::new(0.5));
    let b = sample(BernoulliLogit::new(0.0));
    let c = sample(Binomial::new(10, 0.5));
    let d = sample(BinomialLogit::new(10, 0.0));
    let e = sample(Categorical::new([0.5, 0.5]));
    let f = sample(CategoricalLogit::new([0.0, 0.0]));
    let g = sample(NegativeBinomial::mean_dispersion(1.0, 1.0));
    let h = sample(Poisson::new(1.0).iid(2));
    let i = sample(PoissonLog::new(0.0));
    let distribution = Poisson::new(1.0);
    let j = sample(distribution);
    let k = sample(Mixture::new(
        [0.5, 0.5],
        [Poisson::new(1.0), Poisson::new(2.0)],
    ));
    let l = sample(BetaBinomial::new(10, 1.0, 1.0));
    let m = sample(Geometric::new(0.5));
    let n = sample(Hypergeometric::new(10, 5, 5));
    let o = sample(NegativeBinomial::successes_probability(1.0, 0.5));
    let p = sample(ZeroInflatedPoisson::new(0.5, 1.0));
    let q = sample(ZeroInflated::new(0.5, Binomial::new(3, 0.5)));
    let r = sample(Hurdle::new(0.5, NegativeBinomial::mean_dispersion(1.0, 1.0)).iid(2));
    let k = q + r[1] + k + l + m + n + o + p;
    observe(
        y,
        Poisson::new(1.0 + a + b + c + d + e + f + g + h[0] + i + j + k),
    );
    observe(y, Multinomial::new(3, [0.2, 0.3, 0.5]));
    let s = sample(OrderedLogistic::new(0.5, [-1.0, 1.0]));
    observe(y, OrderedLogistic::new(s, [-1.0, 1.0]));
}

pub fn main() {
    let eye = DMatrix::identity(2, 2);
    let _ = (
        continuous(&[1.0], &eye),
        structured(&[1.0], &eye, &eye),
        discrete(&[1]),
    );
}
