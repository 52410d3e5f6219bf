//! The host and this process as what holds a number back.

pub(super) mod busy_host;
pub(super) mod cpu_pressure;
pub(super) mod cpu_quota;
pub(super) mod cpu_set;
pub(super) mod cpu_throttled;
pub(super) mod cpu_waiting;
pub(super) mod generator_cpu;
pub(super) mod host_jitter;
pub(super) mod hot_cpu;
pub(super) mod low_priority;
pub(super) mod memory_limit;
pub(super) mod memory_pressure;
pub(super) mod near_ceiling;
pub(super) mod own_limit;
pub(super) mod slower_backend;
pub(super) mod stolen_cpu;
pub(super) mod stopped;
pub(super) mod unregistered_buffers;
