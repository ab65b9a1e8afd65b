//! The table of families: the library's distribution of each family, and its parameters.
//!
//! It is a macro, because each distribution has its own type: an expression is evaluated with the family's distribution, for all rows at
//! once or row by row.

/// Evaluates `$body` with `$one` as the distribution of `$given`.
macro_rules! chosen {
    ($given:ident, $one:ident => $body:expr, $intervals:ident, $family:ident :: $new:ident ($($parameter:ident),*)) => {
        if $given.is_plain() {
            let $one = $family::$new($($parameter.whole()),*);
            $body
        } else {
            let $one = ByRow::<_, $intervals>::new(
                $given,
                #[inline(always)]
                |i: usize| $family::$new($($parameter.row(i)),*),
            );
            $body
        }
    };
    ($given:ident, $one:ident => $body:expr, $zeros:ident of $family:ident :: $new:ident ($zero:ident, $($parameter:ident),*)) => {
        if $given.is_plain() {
            let $one = $zeros::new($zero.whole(), $family::$new($($parameter.whole()),*));
            $body
        } else {
            let $one = ByRow::<_, Unknown>::new(
                $given,
                #[inline(always)]
                |i: usize| $zeros::new($zero.row(i), $family::$new($($parameter.row(i)),*)),
            );
            $body
        }
    };
}

/// The same for a family that is written out.
macro_rules! written {
    ($given:ident, $one:ident => $body:expr, $domain:ident) => {{
        let $one = ByRow::<_, Own>::new($given, |i: usize| Written::<_, $domain>::of($given, i));
        $body
    }};
}

/// Families whose responses are real numbers.
macro_rules! with_numbers {
    ($given:expr, $one:ident => $body:expr) => {{
        let given = $given;
        let (first, second) = (Column(&given.first), Column(&given.second));
        let of = |class| given.others.of(class);
        let (sigma, nu, shape) = (of(Class::Sigma), of(Class::Nu), of(Class::Shape));
        match given.d.family {
            _ if given.is_written() => written!(given, $one => $body, Continuous),
            Family::StudentT => chosen!(given, $one => $body, Known, StudentT::new(nu, first, sigma)),
            Family::LogNormal => chosen!(given, $one => $body, Known, LogNormal::new(first, sigma)),
            Family::Gamma => chosen!(given, $one => $body, Known, Gamma::new(shape, first)),
            Family::Exponential => chosen!(given, $one => $body, Known, Exponential::new(first)),
            Family::Weibull => chosen!(given, $one => $body, Known, Weibull::new(shape, first)),
            Family::InverseGaussian => chosen!(given, $one => $body, Known, InverseGaussian::new(first, shape)),
            Family::Beta => chosen!(given, $one => $body, Known, Beta::new(first, second)),
            Family::Gaussian => chosen!(given, $one => $body, Known, Normal::new(first, sigma)),
            other => unreachable!("the responses of {other} are whole numbers"),
        }
    }};
}

/// Families whose responses are whole numbers.
macro_rules! with_counts {
    ($given:expr, $one:ident => $body:expr) => {{
        let given = $given;
        let (first, second) = (Column(&given.first), Column(&given.second));
        let trials = Trials(&given.d.trials);
        let of = |class| given.others.of(class);
        let (shape, zi, hu) = (of(Class::Shape), of(Class::ZeroInflation), of(Class::Hurdle));
        let cuts = All(&given.others.cuts);
        match (given.d.family, given.d.link) {
            _ if given.is_written() => written!(given, $one => $body, Discrete),
            (Family::Bernoulli, _) => chosen!(given, $one => $body, Known, BernoulliLogit::new(first)),
            (Family::Binomial, _) => chosen!(given, $one => $body, Known, BinomialLogit::new(trials, first)),
            (Family::BetaBinomial, _) => chosen!(given, $one => $body, Known, BetaBinomial::new(trials, first, second)),
            (Family::NegativeBinomial, _) => {
                chosen!(given, $one => $body, Known, NegativeBinomial::mean_dispersion(first, shape))
            }
            (Family::Geometric, _) => chosen!(given, $one => $body, Known, Geometric::new(first)),
            (Family::ZeroInflatedPoisson, _) => {
                chosen!(given, $one => $body, ZeroInflated of Poisson::new(zi, first))
            }
            (Family::ZeroInflatedNegativeBinomial, _) => {
                chosen!(given, $one => $body, ZeroInflated of NegativeBinomial::mean_dispersion(zi, first, shape))
            }
            (Family::HurdlePoisson, _) => chosen!(given, $one => $body, Hurdle of Poisson::new(hu, first)),
            (Family::HurdleNegativeBinomial, _) => {
                chosen!(given, $one => $body, Hurdle of NegativeBinomial::mean_dispersion(hu, first, shape))
            }
            (Family::Cumulative, Link::Probit) => chosen!(given, $one => $body, Unknown, OrderedProbit::new(first, cuts)),
            (Family::Cumulative, _) => chosen!(given, $one => $body, Unknown, OrderedLogistic::new(first, cuts)),
            (Family::Poisson, _) => chosen!(given, $one => $body, Known, PoissonLog::new(first)),
            (other, _) => unreachable!("the responses of {other} are real numbers"),
        }
    }};
}

pub(super) use {chosen, with_counts, with_numbers, written};
