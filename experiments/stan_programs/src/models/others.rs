//! Epidemics, maps and networks.

use bayes::prelude::*;

/// Deaths by covid-19 in several countries (Flaxman and others 2020); `covid19imperial_v2` and `_v3` are the same program.
#[model]
pub fn covid19(c: &Countries) {
    let (days, countries) = c.deaths.shape();
    let kappa = sample(HalfNormal::new(0.5));
    let mu = sample(
        Normal::new(3.28, kappa)
            .truncated(0.0, f64::INFINITY)
            .iid(countries),
    );
    // the program does not renormalise on the positive numbers
    factor(countries as f64 * Normal::new(3.28, kappa).log_sf_at(0.0));
    let alpha_hier = sample(Gamma::new(0.1667, 1.0).iid(c.measures[0].ncols()));
    let tau = sample(Exponential::new(0.03));
    let y = sample(Exponential::new(1.0 / tau).iid(countries));
    let phi = sample(HalfNormal::new(5.0));
    let ifr_noise = sample(
        Normal::new(1.0, 0.1)
            .truncated(0.0, f64::INFINITY)
            .iid(countries),
    );
    let alpha = &alpha_hier - 1.05_f64.ln() / 6.0;
    for m in 0..countries {
        let reduction = &c.measures[m] * &alpha;
        let mut infected: Vec<Real> = vec![y[m]; c.seeded];
        // the program leaves the first day out
        let mut before: Real = (c.seeded - 1) as f64 * y[m];
        for i in c.seeded..days {
            let earlier = Vector::from_fn(i, |j| infected[j]);
            let convolved = earlier.dot(&c.interval_reversed[days - i..]);
            before += infected[i - 1];
            let susceptible = (c.population[m] - before) / c.population[m];
            infected.push(susceptible * mu[m] * (-reduction[i]).exp() * convolved);
        }
        for i in c.start[m]..c.end[m] {
            let earlier = Vector::from_fn(i, |j| infected[j]);
            let deaths = ifr_noise[m] * earlier.dot(&c.fatal_reversed[m][days - i..]);
            observe(
                c.deaths[(i, m)],
                NegativeBinomial::mean_dispersion(deaths, phi),
            );
        }
    }
}

/// The data of `covid19`.
#[allow(missing_docs)]
pub struct Countries {
    pub deaths: DMatrix<u64>,
    pub measures: Vec<DMatrix<f64>>,
    pub population: Vec<f64>,
    pub interval_reversed: Vec<f64>,
    pub fatal_reversed: Vec<Vec<f64>>,
    pub start: Vec<usize>,
    pub end: Vec<usize>,
    pub seeded: usize,
}

/// Accidents in the city of New York (Morris and others 2019); as in the program, the map's effects nearly sum to zero.
#[model]
pub fn bym2(cases: &[u64], log_expected: &[f64], first: &[usize], second: &[usize], scaling: f64) {
    let places = cases.len();
    let beta0 = sample(Normal::new(0.0, 1.0));
    let sigma = sample(HalfNormal::new(1.0));
    let rho = sample(Beta::new(0.5, 0.5));
    let theta = sample(Normal::new(0.0, 1.0).iid(places));
    let phi = sample(Flat::new().iid(places));
    factor(-0.5 * (phi.at(first) - phi.at(second)).norm_squared());
    factor(Normal::new(0.0, 0.001 * places as f64).log_density_at(phi.sum()));
    let effect = (1.0 - rho).sqrt() * &theta + (rho / scaling).sqrt() * &phi;
    observe(
        cases,
        PoissonLog::new(log_expected + beta0 + sigma * effect),
    );
}

/// Handwritten digits by a network with one hidden layer.
#[model]
pub fn nn_rbm1b(x: &DMatrix<f64>, y: &[usize], classes: usize, hidden: usize) {
    let inputs = x.ncols();
    let variance = |size: usize| (0.05 / (size as f64).powi(2)).powi(2);
    let sigma2_alpha = sample(InverseGamma::new(0.25, 0.25 * variance(inputs)));
    let sigma2_beta = sample(InverseGamma::new(0.25, 0.25 * variance(hidden)));
    let alpha = sample(Normal::new(0.0, sigma2_alpha.sqrt()).iid((inputs, hidden)));
    let beta = sample(Normal::new(0.0, sigma2_beta.sqrt()).iid((hidden, classes - 1)));
    let alpha1 = sample(Normal::new(0.0, 1.0).iid(hidden));
    let beta1 = sample(Normal::new(0.0, 1.0).iid(classes - 1));
    let product = x * &alpha;
    for n in 0..y.len() {
        let unit = Vector::from_fn(hidden, |j| (alpha1[j] + product[(n, j)]).tanh());
        let mut logits = vec![Real::from(1.0)];
        for k in 0..classes - 1 {
            logits.push(beta1[k] + unit.dot(&beta.column(k)));
        }
        observe(y[n], CategoricalLogit::new(&Vector::from(logits)));
    }
}
