//! The datasheets that are part of the program: all that lie in `datasheets/`. The build script makes the table.

/// File name and text of each.
pub(super) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/datasheets.rs"));
