//! Measuring verbs on files.

mod all_drives;
mod ends_early;
mod interleave;
mod layers;
mod live;
mod load;
mod signals;
mod standard;
mod streams;
mod sweep;
mod sync;
mod together;
mod verify_files;
