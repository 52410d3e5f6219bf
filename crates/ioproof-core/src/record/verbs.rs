//! Names of verbs by which a record tells what it is of.

/// Block device, filesystem and database in turns.
pub const LAYERS: &str = "layers";
/// Durable writes.
pub const SYNC: &str = "sync";
