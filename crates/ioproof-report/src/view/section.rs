//! Facts for people, in sections.

use ioproof_core::text::visible;

/// A fact for people.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    pub name: String,
    pub value: String,
    /// Place where it was read; empty for our own doing.
    pub source: String,
}

/// Facts about one thing.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub title: String,
    pub facts: Vec<Fact>,
}

pub(super) fn fact(name: &str, value: impl Into<String>, source: &str) -> Fact {
    Fact { name: visible(name), value: visible(&value.into()), source: visible(source) }
}
