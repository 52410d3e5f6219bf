//! Layers in one run: blocks of a drive, a filesystem, databases on it; of drives a filesystem that is made first.

mod below;
mod databases;
pub mod db;
mod dry_run;
pub mod measure;
pub mod memory;
mod new_filesystem;
mod raw;
pub mod request;
pub mod server;
mod turns;
