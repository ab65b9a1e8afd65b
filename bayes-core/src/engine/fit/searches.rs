//! The setters of the searches before and after an approximation.

/// The two setters; the text is about the gradients of the searches: empty, or ` of all rows` where the steps are on some rows.
macro_rules! search_setters {
    ($gradients:literal) => {
        /// Whether to search for an improper posterior before the run, and to refuse it with
        /// [`Error::Improper`](crate::Error::Improper). `true` by default. The search
        #[doc = concat!("takes some hundred gradients", $gradients, ", at most 30,000, in at most 200 coordinates. The counts of the run leave them out.")]
        pub fn check_propriety(self, check: bool) -> Self {
            self.set_common(|common| common.checks_propriety = check)
        }

        /// Whether to search after the run for what lies beyond the draws: other maxima, places where short trajectories lead, and heavier tails.
        #[doc = concat!("`true` by default. It takes some thousand gradients", $gradients, ": climbs, in at most 100 coordinates, begin no more")]
        /// after 5,000 gradients, and trajectories after 20,000.
        pub fn search_beyond(self, search: bool) -> Self {
            self.set_common(|common| common.searches_beyond = search)
        }
    };
}

pub(super) use search_setters;
