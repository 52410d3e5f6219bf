//! Versions that the outputs state.

/// Scripts take from it which shape to expect, so it is that of the fio whose shape this is.
pub const FIO_VERSION: &str = "fio-3.33";
