//! The verbs that measure: each settles its flags into a request, has the session measure it, and tells the result.

pub mod all_drives;
mod finish;
pub mod layers;
mod resume;
pub mod run;
pub mod standard;
pub mod sweep;
pub mod sync;
pub mod verify;
