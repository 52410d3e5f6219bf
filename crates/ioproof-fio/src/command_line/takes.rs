//! Values of options on the command line.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// `--key=value` or `--key value`.
    Value,
    /// `--key` or `--key=value`.
    Optional,
    /// `--key` alone.
    Nothing,
}
