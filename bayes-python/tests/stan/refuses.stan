data {
  vector[3] y;
  int<lower=0> places;
  array[places] int<lower=1, upper=5> at;
}
transformed data {
  if (sum(y) > 100) reject("the sum of y is ", sum(y), ", at most 100");
}
parameters {
  real mu;
  real s;
}
model {
  mu ~ normal(0, 1);
  s ~ normal(1, 1);
  if (mu > 3) reject("mu is ", mu, ", beyond 3");
  y ~ normal(mu, s);
}
generated quantities {
  real bad = s > 2 ? log_determinant([[1, 2], [3, 4]]) : mu;
}
