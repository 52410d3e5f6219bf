//! Checks of words and tables: against the outputs, and against their own numbers.

mod bind;
mod block_size;
mod comparison;
mod configured_ratio;
mod cpu;
mod depth_for_claim;
mod effect;
mod fresh;
mod layer;
mod link;
mod machine;
mod not_measured;
mod power_loss;
mod random_claim;
mod ratio;
mod transcription;
mod unlike;

use super::{Check, one};

pub(super) const CHECKS: &[Check] = &[
    one("transcription", transcription::check),
    one("ratio", ratio::check),
    one("unlike-runs", unlike::check),
    one("random-claim", random_claim::check),
    one("comparison", comparison::check),
    one("layer", layer::check),
    one("cpu-load", cpu::check),
    one("depth-for-claim", depth_for_claim::check),
    one("above-link", link::check),
    one("configured-ratio", configured_ratio::check),
    one("effect", effect::check),
    one("power-loss", power_loss::check),
    one("fresh-drive", fresh::check),
    one("not-measured", not_measured::check),
    one("machine-record", machine::check),
    one("text-against-command", block_size::check),
];
