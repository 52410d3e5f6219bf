//! Drives and files as they are known: facts of the kernel, answers of the drive, and folders in which these are captured and replayed.

#![forbid(unsafe_code)]

pub mod anonymise;
pub mod answers;
pub mod capture;
pub mod contents;
pub mod drives;
pub mod file;
pub mod inventory;
pub mod replay;
