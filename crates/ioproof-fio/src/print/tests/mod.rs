//! The outputs as their readers see them.

mod absurd;
mod made_up;
mod readers;
mod recorded;
mod snapshots;

pub(super) use made_up::PERCENTILES;
