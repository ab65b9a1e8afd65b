//! The operators that vectors and matrices have in common.

/// `+ -` of two containers of the same shape, `* /` with a number; by value and by reference. The container has `zip` and `map`.
macro_rules! linear_operators {
    ($container:ty) => {
        linear_operators!(pair $container, Add, add, "plus", |a, b| a + b);
        linear_operators!(pair $container, Sub, sub, "minus", |a, b| a - b);
        linear_operators!(number $container, Complex<M>);
        linear_operators!(number $container, Complex64);
        linear_operators!(number $container, Real<M>);
        linear_operators!(number $container, f64);

        impl<M: Mode> Neg for $container {
            type Output = Self;
            fn neg(self) -> Self {
                self.map(|z| -z)
            }
        }
        impl<M: Mode> Neg for &$container {
            type Output = $container;
            fn neg(self) -> $container {
                self.map(|z| -z)
            }
        }
    };
    (pair $container:ty, $trait:ident, $method:ident, $words:literal, $f:expr) => {
        linear_operators!(one $trait, $method, $container, $container, $container, |a, b| a.zip($words, &b, $f));
        linear_operators!(one $trait, $method, $container, &$container, $container, |a, b| a.zip($words, b, $f));
        linear_operators!(one $trait, $method, &$container, $container, $container, |a, b| a.zip($words, &b, $f));
        linear_operators!(one $trait, $method, &$container, &$container, $container, |a, b| a.zip($words, b, $f));
    };
    (number $container:ty, $number:ty) => {
        linear_operators!(one Mul, mul, $container, $number, $container, |a, b| a.map(|z| z * b));
        linear_operators!(one Mul, mul, &$container, $number, $container, |a, b| a.map(|z| z * b));
        linear_operators!(one Mul, mul, $number, $container, $container, |a, b| b.map(|z| a * z));
        linear_operators!(one Mul, mul, $number, &$container, $container, |a, b| b.map(|z| a * z));
        linear_operators!(one Div, div, $container, $number, $container, |a, b| a.map(|z| z / b));
        linear_operators!(one Div, div, &$container, $number, $container, |a, b| a.map(|z| z / b));
    };
    (one $trait:ident, $method:ident, $left:ty, $right:ty, $output:ty, |$a:ident, $b:ident| $body:expr) => {
        impl<M: Mode> $trait<$right> for $left {
            type Output = $output;
            fn $method(self, other: $right) -> $output {
                let ($a, $b) = (self, other);
                $body
            }
        }
    };
}
pub(super) use linear_operators;
