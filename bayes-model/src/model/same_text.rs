//! What a changed model has in common with the model that it changes.

/// The methods of a [`Model`] about its text, for a type that changes the model in its field `model`, of type `Mo`.
macro_rules! same_text {
    () => {
        fn name(&self) -> &'static str {
            self.model.name()
        }
        fn statements(&self) -> &'static [crate::model::Statement] {
            self.model.statements()
        }
        fn file(&self) -> &'static str {
            self.model.file()
        }
        fn source(&self) -> &'static str {
            self.model.source()
        }
        fn recipe(&self) -> Option<crate::model::Recipe> {
            self.model.recipe()
        }
        fn in_words(&self, statement: usize) -> Option<String> {
            self.model.in_words(statement)
        }
        fn rereads(&self) -> &'static [&'static str] {
            self.model.rereads()
        }
        fn rereads_in_words(&self) -> Option<String> {
            self.model.rereads_in_words()
        }
        fn forward(&self) -> Option<&dyn crate::model::InDualNumbers> {
            Mo::forward_of(self)
        }
        fn forward_of<Other: Model>(changed: &Other) -> Option<&dyn crate::model::InDualNumbers> {
            Mo::forward_of(changed)
        }
    };
}
pub(crate) use same_text;
