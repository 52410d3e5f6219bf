//! Tests on loop devices, which need root.

mod backing;
mod below;
mod content;
mod device;
mod file;
mod purge;
mod trees;
mod users;
