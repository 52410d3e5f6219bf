//! Whose options there are.

use super::general::Flag;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind<'a> {
    General(&'static Flag),
    Own(&'static str),
    Job(&'a str),
}
