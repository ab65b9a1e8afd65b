impl ::bayes::__private::RowData for Survey {
    type Owned = Self;
    type View<'__rows> = &'__rows Self where Self: '__rows;
    fn rows(&self) -> usize {
        <Vec<f64> as ::bayes::__private::RowData>::rows(&self.outcome)
    }
    fn gather(&self, __rows: &[usize]) -> Self {
        Self {
            outcome: <Vec<
                f64,
            > as ::bayes::__private::RowData>::gather(&self.outcome, __rows),
            age: <DMatrix<
                f64,
            > as ::bayes::__private::RowData>::gather(&self.age, __rows),
            groups: ::core::clone::Clone::clone(&self.groups),
        }
    }
    fn refill(&self, __rows: &[usize], __owned: &mut Self) {
        <Vec<
            f64,
        > as ::bayes::__private::RowData>::refill(
            &self.outcome,
            __rows,
            &mut __owned.outcome,
        );
        <DMatrix<
            f64,
        > as ::bayes::__private::RowData>::refill(&self.age, __rows, &mut __owned.age);
    }
    fn view<'__rows>(&'__rows self, __owned: &'__rows Self) -> &'__rows Self {
        __owned
    }
    fn row_counts(&self, __name: &str) -> ::std::vec::Vec<::bayes::__private::RowCount> {
        <[_]>::concat(
            &[
                <Vec<
                    f64,
                > as ::bayes::__private::RowData>::row_counts(
                    &self.outcome,
                    &::std::format!("{}.outcome", __name),
                ),
                <DMatrix<
                    f64,
                > as ::bayes::__private::RowData>::row_counts(
                    &self.age,
                    &::std::format!("{}.age", __name),
                ),
            ],
        )
    }
}
