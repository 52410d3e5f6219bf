//! NVMe without the kernel: the registers, queues and commands of NVM Express Base Specification 1.4, and a driver that polls.
//!
//! `wire` has the structures as they are in memory and on the bus. `host` is what the driver needs of its surroundings: a bus with registers
//! ([`Bus`]) and memory that the drive can reach. `controller` brings a drive up and makes queues; [`IoQueue`] is the hot path of one worker, without
//! locks, system calls or allocation. `vfio` is the bus of a real drive, `physical` that of one behind no IOMMU.
//! `scripted` is a controller in memory that behaves as a test tells it.
//!
//! Deliberately absent: workloads, time measurement and statistics (`ioproof-engine`), and the decision which drive may be used (`ioproof-target`).

mod controller;
mod drive;
mod error;
mod host;
pub mod physical;
mod queue;
pub mod scripted;
#[cfg(test)]
mod tests;
pub mod vfio;
pub mod wire;

pub use controller::{Controller, Facts, Namespace};
pub use drive::Drive;
pub use error::Error;
pub use host::bus::{Bus, DmaMemory, Piece};
pub use queue::{IoQueue, Layout, Operation};
