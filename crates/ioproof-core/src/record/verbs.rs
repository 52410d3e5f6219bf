//! Names of the verbs that measure, by which a record tells what it is of.

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

/// All of them.
pub const ALL: [&str; 5] = [VERIFY, SWEEP, SYNC, LAYERS, RUN];
