functions {
  vector decay(real t, vector y, real k) {
    return -k * y;
  }
}
data {
  int N;
  array[N] real<lower=0> t;
  vector[N] y;
}
transformed data {
  array[1] vector[1] start = ode_bdf(decay, rep_vector(1, 1), 0.0, {1.0}, 0.5);
}
parameters {
  real<lower=0> k;
}
model {
  array[N] vector[1] curve = ode_bdf(decay, start[1], 0.0, t, k);
  k ~ lognormal(0, 1);
  for (n in 1:N) y[n] ~ normal(curve[n][1], 0.1);
}
