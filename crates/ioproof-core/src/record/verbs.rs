//! Names of the verbs that measure. A record holds the one that made it.

/// A target against what is promised of it.
pub const VERIFY: &str = "verify";
/// Depths, workers and block sizes.
pub const SWEEP: &str = "sweep";
/// Durable writes.
pub const SYNC: &str = "sync";
/// Block device, filesystem and database in turns.
pub const LAYERS: &str = "layers";
/// fio's job files.
pub const RUN: &str = "run";

pub const ALL: [&str; 5] = [VERIFY, SWEEP, SYNC, LAYERS, RUN];
