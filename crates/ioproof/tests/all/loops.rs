//! Tests on loop devices, which need root.

mod drive;
mod evidence;
mod fleet;
mod job;
mod late;
mod layers;
mod layers_full;
mod outputs;
mod powercut;
mod program;
mod read_back;
mod room;
mod standard;
mod together;
