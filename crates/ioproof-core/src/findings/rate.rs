//! Rates that are not kept or not steady.

pub(super) mod cliff;
pub(super) mod fixed_rate;
pub(super) mod late_rise;
pub(super) mod littles_law;
pub(super) mod mix_not_kept;
pub(super) mod not_preconditioned;
pub(super) mod not_steady;
pub(super) mod pace_not_kept;
pub(super) mod slower_mix;
pub(super) mod target_not_held;
pub(super) mod wide_range;
