//! Kinds of results beyond single workloads, each with its figures and sentences.

pub mod layers;
pub mod sweep;
pub mod syncs;
pub mod together;
