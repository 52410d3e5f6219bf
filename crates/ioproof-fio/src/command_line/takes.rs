//! Values of options on the command line.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Value,
    Optional,
    Nothing,
}
