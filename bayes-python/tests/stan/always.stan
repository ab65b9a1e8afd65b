parameters { real mu; }
model {
  mu ~ normal(0, 1);
  if (mu < 1e9) reject("mu is ", mu, ", always");
}
