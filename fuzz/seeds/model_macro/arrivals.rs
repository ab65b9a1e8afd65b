/// A struct of data, a discrete random value, a branch on data.
pub(crate) fn arrivals<'a>(data: &'a Queue<'_>, busy: bool) {
    let n = sample(Poisson::new(3.0));
    let rate = sample(Gamma::new(2.0, 1.0));
    if busy {
        observe(&data.waits[1..], Exponential::new(rate));
    }
    for (i, count) in data.counts.iter().enumerate() {
        observe(*count, Poisson::new(n * rate * data.hours[i]));
    }
}
