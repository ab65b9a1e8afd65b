//! Layers that do not fit.

use super::*;

#[test]
fn layers_that_do_not_fit_are_named() {
    let refused = |shape, layers: &[Layer]| {
        let error = Network::new(shape, layers).expect_err("these layers do not fit");
        error.to_string()
    };
    assert_eq!(
        refused(
            image(1, 28, 28),
            &[
                conv(1, 4, 3, 1),
                RELU,
                Layer::MaxPool { size: 2 },
                dense(785, 10)
            ]
        ),
        "layer 3 `Dense(785, 10)` expects 785 inputs, but layer 2 `MaxPool(2)` gives 4 x 14 x 14"
    );
    assert_eq!(
        refused(Shape::Flat(4), &[conv(1, 4, 3, 1)]),
        "layer 0 `Conv2d(1, 4, 3)` expects an image of 1 channels, but the input gives 4"
    );
    assert_eq!(
        refused(image(3, 4, 4), &[conv(1, 4, 3, 1)]),
        "layer 0 `Conv2d(1, 4, 3)` expects an image of 1 channels, but the input gives 3 x 4 x 4"
    );
    assert_eq!(
        refused(image(1, 4, 4), &[conv(1, 1, 7, 1)]),
        "layer 0 `Conv2d(1, 1, 7)` expects an image of at least 7 x 7 pixels, 1 zeros on every side included, \
         but the input gives 1 x 4 x 4"
    );
    assert_eq!(
        refused(
            image(1, 4, 4),
            &[Layer::AveragePool { size: 5 }, dense(1, 1)]
        ),
        "layer 0 `AveragePool(5)` expects an image of at least 5 x 5 pixels, and at least 1 x 1, \
         but the input gives 1 x 4 x 4"
    );
    assert!(matches!(
        Network::new(Shape::Flat(2), &[RELU]),
        Err(NetworkError::NoWeights)
    ));
}
