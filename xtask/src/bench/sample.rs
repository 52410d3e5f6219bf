//! Figures of one run of a contestant.

/// Figures of one run.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub iops: f64,
    /// User and system time of all workers over I/Os. Nanoseconds.
    pub cpu_ns_per_io: f64,
}
