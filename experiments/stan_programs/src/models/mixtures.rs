//! Mixtures, topics and hidden Markov models.

use bayes::prelude::*;
use std::f64::consts::LN_2;

#[model]
pub fn normal_mixture(y: &[f64]) {
    let theta = sample(Uniform::new(0.0, 1.0));
    let mu = sample(Normal::new(0.0, 10.0).iid(2));
    let components = [Normal::new(mu[0], 1.0), Normal::new(mu[1], 1.0)];
    observe(y, Mixture::new([theta, 1.0 - theta], components));
}

#[model]
pub fn normal_mixture_k(y: &[f64], count: usize) {
    let theta = sample(Dirichlet::new(vec![1.0; count]));
    let mu = sample(Normal::new(0.0, 10.0).iid(count));
    let sigma = sample(Uniform::new(0.0, 10.0).iid(count));
    let components: Vec<_> = (0..count).map(|k| Normal::new(mu[k], sigma[k])).collect();
    observe(y, Mixture::new(&theta, components));
}

#[model]
pub fn low_dim_gauss_mix(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0).iid(2).ordered());
    // the program does not renormalise on the ordered pairs
    factor(-LN_2);
    let sigma = sample(HalfNormal::new(2.0).iid(2));
    let theta = sample(Beta::new(5.0, 5.0));
    let components = [Normal::new(mu[0], sigma[0]), Normal::new(mu[1], sigma[1])];
    observe(y, Mixture::new([theta, 1.0 - theta], components));
}

#[model]
pub fn low_dim_gauss_mix_collapse(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0).iid(2));
    let sigma = sample(HalfNormal::new(2.0).iid(2));
    let theta = sample(Beta::new(5.0, 5.0));
    let components = [Normal::new(mu[0], sigma[0]), Normal::new(mu[1], sigma[1])];
    observe(y, Mixture::new([theta, 1.0 - theta], components));
}

/// Topics of words in documents (Blei and others 2003).
#[model]
pub fn lda(word: &[usize], document: &[usize], documents: usize, alpha: &[f64], beta: &[f64]) {
    let theta = sample(Dirichlet::new(alpha).iid(documents));
    let phi = sample(Dirichlet::new(beta).iid(alpha.len()));
    for n in 0..word.len() {
        let topic = sum_out(Categorical::new(theta.row(document[n])));
        observe(word[n], Categorical::new(phi.row(topic)));
    }
}

/// Drives in basketball: speeds and distances to the hoop, exponential.
#[model]
pub fn hmm_drive_0(u: &[f64], v: &[f64], alpha: &DMatrix<f64>) {
    let theta1 = sample(Dirichlet::new([alpha[(0, 0)], alpha[(0, 1)]]));
    let theta2 = sample(Dirichlet::new([alpha[(1, 0)], alpha[(1, 1)]]));
    let phi_1 = sample(HalfNormal::new(1.0));
    let phi_2 = sample(Normal::new(3.0, 1.0).truncated(phi_1, f64::INFINITY));
    let lambda_1 = sample(HalfNormal::new(1.0));
    let lambda_2 = sample(Normal::new(3.0, 1.0).truncated(lambda_1, f64::INFINITY));
    // the program does not renormalise on the ordered pairs
    factor(Normal::new(3.0, 1.0).log_sf_at(phi_1) + Normal::new(3.0, 1.0).log_sf_at(lambda_1));
    let emission = |t: usize, phi: Real, lambda: Real| {
        Exponential::new(phi).log_density_at(u[t]) + Exponential::new(lambda).log_density_at(v[t])
    };
    let both = |t: usize| [emission(t, phi_1, lambda_1), emission(t, phi_2, lambda_2)];
    let mut forward = both(0);
    for t in 1..u.len() {
        let now = both(t);
        forward = [0, 1].map(|k| {
            let stay = forward[0] + theta1[k].ln();
            stay.log_add_exp(forward[1] + theta2[k].ln()) + now[k]
        });
    }
    factor(forward[0].log_add_exp(forward[1]));
}

/// The same, normal on the log scale.
#[model]
pub fn hmm_drive_1(u: &[f64], v: &[f64], alpha: &DMatrix<f64>, tau: f64, rho: f64) {
    let theta1 = sample(Dirichlet::new([alpha[(0, 0)], alpha[(0, 1)]]));
    let theta2 = sample(Dirichlet::new([alpha[(1, 0)], alpha[(1, 1)]]));
    let phi_1 = sample(Normal::new(0.0, 1.0));
    let phi_2 = sample(Normal::new(3.0, 1.0).truncated(phi_1, f64::INFINITY));
    let lambda_1 = sample(Normal::new(0.0, 1.0));
    let lambda_2 = sample(Normal::new(3.0, 1.0).truncated(lambda_1, f64::INFINITY));
    // the program does not renormalise on the ordered pairs
    factor(Normal::new(3.0, 1.0).log_sf_at(phi_1) + Normal::new(3.0, 1.0).log_sf_at(lambda_1));
    let emission = |t: usize, phi: Real, lambda: Real| {
        Normal::new(phi, tau).log_density_at(u[t]) + Normal::new(lambda, rho).log_density_at(v[t])
    };
    let both = |t: usize| [emission(t, phi_1, lambda_1), emission(t, phi_2, lambda_2)];
    let mut forward = both(0);
    for t in 1..u.len() {
        let now = both(t);
        forward = [0, 1].map(|k| {
            let stay = forward[0] + theta1[k].ln();
            stay.log_add_exp(forward[1] + theta2[k].ln()) + now[k]
        });
    }
    factor(forward[0].log_add_exp(forward[1]));
}

#[model]
pub fn hmm_example(y: &[f64]) {
    let theta1 = sample(Dirichlet::new([1.0, 1.0]));
    let theta2 = sample(Dirichlet::new([1.0, 1.0]));
    let mu_1 = sample(Normal::new(3.0, 1.0).truncated(0.0, f64::INFINITY));
    let mu_2 = sample(Normal::new(10.0, 1.0).truncated(mu_1, f64::INFINITY));
    // the program does not renormalise on the ordered pairs, nor weight the first state
    factor(Normal::new(10.0, 1.0).log_sf_at(mu_1));
    let moves = Matrix::from_rows(&[theta1, theta2]);
    let emissions = [Normal::new(mu_1, 1.0), Normal::new(mu_2, 1.0)];
    observe(y, HiddenMarkov::new([0.5, 0.5], &moves, emissions, y.len()));
}

/// The program weights each first state by the density of the first value under all states; the second state has the probabilities `pi1 A`.
#[model]
pub fn hmm_gaussian(y: &[f64], states: usize) {
    let pi1 = sample(Dirichlet::new(vec![1.0; states]));
    let A = sample(Dirichlet::new(vec![1.0; states]).iid(states));
    let mu = sample(Flat::new().iid(states).ordered());
    let sigma = sample(Flat::above(0.0).iid(states));
    for k in 0..states {
        observe(y[0], Normal::new(mu[k], sigma[k]));
    }
    let second = A.transpose() * &pi1;
    let emissions: Vec<_> = (0..states).map(|k| Normal::new(mu[k], sigma[k])).collect();
    observe(
        &y[1..],
        HiddenMarkov::new(&second, &A, emissions, y.len() - 1),
    );
}

/// The chances of the states depend on the inputs `u`, and not on the state before.
#[model]
pub fn iohmm_reg(y: &[f64], u: &DMatrix<f64>, states: usize) {
    let pi1 = sample(Dirichlet::new(vec![1.0; states]));
    let w = sample(Normal::new(0.0, 5.0).iid((states, u.ncols())));
    let b = sample(Normal::new(0.0, 5.0).iid((states, u.ncols())));
    let sigma = sample(HalfNormal::new(3.0).iid(states));
    let mut forward: Vec<Real> = Vec::new();
    for t in 0..y.len() {
        let of = |row: &[Real]| (0..u.ncols()).map(|i| row[i] * u[(t, i)]).sum::<Real>();
        let chance = if t == 0 {
            pi1.ln()
        } else {
            Vector::from_fn(states, |k| of(w.row(k))).log_softmax()
        };
        // as in the program, the weight is that of the state before
        let before = match t {
            0 => chance.iter().copied().collect::<Vec<Real>>(),
            _ => {
                let all = Vector::from_fn(states, |i| forward[i] + chance[i]);
                vec![all.log_sum_exp(); states]
            }
        };
        forward = (0..states)
            .map(|k| before[k] + Normal::new(of(b.row(k)), sigma[k]).log_density_at(y[t]))
            .collect();
    }
    factor(Vector::from(forward).log_sum_exp());
}
