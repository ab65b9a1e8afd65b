struct Survey {
    #[rows]
    outcome: Vec<f64>,
    #[rows]
    age: DMatrix<f64>,
    groups: usize,
}
