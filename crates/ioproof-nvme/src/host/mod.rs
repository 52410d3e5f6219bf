//! Surroundings of the driver: registers on a bus, memory that the drive reaches, doorbells, and rings of commands.

pub(crate) mod bus;
pub(crate) mod configuration;
pub(crate) mod doorbell;
mod memory;
pub(crate) mod registers;
pub(crate) mod ring;
