//! Placeholder while the house is built.
