//! Runs that tests make reports of: stored ones, and made-up ones.

pub mod stored;
pub mod swept;
