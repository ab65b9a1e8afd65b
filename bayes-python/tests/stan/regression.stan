data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
  real<lower=0> noise;
}
parameters {
  vector[K] beta;
}
model {
  target += normal_lpdf(beta | 0, 1);
  target += normal_lpdf(y | X * beta, noise);
}
