//! Whose options there are.

use super::general::Flag;

/// Whose option it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind<'a> {
    General(&'static Flag),
    Own(&'static str),
    Job(&'a str),
}
