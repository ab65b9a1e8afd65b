data {
  int<lower=0> N;
  int<lower=1> K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> y;
}
transformed data {
  matrix[N, K] Z;
  vector[K] mean_X;
  for (k in 1:K) {
    mean_X[k] = mean(X[, k]);
    Z[, k] = (X[, k] - mean_X[k]) / sd(X[, k]);
  }
}
parameters {
  real alpha;
  vector[K] beta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  y ~ bernoulli_logit_glm(Z, alpha, beta);
}
generated quantities {
  array[K] real odds = exp(to_array_1d(beta));
}
