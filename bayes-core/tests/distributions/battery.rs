//! What the battery needs to know of a distribution, and its list of tests.

use bayes_autodiff::{Mode, Real, Value, Vector};
use bayes_core::dist::{Data, Distribution, Domain, Family, Shape};
use bayes_core::rng::{Key, Purpose, Stream};

/// A scalar family as the battery sees it: its constructor in every mode.
pub trait Subject<const K: usize> {
    /// The family.
    type Family: Family<K>;
    /// Its name in the file of references.
    const REFERENCE: &'static str;

    /// The distribution of a scalar at scalar parameters.
    fn scalar<M: Mode>(
        parameters: [Real<M>; K],
    ) -> impl Distribution<M, Value = Real<M>, Domain = <Self::Family as Family<K>>::Domain>;

    /// The distribution of a scalar at parameters that are data.
    fn known(
        parameters: [f64; K],
    ) -> impl Distribution<Value, Value = Real<Value>, Domain = <Self::Family as Family<K>>::Domain>;

    /// The distribution of a vector at vector parameters.
    fn vector<M: Mode>(
        parameters: &[Vector<M>; K],
    ) -> impl Distribution<M, Value = Vector<M>, Domain = <Self::Family as Family<K>>::Domain>;

    /// The log density on plain numbers.
    fn log_density(x: f64, parameters: [f64; K]) -> f64 {
        let distribution = Self::scalar(parameters.map(Real::<Value>::constant));
        distribution.log_density_at(&Real::constant(x)).primal()
    }
}

/// Whether values of the subject are whole numbers.
pub fn is_discrete<S: Subject<K>, const K: usize>() -> bool {
    <<S::Family as Family<K>>::Domain as Domain>::DISCRETE
}

/// Numbers offered as data of either domain, so that the runtime checks see what types would refuse.
pub struct Numbers(pub Vec<f64>);

impl<D: Domain> Data<D> for Numbers {
    fn shape(&self) -> Shape {
        Shape::Vector(self.0.len())
    }
    fn at(&self, i: usize) -> f64 {
        self.0[i]
    }
}

/// A reproducible stream for test number `item`.
pub fn stream(item: u64) -> Stream {
    Key {
        seed: 20_240_229,
        group: 0,
        item,
        stage: 0,
        purpose: Purpose::Initial,
    }
    .stream()
}

macro_rules! subjects {
    ($($name:ident: $family:ty, $reference:literal, |$($parameter:ident),*| $constructor:expr;)*) => {
        /// The references that the battery covers.
        pub const COVERED: &[&str] = &[$($reference),*];
        $(mod $name {
            use super::*;
            use bayes_autodiff::{Mode, Real, Value, Vector};

            const K: usize = [$(stringify!($parameter)),*].len();

            struct This;
            impl battery::Subject<K> for This {
                type Family = $family;
                const REFERENCE: &'static str = $reference;

                fn scalar<M: Mode>(
                    [$($parameter),*]: [Real<M>; K],
                ) -> impl Distribution<M, Value = Real<M>, Domain = <$family as Family<K>>::Domain> {
                    $constructor
                }
                fn known(
                    [$($parameter),*]: [f64; K],
                ) -> impl Distribution<Value, Value = Real<Value>, Domain = <$family as Family<K>>::Domain> {
                    $constructor
                }
                fn vector<M: Mode>(
                    [$($parameter),*]: &[Vector<M>; K],
                ) -> impl Distribution<M, Value = Vector<M>, Domain = <$family as Family<K>>::Domain> {
                    $constructor
                }
            }

            #[test]
            fn density_agrees_with_the_reference() {
                reference::density_agrees::<This, K>();
            }
            #[test]
            fn density_integrates_to_one() {
                integration::integrates_to_one::<This, K>();
            }
            #[test]
            fn draws_follow_the_density() {
                sampling::draws_follow_the_density::<This, K>();
            }
            #[test]
            fn draws_survive_the_transform() {
                sampling::draws_survive_the_transform::<This, K>();
            }
            #[test]
            fn gradient_agrees_with_differences() {
                derivatives::gradient_agrees::<This, K>();
            }
            #[test]
            fn coordinates_are_safe() {
                derivatives::coordinates_are_safe::<This, K>();
            }
            #[test]
            fn hessian_agrees_with_differences() {
                derivatives::hessian_agrees::<This, K>();
            }
            #[test]
            fn invalid_parameters_are_named() {
                errors::invalid_parameters_are_named::<This, K>();
            }
            #[test]
            fn data_outside_the_support_are_located() {
                errors::data_outside_the_support_are_located::<This, K>();
            }
            #[test]
            fn density_is_a_number_within_the_support() {
                properties::density_is_a_number_within_the_support::<This, K>();
            }
            #[test]
            fn vector_parameters_are_a_product_of_scalars() {
                vectorised::vector_parameters_are_a_product_of_scalars::<This, K>();
            }
            #[test]
            fn scalar_parameters_are_shared_by_all_data() {
                vectorised::scalar_parameters_are_shared_by_all_data::<This, K>();
            }
        })*
    };
}
pub(crate) use subjects;
