//! The drive, the way to it, and others who use it.

pub(super) mod above_link;
pub(super) mod concurrency;
pub(super) mod elsewhere;
pub(super) mod endurance;
pub(super) mod io_errors;
pub(super) mod io_scheduler;
pub(super) mod misaligned;
pub(super) mod new_media_errors;
pub(super) mod read_modify_write;
pub(super) mod shared_path;
pub(super) mod short_queue;
pub(super) mod slow_channel;
pub(super) mod slow_kinds;
pub(super) mod slow_places;
pub(super) mod slow_tail;
pub(super) mod slow_wake;
pub(super) mod split_requests;
pub(super) mod stalls;
pub(super) mod thermal_throttle;
pub(super) mod two_times;
