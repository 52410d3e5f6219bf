//! The folder of a name.

use std::path::Path;

/// The folder in which a file of this name lies; `.` for a name alone.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}
