//! Sessions: requests, the targets and the record that they become, sources of stages, and the measuring that all verbs share.

#![forbid(unsafe_code)]

mod changed_size;
pub mod clock;
pub mod compared;
pub mod datasheets;
pub mod drive_health;
mod drive_past;
mod dry_run;
mod joined;
pub mod layers;
pub mod measure;
pub mod observers;
mod open;
pub mod own_driver;
pub mod purge;
pub mod request;
mod self_test;
pub mod session;
pub mod sources;
pub mod spdk_perf;
