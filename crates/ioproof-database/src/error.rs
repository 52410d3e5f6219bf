//! The reason for which a database could not be made.

/// An error that says what failed and the way to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct DatabaseError {
    /// The error in words.
    pub text: String,
    /// The way to mend it.
    pub hint: Option<String>,
    /// True where it was ended early and nothing is wrong.
    pub is_interrupted: bool,
}

impl DatabaseError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), hint: None, is_interrupted: false }
    }

    pub(crate) fn hinted(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::new(text) }
    }

    pub(crate) fn interrupted() -> Self {
        Self { is_interrupted: true, ..Self::new("it was ended before the database was there") }
    }
}
