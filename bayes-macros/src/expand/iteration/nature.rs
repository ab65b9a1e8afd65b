//! What a binding can hold, and what may be done with it inside a loop that is to be closed.

/// How a value came about, from harmless to harmful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Numbers and data, whose types have no room for a random value.
    Data,
    /// Random values, and containers of them, made by operations that the macro knows.
    Known,
    /// Made by a user's function or method: its type is not known.
    Unknown,
    /// It may write to something else: a mutable reference, a cell, a closure that changes what it captured.
    Writer,
}

/// The kind of value that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A number or data: whatever is done to it, no random value gets into it.
    Data,
    /// A value that cannot change.
    Fixed,
    /// A variable of known make: reading it is harmless.
    Variable,
    /// A value of unknown make that a method or function might write to behind a shared reference.
    Opaque,
    /// Any mention may carry a value out.
    Outlet,
}

/// How an expression is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// As an operand of arithmetic or an index: nothing keeps it.
    Operand,
    /// As a parameter of a distribution: by value nothing keeps it, but what is behind a reference may keep what it
    /// has computed when it is first asked.
    Parameter,
    /// As a value that may be kept in another binding or handed to a function.
    Value,
    /// As the receiver of a method, or the function of a call, that the macro does not know.
    Receiver,
    /// As a place that is written to.
    Place,
}

impl Nature {
    /// The nature of a binding to a value of this origin.
    pub fn of(origin: Origin, is_mutable: bool) -> Self {
        match (origin, is_mutable) {
            (Origin::Data, _) => Self::Data,
            (Origin::Known, false) => Self::Fixed,
            (Origin::Known, true) => Self::Variable,
            (Origin::Unknown, false) => Self::Opaque,
            (Origin::Unknown, true) | (Origin::Writer, _) => Self::Outlet,
        }
    }

    /// The origin of what is made of a binding of this nature by such a use.
    pub fn origin(self, usage: Use) -> Origin {
        match self {
            Self::Data => Origin::Data,
            // A method may give a mutable reference to the inside of its receiver.
            Self::Variable if matches!(usage, Use::Receiver | Use::Place) => Origin::Writer,
            Self::Fixed | Self::Variable => Origin::Known,
            Self::Opaque => Origin::Unknown,
            Self::Outlet => Origin::Writer,
        }
    }

    /// Whether this use of a binding from outside could carry a value of the iteration out.
    pub fn lets_out(self, usage: Use) -> bool {
        match self {
            Self::Data => false,
            Self::Fixed => usage == Use::Place,
            Self::Variable => matches!(usage, Use::Place | Use::Receiver),
            Self::Opaque => !matches!(usage, Use::Operand | Use::Parameter),
            Self::Outlet => true,
        }
    }
}
