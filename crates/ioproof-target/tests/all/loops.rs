//! Tests on loop devices, which need root.

mod backing;
mod below;
mod content;
mod device;
mod file;
mod trees;
mod users;
