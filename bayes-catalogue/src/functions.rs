//! The table of the elementary functions of `bayes`.

/// Hands the table of the functions of one or two numbers to the macro `$then`: `functions!(print)` is `print! { unary exponential { ... } }`.
///
/// A line is
///
/// ```text
/// arity file { /// What users read.
///     Type method(other); }
/// ```
///
/// - `file`: the module `bayes-autodiff/src/function/<file>.rs` that holds the function `Type`;
/// - `method`: the method of `Real`, with the name of its other argument if there are two. The function has the same name in references.
///
/// The module, the method, what `#[model]` knows about it, and its tests follow from the line.
#[macro_export]
macro_rules! functions {
    ($then:ident) => {
        $then! {
            unary exponential {
                /// `|x|`, with slope 0 at 0.
                Abs abs();
                /// `eˣ`.
                Exp exp();
                /// `eˣ - 1`, accurate for small `x`.
                ExpM1 exp_m1();
                /// Natural logarithm.
                Ln ln();
                /// `ln(1 + x)`, accurate for small `x`.
                Ln1p ln_1p();
                /// `1/x`.
                Recip recip();
                /// Square root.
                Sqrt sqrt();
                /// `x²`.
                Square square();
            }
            unary trigonometric {
                /// Arc cosine.
                Acos acos();
                /// Inverse hyperbolic cosine.
                Acosh acosh();
                /// Arc sine.
                Asin asin();
                /// Inverse hyperbolic sine.
                Asinh asinh();
                /// Arc tangent.
                Atan atan();
                /// Inverse hyperbolic tangent.
                Atanh atanh();
                /// Cosine.
                Cos cos();
                /// Hyperbolic cosine.
                Cosh cosh();
                /// Sine.
                Sin sin();
                /// Hyperbolic sine.
                Sinh sinh();
                /// Tangent.
                Tan tan();
                /// Hyperbolic tangent.
                Tanh tanh();
            }
            unary bessel {
                /// `ln I₀(x)`, with the modified Bessel function of order 0.
                LnBesselI0 ln_bessel_i0();
                /// `ln(e⁻ˣ I₀(x))` for `x ≥ 0`, with the modified Bessel function of order 0.
                LnBesselI0Scaled ln_bessel_i0_scaled();
            }
            unary gamma {
                /// `ψ(x) = d/dx ln Γ(x)`.
                Digamma digamma();
                /// `ln x!`, exact to rounding at whole numbers.
                LnFactorial ln_factorial();
                /// `ln Γ(x)` for `x > 0`.
                LnGamma ln_gamma();
                /// `ln x! - ((x + ½) ln x - x + ½ ln 2π)`, the error of Stirling's formula.
                StirlingError stirling_error();
                /// `ψ'(x)`.
                Trigamma trigamma();
            }
            unary normal {
                /// Error function.
                Erf erf();
                /// Complementary error function.
                Erfc erfc();
                /// `ln Φ(x)`, accurate in both tails.
                LnNormCdf ln_norm_cdf();
                /// Standard normal distribution function `Φ(x)`.
                NormCdf norm_cdf();
                /// Standard normal quantile `Φ⁻¹(p)`.
                NormQuantile norm_quantile();
            }
            unary link {
                /// `ln(1 / (1 + e⁻ˣ))`.
                LnLogistic ln_logistic();
                /// `ln(1 - eˣ)` for `x < 0`.
                Log1mExp log1m_exp();
                /// `ln(1 + eˣ)`, also called softplus.
                Log1pExp log1p_exp();
                /// `1 / (1 + e⁻ˣ)`.
                Logistic logistic();
                /// `ln(p / (1 - p))`.
                Logit logit();
            }
            binary binary {
                /// The angle of the point with ordinate `self`, as `f64::atan2`.
                Atan2 atan2(abscissa);
                /// `x ln(x/m) + m - x ≥ 0`: Loader's deviance of `x = self` from a mean `m`.
                Deviance deviance(mean);
                /// `√(x² + y²)`.
                Hypot hypot(y);
                /// `y x - ln(1 + eˣ)` without cancellation: the log mass of a Bernoulli variable `y` with log odds `x = self`.
                LnBernoulliLogit ln_bernoulli_logit(y);
                /// `ln B(x, y)`, accurate for small and large arguments.
                LnBeta ln_beta(y);
                /// `ln C(n, k)` for `0 ≤ k ≤ n = self`.
                LnChoose ln_choose(k);
                /// `ln Γ(x + a) - ln Γ(x)` without cancellation.
                LnGammaDelta ln_gamma_delta(a);
                /// `ln(eˣ + eʸ)`.
                LogAddExp log_add_exp(y);
                /// `ln(eˣ - eʸ)` for `x > y`.
                LogDiffExp log_diff_exp(y);
                /// `xʸ` for a number or a random `y`; for `x > 0`, or for any `x` if `y` is data and a whole number.
                Pow pow(y);
                /// `x ln y`, which is 0 at `x = 0`.
                XLnY x_ln_y(y);
            }
        }
    };
}
