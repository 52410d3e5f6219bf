//! Tools of desktops and installers: CrystalDiskInfo, Windows, macOS, and what Linux lists of its drives.

pub(super) mod crystaldiskinfo;
mod crystaldiskinfo_attributes;
pub(super) mod inxi;
pub(super) mod linux;
pub(super) mod macos;
pub(super) mod windows;
pub(super) mod windows_tables;
