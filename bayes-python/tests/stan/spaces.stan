data {
  int<lower=0> K;
}
parameters {
  real<lower=-1, upper=3> bounded;
  real<upper=2> below;
  real<offset=5, multiplier=2> shifted;
  simplex[K] shares;
  ordered[K] cuts;
  positive_ordered[2] rates;
  unit_vector[3] direction;
  cholesky_factor_corr[3] L;
  corr_matrix[2] R;
  cov_matrix[2] S;
  array[2] matrix[2, 3] M;
  array[2, 2] vector[2] v;
}
transformed parameters {
  matrix[3, 3] LL = multiply_lower_tri_self_transpose(L);
  complex zed = to_complex(bounded, shifted);
  tuple(real, vector[2]) pair = (bounded, rates);
  vector[0] nothing;
}
model {
  below ~ normal(0, 1);
  shifted ~ normal(5, 2);
  shares ~ dirichlet(rep_vector(2, K));
  cuts ~ normal(0, 3);
  rates ~ exponential(1);
  L ~ lkj_corr_cholesky(2);
  R ~ lkj_corr(1.5);
  S ~ inv_wishart(5, identity_matrix(2));
  for (i in 1:2) to_vector(M[i]) ~ normal(i, 1);
  for (i in 1:2) for (j in 1:2) v[i, j] ~ normal(i + 10 * j, 1);
}
